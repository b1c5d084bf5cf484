package import Hummingbird
package import IdPClients
package import IdPFlow
package import IdPMail
package import IdPProviders
package import Logging
import SSOShared
package import SSOWeb
package import Storage

/// The user's own pages: who is signed in where and how, changes to that with their emails, and the sign-out.
package struct AccountPagesFeature: Feature {
    /// Takes the browser to a provider, which is to be added to the account of this id.
    package typealias BeginAddition =
        @Sendable (Provider, String, Session, VisitorContext, SignInCompletion) async throws -> Response

    private let parts: SharedParts
    private let providers: ProviderRegistry
    private let notices: AccountNotices
    private let events: [EventKind]
    private let passkeys: Identities.PasskeySignal?
    private let revocation: IdentityRevocation
    private let own: OwnAccountSection
    private let beginAddition: BeginAddition

    package init(
        _ parts: SharedParts, providers: ProviderRegistry, notices: AccountNotices, revocation: IdentityRevocation,
        events: [EventKind], passkeys: Identities.PasskeySignal?, own: OwnAccountSection,
        beginAddition: @escaping BeginAddition
    ) {
        (self.parts, self.providers, self.notices, self.revocation) = (parts, providers, notices, revocation)
        (self.events, self.passkeys) = (events, passkeys)
        (self.own, self.beginAddition) = (own, beginAddition)
    }

    package var purposes: [any FlowPurpose] {
        [SessionsPurpose(sessions: parts.sessions)]
    }

    package var slots: [any SessionSlot.Type] { [SessionsNotice.self] }

    package var changes: [any WaitingChange] {
        [
            ProviderLink(providers: providers, begin: beginAddition),
            ProviderUnlink(identities: identities, accessTokens: parts.accessTokens, revocation: revocation),
            SessionEnd(devices: parts.appDevices, clock: parts.clock),
            OtherSessionsEnd(accounts: parts.accounts, tokens: parts.accessTokens, clock: parts.clock),
        ]
    }

    package var mail: [any MailTemplate] {
        [AccountNoticeMail(database: parts.database, pages: parts.pages, issuer: parts.origin, logger: parts.logger)]
    }

    package var purges: [PurgeService.Purge] { [notices.purge, revocation.settle] }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        HomeRoutes(
            sessions: parts.sessions, accounts: parts.accounts, pages: parts.pages, identities: identities,
            clients: signedInClients, userSessions: userSessions, activity: activity, own: own
        ).addRoutes(to: &router)
        SessionListRoutes(parts: parts, list: userSessions).addRoutes(to: &router)
        ActivityRoutes(accounts: parts.accounts, activity: activity, pages: parts.pages).addRoutes(to: &router)
        AppDeviceRoutes(accounts: parts.accounts, sessions: parts.sessions, devices: parts.appDevices)
            .addRoutes(to: &router)
        SignOutRoutes(
            sessions: parts.sessions, accounts: parts.accounts, devices: parts.appDevices, clients: signedInClients,
            pages: parts.pages,
            list: SealedBox(keys: parts.keys, label: SignOutRoutes.label, randomness: parts.randomness)
        ).addRoutes(to: &router)
    }

    private var signedInClients: SignedInClients { SignedInClients(clients: parts.clients, logos: parts.logos) }
    private var activity: UserActivity {
        UserActivity(
            audit: parts.audit.store, clients: parts.clients, providers: providers,
            words: UserActivity.words(of: events))
    }

    private var userSessions: UserSessions {
        UserSessions(
            sessions: parts.sessions, accounts: parts.accounts, devices: parts.appDevices, clients: signedInClients)
    }

    private var identities: Identities {
        Identities(
            accounts: parts.accounts, providers: providers, passkeys: passkeys,
            brandLogo: { [assets = parts.assets] in assets.path(of: "provider-\($0.rawValue).svg") })
    }
}

extension AccountNotices {
    /// For a command: what it changes has to do with no provider.
    package init(ofCommandOn database: any Database, clock: ServiceClock = .system(), logger: Logger) {
        self.init(
            mail: MailQueue(database: database, clock: clock, capacity: MailCapacity(limit: 1)),
            providers: ProviderRegistry(.none, logger: logger), clock: clock, randomness: SystemRandomness())
    }

    package init(_ parts: SharedParts, providers: ProviderRegistry) {
        self.init(
            mail: parts.mail, providers: providers, clock: parts.clock, randomness: parts.randomness)
    }
}
