import IdPAccountPages
import IdPAccounts
import IdPAdmin
import IdPApps
import IdPAuthorization
package import IdPClients
import IdPDevPages
package import IdPFlow
import IdPGate
import IdPMail
import IdPOIDC
import IdPOperations
import IdPPasskeys
import IdPProviderSignIn
import IdPProviders
import IdPSSO
import IdPSignIn
import IdPSignOut
import IdPSigningKeys
import SSOShared
package import SSOWeb
import ThisBuild

/// What the identity provider consists of: the one list of its features.
struct IdPFeatures: Sendable {
    let parts: SharedParts
    let providers: ProviderRegistry
    let association: AssociationFiles
    /// In this order the sign-in page offers their methods.
    let all: [any Feature]
    let completion: SignInCompletion
    /// Sends the messages of all protocols to clients.
    let signOuts: SignOutSender
    let signingKeys: SigningKeys
    let adminNotices: AdminNotices

    /// - Parameter added: features beside the built-in ones, for tests.
    /// - Throws: if a template is malformed, or libcurl cannot be used.
    init(_ values: SettingValues, _ services: IdPServices, adding added: AddedFeatures) throws {
        let parts = try SharedParts(values, services, adding: added)
        let registry = ProviderRegistry(try values[IdPSettings.providers], logger: parts.logger)
        association = try AssociationFiles(values, logger: parts.logger)

        let client = try ProviderClient(clock: parts.clock, logger: parts.logger)
        let notices = AccountNotices(parts, providers: registry)
        let identities = AppIdentityStore(parts)
        let authorization = try Authorization(parts, values)
        let sso = SSOFeature(parts, authorization)
        let oidc = OIDCFeature(parts, authorization, keysFrom: services.newKey)
        let apps = try values[NativeApps.setting]
        let provider = ProviderFeature(
            parts, providers: registry, client: client, changes: notices, hasApps: !apps.all.isEmpty,
            additionOfApp: { AppIdentityAttempts(identities, apps, parts, signIn: $0) })
        let email = try EmailFeature(parts, values, providers: registry)
        let passkeys = try PasskeyFeature(parts, values, changes: notices, hasApps: !apps.all.isEmpty)
        let own = try OwnAccountFeature(parts, values, export: { try await UserExport.text(of: $0, parts) })
        let admin = try AdminFeature(
            parts, values, sender: InvitationQueue(parts.mail), changes: notices,
            facts: AdminFacts(
                events: IdPEvents.all, version: ThisBuild.stamp.text,
                testMail: try MailServerCheck(values, services.mailer), values))
        let features: [any Feature] =
            [
                FlowFeature(parts), AuthorizationFeature(parts), email, passkeys,
                InvitationFeature(parts, authorization.completionPage, submitAddress: email.submitAddress),
                provider,
                try AppsFeature(
                    parts, values, providers: registry, changes: notices, identities: identities,
                    beginAddition: provider.beginAppIdentity),
                sso, oidc, try GateFeature(parts, authorization, values, keys: oidc.keys),
                AccountPagesFeature(
                    parts, providers: registry, notices: notices, revocation: .init(parts, registry, client),
                    events: IdPEvents.all, passkeys: passkeys.signal, own: own.section,
                    beginAddition: provider.beginLink),
                own,
                admin,
                AssociationRoutes(files: association),
                try DevPagesFeature(
                    parts, values, services.devPages,
                    outbox: try IdPSettings.showsMailbox(values) ? services.mailer as? OutboxMailer : nil,
                    association: association),
                try WebFingerFeature(values),
            ] + (try added.features(parts, values))

        completion = SignInCompletion(parts, features, first: sso.asking, providers: registry, changes: notices)
        signOuts = SignOutSender(
            parts.signOuts.queue, parts.audit.store, protocols: features.flatMap(\.signOuts), clients: parts.clients,
            transport: try HTTPClient.forSignOuts(), logger: parts.logger)
        (self.parts, providers, all, signingKeys) = (parts, registry, features, oidc.keys)
        adminNotices = admin.notices
    }

