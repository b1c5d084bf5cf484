import SSOShared
package import SSOWeb
import Storage

/// An email in the queue. It holds no code and no link: its template makes the text when the email is sent.
package struct QueuedMail: Sendable {
    let id: String
    /// The ``EmailAddress/budgetKey`` that it counts for.
    let address: String
    /// The ``MailTemplate/kind`` that makes its text.
    let kind: String
    /// What the email is about, for the template. Nil for a decoy, which is queued but never sent: its address may not
    /// sign in.
    let subjectID: String?
    let expiresAt: Timestamp
    var attempts = 0
    /// Whether the user gets it without having asked.
    var isNotice = false

    package init(
        id: String, address: String, kind: String, subjectID: String?, expiresAt: Timestamp, attempts: Int = 0,
        isNotice: Bool = false
    ) {
        (self.id, self.address, self.kind, self.subjectID, self.expiresAt) = (id, address, kind, subjectID, expiresAt)
        (self.attempts, self.isNotice) = (attempts, isNotice)
    }
}

/// What became of an email that was taken from the queue.
struct DeliveryResult: Sendable {
    enum Outcome: Sendable {
        case sent(Timestamp)
        /// To be tried again at this moment.
        ///
        /// - Parameter isOutage: whether the mail server takes no email at all.
        case postponed(Timestamp, isOutage: Bool = false)
    }

    let id: String
    let outcome: Outcome
    /// What the audit log says of it. Nil for one that is tried again, and for a decoy.
    var event: Event?
    /// Whether the mail server was asked. False for a decoy that imitates an earlier answer.
    var isContact = true
    /// Whether its code ends before it could be tried again.
    var hasExpired: Bool { event?.cause == "expired" }
}

extension QueuedMail {
    init(_ row: SQLRow, expiresAt: Timestamp, isNotice: Bool = false) throws {
        self.init(
            id: try row.text("id"), address: try row.text("address"), kind: try row.text("kind"),
            subjectID: try row.optionalText("subject_id"), expiresAt: expiresAt,
            attempts: Int(try row.integer("attempts")), isNotice: isNotice)
    }
}
