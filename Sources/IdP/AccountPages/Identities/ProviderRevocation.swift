import IdPAccounts
package import IdPProviders
package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// Tells a provider that the user does not use it here any more.
package protocol ProviderRevocation: Sendable {
    func revoke(_ provider: Provider, refreshToken: String) async throws(ProviderError)
}

extension ProviderClient: ProviderRevocation {}

/// Revokes the tokens of identities that were removed (Apple, "Revoke tokens"): by their user, with an account that was erased,
/// or by the first proof of the account's address. The identity is gone already, so a failure is logged, and tried again for a
/// day.
package struct IdentityRevocation: Sendable {
    /// A user may wait for it.
    static let limit: Duration = .seconds(5)
    /// Of one provider in one transaction: each may take ``limit``.
    private static let batch = 10

    let database: any Database
    let clock: ServiceClock
    let providers: ProviderRegistry
    let refreshTokens: SealedBox
    let revocation: any ProviderRevocation
    let logger: Logger

    package init(
        database: any Database, clock: ServiceClock, providers: ProviderRegistry, refreshTokens: SealedBox,
        revocation: any ProviderRevocation, logger: Logger
    ) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
        (self.providers, self.refreshTokens, self.revocation) = (providers, refreshTokens, revocation)
    }

    /// Tries what is due.
    ///
    /// - Parameter limit: of each provider.
    /// - Returns: how many are settled.
    package func settle(limit: Int) async throws -> Int {
        let now = clock.now()
        let due = try await database.write {
            try TokenRevocations.take(at: now, limit: min(limit, Self.batch), $0)
        }
        // A provider that never answers delays no other one.
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for ofOne in Dictionary(grouping: due, by: \.issuer).values {
                group.addTask { try await settle(ofOne) }
            }
            return try await group.reduce(0, +)
        }
    }

    private func settle(_ due: [TokenRevocations.Waiting]) async throws -> Int {
        var settled = 0
        for revocation in due where await isSettled(revocation) {
            try await database.write { try TokenRevocations.remove(revocation, $0) }
            settled += 1
        }
        return settled
    }

    private func isSettled(_ waiting: TokenRevocations.Waiting) async -> Bool {
        var (reason, isFinal): (String?, Bool) = ("provider_unknown", true)
        if let provider = providers.provider(issuer: waiting.issuer) {
            // Without a token its key was removed from IDP_SECRET_KEY.
            reason = "token_unreadable"
            if let token = refreshTokens.open(waiting.sealedToken) {
                (reason, isFinal) = (await call(provider, String(decoding: token, as: UTF8.self)), waiting.isLast)
            }
        }
        guard let reason else { return true }
        logger.record(
            Event(
                .providerRevocationFailed, cause: reason, detail: waiting.provider.isEmpty ? "-" : waiting.provider,
                ["retries": isFinal ? "no" : "yes"]))
        return isFinal
    }

    /// - Returns: why it failed; nil for success.
    private func call(_ provider: Provider, _ token: String) async -> String? {
        do throws(ProviderError) {
            try await TimeLimit.run(Self.limit) { [revocation] () async throws(ProviderError) in
                try await revocation.revoke(provider, refreshToken: token)
            }
            return nil
        } catch {
            return error.reason
        }
    }
}
