package import IdPAuthorization
import IdPClients
package import IdPFlow
package import IdPSignOut
package import IdPSigningKeys
package import JWT
import SSOShared
package import SSOWeb

/// OpenID Connect: sign-in for clients that speak it, with the same flow as all others.
package struct OIDCFeature: Feature {
    let parts: SharedParts
    private let authorization: Authorization
    let oidc: OIDCParts
    package let keys: SigningKeys

    package init(_ parts: SharedParts, _ authorization: Authorization, keysFrom newKey: @escaping PrivateKeyMaker) {
        (self.parts, self.authorization) = (parts, authorization)
        keys = SigningKeys(
            SigningKeyBox(keys: parts.keys, randomness: parts.randomness), from: newKey, parts.audit.store,
            clock: parts.clock, logger: parts.logger)
        oidc = OIDCParts(parts, authorization.grants, keys: keys)
    }

    package var slots: [any SessionSlot.Type] { [LogoutQuestion.self] }

    private var hints: IDTokenHints { IDTokenHints(issuer: oidc.issuer, keys: keys) }

    package var purposes: [any FlowPurpose] {
        let form = FormPostPage(pages: parts.pages, logos: parts.logos)
        return [
            OIDCProtocol(
                authorizer: authorization.authorizer, page: authorization.completionPage, form: form,
                issuer: oidc.issuer, hints: hints, languages: parts.pages.languages)
        ]
    }

    package var signOuts: [any SignOutProtocol] { [OIDCSignOut(issuer: oidc.issuer, keys: keys)] }

    package var purges: [PurgeService.Purge] {
        [
            { [database = parts.database, clock = parts.clock] in
                try await OIDCTokens.purge(database, at: clock.now(), limit: $0)
            }
        ]
    }

    package var appPaths: [PathConfiguration.Rule] {
        [.paths([OIDCPath.authorize, OIDCPath.complete, OIDCPath.logout, OIDCPath.signOut], .webView)]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        let reach = max(methods.map(\.strength).max() ?? .any, completion.factors.isEmpty ? .any : .mfa)
        Discovery(
            issuer: oidc.issuer, keys: keys, clients: parts.clients, logger: parts.logger,
            strengths: Strength.allCases.filter { $0 <= reach }.map(\.rawValue), languages: parts.pages.languages
        ).addRoutes(to: &router)
        TokenRoutes(parts: oidc, references: MethodReferences(methods, completion.factors)).addRoutes(to: &router)
        UserInfoRoutes(parts: oidc).addRoutes(to: &router)
        TokenStateRoutes(parts: oidc).addRoutes(to: &router)
        LogoutRoutes(parts, hints: hints).addRoutes(to: &router)
        router.takesLocales(at: [OIDCPath.authorize, OIDCPath.logout])
    }
}
