import IdPClients
package import Logging
import SSOShared
package import SSOWeb

/// A message to a client that sessions of a user have ended.
package struct QueuedSignOut: Sendable {
    /// `evt_` and 22 characters, the same in every try.
    package let id: String
    /// The protocol of the grant, which decides what the message looks like (``SignOutProtocol``).
    package let kind: String
    package let clientID: String
    package let accountID: String
    /// The session as the client was told it; nil for all of the user.
    package let toldSession: String?
    package let createdAt: Timestamp
    /// How often it was tried, the try under way included.
    package let tries: Int
    package let nextTryAt: Timestamp
    /// A try that fails from then on is the last one.
    let endsAt: Timestamp
    /// Why the last try failed: a stable word.
    package let lastError: String?
    package let state: State

    package enum State: Sendable, Equatable {
        case waiting
        case delivered(Timestamp)
        case givenUp(Timestamp)

        /// The word in the output of commands.
        package var name: String {
            switch self {
            case .waiting: "waiting"
            case .delivered: "delivered"
            case .givenUp: "given_up"
            }
        }
    }

    /// A message before it is in the queue.
    struct New: Sendable, Hashable {
        let kind, clientID, accountID: String
        let toldSession: String?

        /// The audit log has a row of it. The log has a line when it is sent.
        func event(_ kind: EventKind, by actor: AuditActor, cause: String) -> Event {
            Event(kind, by: actor, account: accountID, client: clientID, session: toldSession, cause: cause)
                .only(in: .row)
        }
    }

    /// The messages that the end of these sign-ins causes, each once.
    static func messages(
        about ended: [ClientSignIn], _ what: EndedSessions, of protocols: ClientProtocols
    ) -> [New] {
        let isAll =
            switch what {
            case .all, .atClient: true
            case .one, .others: false
            }
        var seen: Set<New> = []
        return ended.map {
            let isNamed = !isAll || protocols.nameEachSession($0.kind)
            return New(
                kind: $0.kind, clientID: $0.clientID, accountID: $0.accountID,
                toldSession: isNamed ? $0.toldSession : nil)
        }.filter { seen.insert($0).inserted }
    }

    /// What happens to it.
    ///
    /// - Parameter further: fields of the line.
    package func event(_ kind: EventKind, cause: String? = nil, _ further: Logger.Metadata = [:]) -> Event {
        let line: Logger.Metadata = ["session": "\(toldSession ?? "all")", "tries": .number(tries)]
        return Event(
            kind, by: .program, account: accountID, client: clientID, session: toldSession, cause: cause, detail: id,
            line.merging(further) { $1 })
    }
}
