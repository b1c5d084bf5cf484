package import IdPSignOut
import SSOShared
import SSOWeb

/// How commands print messages to clients.
package enum SignOutOutput {
    package static let header = [
        "MESSAGE", "CLIENT", "ACCOUNT", "SESSION", "STATE", "TRIES", "NEXT TRY", "DELIVERED", "CAUSE",
    ]

    package static func row(_ message: QueuedSignOut) -> [String] {
        [
            message.id, message.clientID, message.accountID, message.toldSession ?? "all", message.state.name,
            String(message.tries), nextTry(message) ?? "", delivered(message) ?? "", message.lastError ?? "",
        ]
    }

    /// With null for what there is not.
    package static func json(_ message: QueuedSignOut) -> String {
        let members: [(String, String?)] = [
            ("id", JSONText.string(message.id)), ("client", JSONText.string(message.clientID)),
            ("account", JSONText.string(message.accountID)), ("session", message.toldSession.map(JSONText.string)),
            ("state", JSONText.string(message.state.name)), ("tries", String(message.tries)),
            ("next_try_at", nextTry(message).map(JSONText.string)),
            ("delivered_at", delivered(message).map(JSONText.string)),
        ]
        return "{\(members.map { "\(JSONText.string($0)):\($1 ?? "null")" }.joined(separator: ","))}"
    }

    /// What an end of sessions means for clients; nil where none was entered.
    package static func words(on told: SignOuts.Told) -> String? {
        let left =
            told.dropped > 0
            ? " Warning: \(told.dropped) were left out, because too many wait for that client already." : ""
        guard told.queued > 0 || told.dropped > 0 else { return nil }
        return
            "Messages to clients that were entered: \(told.queued). idp sign-outs list shows whether they arrived.\(left)"
    }

    private static func nextTry(_ message: QueuedSignOut) -> String? {
        message.state == .waiting ? PlainDate.rfc3339(message.nextTryAt) : nil
    }

    private static func delivered(_ message: QueuedSignOut) -> String? {
        if case .delivered(let moment) = message.state { PlainDate.rfc3339(moment) } else { nil }
    }
}