    /// Every route of the program, each declared by its feature.
    var router: FeatureRouter {
        let methods = all.flatMap { $0.methods(completion) }
        var router = FeatureRouter(parts.sessions, auditing: parts.auditing)
        for feature in all {
            feature.addRoutes(to: &router, completion, methods)
            for asking in feature.purposes.compactMap({ $0 as? any ClientProtocol }) {
                asking.addAllRoutes(to: &router)
            }
            for factor in feature.factors { factor.addRoutes(to: &router, completion) }
        }
        for method in methods { method.addRoutes(to: &router) }
        Changes(
            all.flatMap(\.changes), completion, flowLimit: parts.flowLimit, randomness: parts.randomness,
            pages: parts.pages
        ).addRoutes(to: &router)
        NativeRoutes(pages: parts.pages, paths: paths).addRoutes(to: &router)
        return router
    }

    /// How an app opens the paths of all features.
    var paths: PathConfiguration {
        PathConfiguration(all.flatMap(\.appPaths) + [.paths([NativePath.resetApp], .reset)])
    }
}

extension ClientProtocols {
    /// The client protocols of the program: one line for each. The first is that of a client whose entry names none.
    package static let builtIn = ClientProtocols([SSOSettings.self, OIDCSettings.self, GateSettings.self])
}

/// Features beside the built-in ones. Tests use it to prove that a new one works with all others.
package struct AddedFeatures: Sendable {
    package typealias Make = @Sendable (SharedParts, SettingValues) throws -> [any Feature]

    /// The pages that they bring.
    let files: [PageFiles]
    let settings: [any ReadableSetting]
    /// The keys of the client protocols that they bring.
    let protocols: [any ClientProtocolSettings.Type]
    let features: Make

    package init(
        files: [PageFiles] = [], settings: [any ReadableSetting] = [],
        protocols: [any ClientProtocolSettings.Type] = [], _ features: @escaping Make = { _, _ in [] }
    ) {
        (self.files, self.settings, self.protocols, self.features) = (files, settings, protocols, features)
    }
}

extension SharedParts {
    fileprivate init(_ values: SettingValues, _ services: IdPServices, adding added: AddedFeatures) throws {
        let (common, brand) = (services.common, try Brand(values))
        let assets = IdPPages.assets(brand)
        let clients = ClientDirectory(
            try values[IdPSettings.clients],
            stored: StoredClients(
                database: common.database, keys: try values[FlowSettings.secretKey], randomness: common.randomness,
                clock: common.clock),
            logger: common.logger,
            unknown: UnknownNames(try values[FlowSettings.trustedProxies], clock: common.clock),
            interval: services.clientRenewalInterval)
        try self.init(
            values, common, clients: clients,
            pages: try common.pages
                ?? IdPPages.pages(
                    brand, assets: assets, adding: added.files, languages: values[IdPLanguages.setting] ?? .empty),
            assets: assets, hasMail: try values[IdPSettings.mail].isOn)
    }
}

extension SignInCompletion {
    /// - Parameter first: the purpose of a flow that names none.
    fileprivate init(
        _ parts: SharedParts, _ features: [any Feature], first: any FlowPurpose, providers: ProviderRegistry,
        changes: any AccountChangeReporter
    ) {
        self.init(
            parts, slots: features.flatMap(\.slots),
            purposes: FlowPurposes(
                first: first,
                features.flatMap(\.purposes) + [ChangePurpose(features.flatMap(\.changes), parts.sessions)],
                flowClients: parts.flowClients),
            factors: features.flatMap(\.factors), hasProvider: { providers.has(id: $0, issuer: $1) }, changes: changes)
        offers = features.flatMap(\.offers)
    }
}

extension IdentityRevocation {
    fileprivate init(_ parts: SharedParts, _ providers: ProviderRegistry, _ revocation: ProviderClient) {
        self.init(
            database: parts.database, clock: parts.clock, providers: providers,
            refreshTokens: ProviderFeature.refreshTokens(parts), revocation: revocation, logger: parts.logger)
    }
}
