import SSOShared
package import SSOWeb
package import Storage

/// Whether the end of a sign-in arrived at one client.
package struct SignOutReceipt: Sendable {
    package enum State: Sendable, Equatable {
        case delivered(Timestamp)
        /// Not reached yet.
        ///
        /// - Parameter next: nil before the first try is over.
        case waiting(next: Timestamp?)
        case givenUp
        /// The client is not told: it takes no messages, or the session has ended by time.
        case notTold
    }

    package let clientID: String
    package let state: State
}

extension SignOuts {
    /// How long after an end its receipts are shown.
    package static let receiptsShown: Duration = .hours(24)

    /// The receipts of a session that has ended, one for each client. The latest sign-in first.
    package func receipts(of session: String, _ connection: any SQLConnection) throws -> [SignOutReceipt] {
        let ended = try signIns.all(of: session, connection)
        guard let account = ended.first?.accountID else { return [] }
        let since = ended.compactMap(\.endedAt).min() ?? clock.now()
        let messages = try queue.all(of: account, since: since, connection)
        return ended.map { receipt(of: $0, among: messages) }
    }

    /// What became of the message about the end of one sign-in. Both were written in one transaction, at one moment.
    package func receipt(of signIn: ClientSignIn, among messages: [QueuedSignOut]) -> SignOutReceipt {
        let message = messages.first { message in
            message.clientID == signIn.clientID && message.kind == signIn.kind && message.createdAt == signIn.endedAt
                && (message.toldSession == nil || message.toldSession == signIn.toldSession)
        }
        let state: SignOutReceipt.State =
            switch message?.state {
            case .delivered(let moment): .delivered(moment)
            case .givenUp: .givenUp
            case .waiting: .waiting(next: message?.lastError == nil ? nil : message?.nextTryAt)
            case nil: .notTold
            }
        return SignOutReceipt(clientID: signIn.clientID, state: state)
    }
}
