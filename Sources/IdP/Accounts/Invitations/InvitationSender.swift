package import SSOWeb
package import Storage

/// Sends the emails of invitations.
package protocol InvitationSender: Sendable {
    /// Queues the email of an invitation, in the caller's transaction.
    func enqueue(_ invitationID: String, at now: Timestamp, _ connection: any SQLConnection) throws
}
