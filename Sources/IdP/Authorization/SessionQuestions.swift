package import IdPAccounts
package import IdPClients
import IdPSignOut
package import Logging
package import SSOShared
package import SSOWeb
import Storage

/// Answers whether a session that a client was told goes on, and why not.
package struct SessionQuestions: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let clients: ClientDirectory

    package init(sessions: Sessions, accounts: AccountStore, clients: ClientDirectory) {
        (self.sessions, self.accounts, self.clients) = (sessions, accounts, clients)
    }

    /// - Parameters:
    ///   - kind: the protocol by which the client has redeemed its grant.
    ///   - isAllowed: whether the client that is registered now is the one that has proven itself with this request.
    /// - Returns: nil if it is not: it, or what it has proven itself with, was dropped since the request was checked.
    package func answer(
        _ question: SessionQuestion, from client: String, kind: String,
        whereStill isAllowed: @escaping @Sendable (Client) -> Bool
    ) async throws -> SessionAnswer? {
        let now = accounts.clock.now()
        return try await clients.read(accounts.database) { [clients] connection in
            guard let asking = try clients.registered(connection).client(id: client), isAllowed(asking) else {
                return nil
            }
            let told = try accounts.signOuts.signIns.told(
                session: question.session, client: client, account: question.user, kind: kind, connection)
            // All of it is read for every question, so that each answer takes as long.
            let entry = try sessions.store.entry(told?.session ?? question.session, connection)
            let signIn = entry?.slots[CurrentSignIn.self].signIn
            let verdict = try accounts.eligibility.signIn.verdict(
                question.user, signOuts: signIn?.accountSignOuts ?? 0, connection)
            let mayEnter = try asking.access.admits(account: question.user, connection)
            let groups = try asking.groupsTold(of: question.user, connection)
            guard let told else { return .inactive(.unknown, clientID: client) }
            if let endedAt = told.endedAt {
                let isKept = now - endedAt < ClientSignIns.kept
                return .inactive(isKept ? told.reason ?? .signedOut : .unknown, clientID: client)
            }
            switch (verdict, signIn) {
            case (.mayNotSignIn, _): return .inactive(.accountEnded, clientID: client)
            case (.holds(let account), let signIn?) where signIn.accountID == account.id:
                guard mayEnter else { return .inactive(.noAccess, clientID: client) }
                return .active(Self.reply(account, groups, signIn, told, to: client))
            // The account was signed out everywhere meanwhile.
            case (.ended, _?): return .inactive(.signedOut, clientID: client)
            default: return .inactive(.expired, clientID: client)
            }
        }
    }

    /// What verify would say now.
    private static func reply(
        _ account: Account, _ groups: [String]?, _ signIn: CurrentSignIn.SignIn, _ told: ClientSignIn,
        to client: String
    ) -> VerifyReply {
        VerifyReply(
            user: VerifiedUser(id: account.id, email: account.email, name: account.name, groups: groups),
            clientID: client,
            session: VerifiedSession(
                id: told.toldSession, authenticatedAt: signIn.provenAt?.seconds, methods: signIn.proofs.methods,
                acr: signIn.proofs.strength.rawValue))
    }

    /// Notes the use of a secret: a client that only asks about sessions uses it, too. The answer does not wait for it.
    package func note(_ use: SecretName, _ logger: Logger) {
        clients.uses.note(use, at: accounts.clock.now(), in: accounts.database) {
            logger.record(Event(.secretUseNotNoted, client: use.client, cause: "\($0)"))
        }
    }
}
