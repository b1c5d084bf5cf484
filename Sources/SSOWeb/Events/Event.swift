package import Logging
import SSOShared

/// Something that happened, and who did it. Said once: the line of the log, the row of the audit log and the counter are made
/// from it.
///
/// Holds no secret, no full address of the network and no typed email address: see ``TypedAddress``.
package struct Event: Sendable {
    package let kind: EventKind
    package var actor: AuditActor
    /// The id of the account that it is about.
    package var account: String?
    package var client: String?
    /// The handle of the session.
    package var session: String?
    /// The flow as the log calls it.
    package var flow: String?
    /// Why: a stable word. Some lines call it `reason`.
    package var cause: String?
    /// More about it: sign-in methods, a provider's id, a file.
    package var detail: String?
    package var address: TypedAddress?
    /// The request, as on error pages and in the log.
    package var reference: String?
    /// `203.0.113.0/24` or `2001:db8::/48`.
    package var network: String?
    /// Fields of the line alone.
    package var further: Logger.Metadata
    /// The level of the line, where it is not that of the kind or the cause.
    package var level: Logger.Level?
    package var places: Places = .all

    /// Where an event is recorded. Both, but for one that repeats.
    package enum Places: Sendable {
        case all
        /// The audit log has a row of it already.
        case log
        /// The log says it with another event.
        case auditLog
        /// The audit log, of what the log says, and counts, at another moment.
        case row
    }

    /// - Parameters:
    ///   - further: fields of the line that no row has.
    ///   - level: for a line whose level is not that of its kind.
    package init(
        _ kind: EventKind, by actor: AuditActor = .program, account: String? = nil, client: String? = nil,
        session: String? = nil, flow: String? = nil, cause: String? = nil, detail: String? = nil,
        _ further: Logger.Metadata = [:], level: Logger.Level? = nil
    ) {
        (self.kind, self.actor, self.account, self.client) = (kind, actor, account, client)
        (self.session, self.flow, self.cause, self.detail) = (session, flow, cause, detail)
        (self.further, self.level) = (further, level)
    }

    /// The event for the log alone, or for the audit log alone.
    package func only(in place: Places) -> Event {
        var event = self
        event.places = place
        return event
    }

    /// Whether the audit log is to have a row of it.
    package var isForAuditLog: Bool { kind.hasRow && places != .log }

    /// The level of its line; nil for an event without one.
    package var lineLevel: Logger.Level? {
        guard places == .all || places == .log, let usual = kind.level else { return nil }
        return level ?? cause.flatMap { cause in kind.causes.first { $0.id == cause }?.level } ?? usual
    }

    /// The fields of its line.
    package var metadata: Logger.Metadata {
        // One table of the right size: each growth would be another one.
        var metadata = Logger.Metadata(minimumCapacity: further.count + kind.line.count)
        for (name, value) in further { metadata[name] = value }
        for field in kind.line {
            if let value = field.value(self) {
                metadata[field.name] = .string(value)
            } else if field.isAlwaysThere {
                metadata[field.name] = "-"
            }
        }
        return metadata
    }
}

/// Who did what an event records.
package enum AuditActor: Sendable, Equatable {
    /// The user of this account.
    case user(String)
    /// A request without an account.
    case visitor
    /// The client that signed the request.
    case client(String)
    /// A sign-in provider, by its id.
    case provider(String)
    /// A command: the system user that ran it, and `SUDO_USER` where there is one.
    case command(user: String, sudo: String?)
    /// A program by itself, or at a signal.
    case program

    /// The stored form: `user:ID`, `visitor`, `client:ID`, `provider:ID`, `command:root`, `command:root sudo:ann`, `idp`.
    package var text: String {
        switch self {
        case .user(let id): "user:\(id)"
        case .visitor: "visitor"
        case .client(let id): "client:\(id)"
        case .provider(let id): "provider:\(id)"
        case .program: "idp"
        case .command(let user, nil): "command:\(user)"
        case .command(let user, let sudo?): "command:\(user) sudo:\(sudo)"
        }
    }
}

/// An address that was typed, for the audit log: enough to find the rows of one that is known, and not the address.
package struct TypedAddress: Sendable {
    /// `a…@example.com`.
    package let masked: String
    package let mac: [UInt8]

    package init(masked: String, mac: [UInt8]) { (self.masked, self.mac) = (masked, mac) }

    /// What the log and `idp user show` call the address: `adr_` and the keyed hash.
    package var id: String { Self.id(mac) }

    package static func id(_ mac: [UInt8]) -> String { "adr_" + Base64URL.encode(mac) }
}
