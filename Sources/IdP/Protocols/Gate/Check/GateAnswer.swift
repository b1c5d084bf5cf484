import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPSignOut
import IdPSigningKeys
import SSOShared
import SSOWeb
import Storage

/// What becomes of a request that a proxy asks about.
enum GateAnswer: Sendable {
    case passes(Passed)
    /// No session, or a key that does not hold.
    case unknown
    /// The user may not enter the client, or the key is too weak for it.
    case noAccess
    case clientDropped
    /// The request was read by the keys of an entry that a command has changed meanwhile.
    case entryChanged

    /// A request that passes.
    struct Passed: Sendable {
        let identity: GateIdentity
        let signer: SigningKey
        let use: Use
    }

    /// What the use of it is noted at.
    enum Use: Sendable {
        case session(handle: String, seenAt: Timestamp)
        case key(id: String, usedAt: Timestamp?)
    }
}

/// Decides about requests at one moment: the session or key, the account, the strength and the access, in one reading.
struct GateDecision: Sendable {
    let grants: GrantStore
    let sessions: GateSessionStore
    let eligibility: SignInEligibility
    let keys: SigningKeys

    /// - Parameters:
    ///   - clients: those that are registered now.
    ///   - settings: the keys by which the request was read.
    func answer(
        _ credential: GateCredential, at id: String, of clients: ClientRegistry, read settings: GateSettings,
        now: Timestamp, _ connection: any SQLConnection
    ) throws -> GateAnswer {
        guard let client = clients.client(id: id), let gate = client.gate else {
            return .clientDropped
        }
        guard gate.reads(like: settings) else { return .entryChanged }
        switch credential {
        case .none, .unreadableKey: return .unknown
        case .session(let session):
            guard let found = try sessions.find(session, at: id, now: now, connection) else {
                // Who has lost access was signed out here with it, and is told so.
                let lost = try sessions.find(session, at: id, isLost: true, now: now, connection)
                let isRefused = try lost.map { try !client.access.admits(account: $0.account.id, connection) } ?? false
                return isRefused ? .noAccess : .unknown
            }
            guard found.strength >= grants.required(by: client) else { return .unknown }
            return try answer(
                client, found.account, session: found.toldSession,
                .session(handle: found.session, seenAt: found.seenAt), connection)
        case .key(let secret):
            guard gate.takesAppKeys, let key = try AppKeyStore.find(secret.digest, at: id, now: now, connection) else {
                return .unknown
            }
            return try answer(client, key, connection)
        }
    }

    private func answer(_ client: Client, _ key: AppKey, _ connection: any SQLConnection) throws -> GateAnswer {
        let use = GateAnswer.Use.key(id: key.id, usedAt: key.usedAt)
        guard let id = key.account else {
            let groups = key.groups.filter { client.exposedGroups?.contains($0) == true }
            return .passes(
                .init(
                    identity: GateIdentity(
                        client: client.id, user: "key:\(key.name)", email: "", name: key.name, groups: groups, id: "",
                        session: key.id),
                    signer: try keys.current(.es256, connection), use: use))
        }
        guard let account = try AccountStore.find(id, connection), eligibility.maySignIn(account) else {
            return .unknown
        }
        guard key.strength >= grants.required(by: client) else { return .noAccess }
        return try answer(client, account, session: key.id, use, connection)
    }

    private func answer(
        _ client: Client, _ account: Account, session: String, _ use: GateAnswer.Use, _ connection: any SQLConnection
    ) throws -> GateAnswer {
        guard try client.access.admits(account: account.id, connection) else { return .noAccess }
        return .passes(
            .init(
                identity: GateIdentity(
                    client: client.id, user: account.username ?? "", email: account.email, name: account.name,
                    groups: try client.groupsTold(of: account.id, connection) ?? [], id: account.id, session: session),
                signer: try keys.current(.es256, connection), use: use))
    }
}
