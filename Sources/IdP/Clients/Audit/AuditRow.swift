package import Logging
package import SSOShared
package import SSOWeb

/// One row of the audit log: what happened, and who did it.
///
/// Holds no secret, no full address of the network and no typed email address: see ``TypedAddress``.
package struct AuditRow: Sendable {
    package let event: AuditEvent
    package var actor: AuditActor
    /// The id of the account that it is about.
    package var account: String?
    package var client: String?
    /// The handle of the session.
    package var session: String?
    /// The flow as the log calls it.
    package var flow: String?
    /// Why: a stable word, as the log has it in `cause` or `reason`.
    package var cause: String?
    /// More about it: sign-in methods, a provider's id, a file.
    package var detail: String?
    package var address: TypedAddress?
    /// The request, as on error pages and in the log.
    package var reference: String?
    /// `203.0.113.0/24` or `2001:db8::/48`.
    package var network: String?

    package init(
        _ event: AuditEvent, by actor: AuditActor, account: String? = nil, client: String? = nil,
        session: String? = nil, flow: String? = nil, cause: String? = nil, detail: String? = nil
    ) {
        (self.event, self.actor, self.account, self.client) = (event, actor, account, client)
        (self.session, self.flow, self.cause, self.detail) = (session, flow, cause, detail)
    }
}

/// Who did what a row records.
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
    let mac: [UInt8]

    /// What the log and `idp user show` call the address: `adr_` and the keyed hash.
    package var id: String { Self.id(mac) }

    static func id(_ mac: [UInt8]) -> String { "adr_" + Base64URL.encode(mac) }
}

/// Makes the keyed hashes of addresses (`IDP_SECRET_KEY`). Without the key nobody can try a list of addresses on the rows.
package struct AuditAddressKeys: Sendable {
    private let keys: [[UInt8]]

    package init(_ keys: DerivedKeys) { self.keys = keys.derive("audit-address") }

    package func typed(_ address: EmailAddress) -> TypedAddress {
        TypedAddress(masked: address.masked, mac: macs(of: address).first ?? [])
    }

    /// What the log calls the address: one name for each key, the present one first.
    package func ids(of address: EmailAddress) -> [String] { macs(of: address).map(TypedAddress.id) }

    /// The hashes that rows about this address have: one for each key.
    package func macs(of address: EmailAddress) -> [[UInt8]] {
        keys.map { Array(HMACSHA256.code(for: Array(address.text.utf8), key: $0).prefix(16)) }
    }
}

extension IPAddress {
    /// The network for the audit log: the /24 of an IPv4 address, the /48 of an IPv6 one. Neither names one household.
    package var auditNetwork: String {
        let kept = siteKey.map { $0 + [UInt8](repeating: 0, count: 10) } ?? Array(networkKey.prefix(3)) + [0]
        return "\(IPAddress(bytes: kept))/\(siteKey == nil ? 24 : 48)"
    }
}

extension Logger {
    /// The same logger, whose lines name an address and its account and nobody else: in the session of one user an address of
    /// another one may be typed.
    package func about(_ address: TypedAddress?, account: String?) -> Logger {
        var logger = self
        logger[metadataKey: "account"] = account.map { "\($0)" }
        logger[metadataKey: "address"] = address.map { "\($0.masked)" }
        logger[metadataKey: "address_id"] = address.map { "\($0.id)" }
        return logger
    }
}
