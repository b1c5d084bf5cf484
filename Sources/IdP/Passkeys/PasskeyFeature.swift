import HTTPTypes
import Hummingbird
package import IdPAccounts
package import IdPFlow
import IdPSignIn
import SSOShared
package import SSOWeb
package import Storage

/// Passkeys: the sign-in method, and the pages on which users add, rename and remove them. And the printed link, by which a user
/// begins where there is no mail.
package struct PasskeyFeature: Feature {
    package static let settings = PasskeySettings.all

    private let parts: SharedParts
    private let changeReporter: any AccountChangeReporter
    private let hasApps: Bool
    private let isOffered: Bool
    /// Nil where browsers make no passkeys.
    private let ceremonies: PasskeyCeremonies?

    /// - Parameter hasApps: whether an app can come back from the system browser.
    package init(
        _ parts: SharedParts, _ values: SettingValues, changes: any AccountChangeReporter, hasApps: Bool
    ) throws(SettingError) {
        (self.parts, changeReporter, self.hasApps) = (parts, changes, hasApps)
        isOffered = try values[PasskeySettings.offer]
        ceremonies = try values[PasskeySettings.relyingPartyID].map { PasskeyCeremonies(relyingParty: $0, parts) }
    }

    /// What pages tell browsers of the passkeys of an account. Nil where browsers make no passkeys.
    package var signal: (@Sendable (Account, any SQLConnection) throws -> String)? {
        guard let ceremonies else { return nil }
        return { try ceremonies.accepted(of: $0, $1) }
    }

    package var slots: [any SessionSlot.Type] { [PasskeyChallenges.self] }

    package var purposes: [any FlowPurpose] {
        [PasskeyListPurpose(sessions: parts.sessions), PasskeyAddPurpose(sessions: parts.sessions)]
    }

    package var changes: [any WaitingChange] {
        guard let ceremonies else { return [] }
        return [
            PasskeyRename(clock: parts.clock, list: list(ceremonies)),
            PasskeyRemoval(accounts: parts.accounts, accessTokens: parts.accessTokens),
        ]
    }

    package var purges: [PurgeService.Purge] {
        [
            { [database = parts.database, clock = parts.clock] limit in
                let now = clock.now()
                return try await database.write { try PrintedLinkStore.purge(limit: limit, at: now, $0) }
            }
        ]
    }

    private func list(_ ceremonies: PasskeyCeremonies) -> PasskeyListRoutes {
        PasskeyListRoutes(ceremonies: ceremonies, parts: parts)
    }

    package var offers: [any SignInOffer] { isOffered && ceremonies != nil ? [offer] : [] }

    private var offer: PasskeyOffer { PasskeyOffer(accounts: parts.accounts, origin: parts.origin) }

    package func methods(_ completion: SignInCompletion) -> [any SignInMethod] {
        ceremonies.map { [PasskeyMethod(ceremonies: $0, hasApps: hasApps)] } ?? []
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        PrintedLinkRoutes(parts, completion, changes: changeReporter, hasPasskeys: ceremonies != nil)
            .addRoutes(to: &router)
        guard let ceremonies else { return }
        PasskeySignIn(
            ceremonies: ceremonies, completion: completion, page: SignInPage(parts, completion, methods),
            changes: changeReporter, newcomers: parts.limits.newcomers
        ).addRoutes(to: &router)
        let origin = parts.origin.text
        router.file(at: PasskeyPath.endpoints) { _, _ in
            .json(
                [.init("enroll", origin + PasskeyPath.add), .init("manage", origin + PasskeyPath.list)],
                headers: [.cacheControl: "public, max-age=300"])
        }
        list(ceremonies).addRoutes(to: &router)
        PasskeyAddRoutes(
            ceremonies: ceremonies, completion: completion, changes: changeReporter, pages: parts.pages, offer: offer
        ).addRoutes(to: &router)
    }
}
