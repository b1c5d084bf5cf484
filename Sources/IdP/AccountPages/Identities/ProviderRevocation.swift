import IdPDirectory
package import IdPProviders
import Logging
package import SSOShared
import SSOWeb

/// Tells a provider that the user does not use it here any more.
package protocol ProviderRevocation: Sendable {
    func revoke(_ provider: Provider, refreshToken: String) async throws(ProviderError)
}

extension ProviderClient: ProviderRevocation {}

/// Revokes the token of an identity that was removed (Apple, "Revoke tokens"). The identity is gone already, so a failure is
/// only logged.
package struct IdentityRevocation: Sendable {
    /// The user waits for it.
    static let limit: Duration = .seconds(5)

    let providers: ProviderRegistry
    let refreshTokens: SealedBox
    let revocation: any ProviderRevocation

    package init(providers: ProviderRegistry, refreshTokens: SealedBox, revocation: any ProviderRevocation) {
        (self.providers, self.refreshTokens, self.revocation) = (providers, refreshTokens, revocation)
    }

    func revoke(_ identity: AccountIdentity, _ logger: Logger) async {
        guard let sealed = identity.sealedRefreshToken, let issuer = identity.issuer else { return }
        var reason: String? = "provider_unknown"
        if let provider = providers.provider(issuer: issuer) {
            // Without a token its key was removed from IDP_SECRET_KEY.
            reason = "token_unreadable"
            if let token = refreshTokens.open(sealed) {
                reason = await call(provider, String(decoding: token, as: UTF8.self))
            }
        }
        guard let reason else { return }
        logger.warning(
            "provider_revocation_failed",
            metadata: ["provider": "\(identity.provider ?? "-")", "reason": "\(reason)"])
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
