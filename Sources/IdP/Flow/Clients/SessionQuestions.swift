package import IdPDirectory
package import SSOShared
package import SSOWeb
import Storage

/// Answers whether a session that a client was told goes on, and why not.
package struct SessionQuestions: Sendable {
    let sessions: Sessions
    let accounts: AccountStore

    package init(sessions: Sessions, accounts: AccountStore) {
        (self.sessions, self.accounts) = (sessions, accounts)
    }

    /// - Parameter kind: the protocol by which the client has redeemed its grant.
    package func answer(
        _ question: SessionQuestion, from asking: Client, kind: String
    ) async throws -> SessionAnswer {
        let (now, client) = (accounts.clock.now(), asking.id)
        return try await accounts.database.read { connection in
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
                return .active(
                    VerifyReply(
                        user: VerifiedUser(id: account.id, email: account.email, name: account.name, groups: groups),
                        clientID: client,
                        session: VerifiedSession(
                            id: told.toldSession, authenticatedAt: signIn.provenAt?.seconds,
                            methods: signIn.methods)))
            // The number of an account was raised by a process of the version before.
            case (.ended, _?): return .inactive(.signedOut, clientID: client)
            default: return .inactive(.expired, clientID: client)
            }
        }
    }
}
