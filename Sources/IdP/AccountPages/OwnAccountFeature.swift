import Hummingbird
import IdPAccounts
package import IdPFlow
package import IdPMail
import SSOShared
package import SSOWeb
import Storage

/// What users do with their account by their own hands: another address, a picture, a file of what is stored
/// of them, and its end.
package struct OwnAccountFeature: Feature {
    /// The file about the account of this id, as text.
    package typealias Export = @Sendable (_ accountID: String) async throws -> String

    package static let isErasable = Setting(
        "IDP_SELF_ERASE", default: false, example: "true",
        "Whether users can delete their own account: it is disabled at once and erased after seven days, as by idp user erase."
    )
    package static let settings: [any ReadableSetting] = [isErasable]

    private let parts: SharedParts
    private let export: Export
    private let erasable: Bool
    private let keys: AddressKeys

    package init(_ parts: SharedParts, _ values: SettingValues, export: @escaping Export) throws(SettingError) {
        (self.parts, self.export, erasable) = (parts, export, try values[Self.isErasable])
        keys = AddressKeys(parts.keys)
    }

    private var news: OwnAccountNews { OwnAccountNews(parts: parts) }

    package var changes: [any WaitingChange] {
        let address: [any WaitingChange] = parts.hasMail ? [AddressAsk(parts: parts)] : []
        let erasure: [any WaitingChange] = erasable ? [OwnErasure(parts: parts, news: news)] : []
        return address + [OwnData(export: export, database: parts.database, flowLimit: parts.flowLimit)] + erasure
    }

    package var mail: [any MailTemplate] {
        [
            OwnAccountMail(
                database: parts.database, clock: parts.clock, keys: keys, pages: parts.pages, issuer: parts.origin)
        ]
    }

    package var purges: [PurgeService.Purge] {
        [
            { [database = parts.database, clock = parts.clock] limit in
                let now = clock.now()
                return try await database.write { try AddressChangeStore.purge(limit: limit, at: now, $0) }
            }
        ]
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        if parts.hasMail {
            AddressRoutes(parts: parts, keys: keys, mail: news).addRoutes(to: &router)
            AddressStopRoutes(parts: parts, keys: keys, mail: news).addRoutes(to: &router)
        }
        PictureRoutes(parts: parts).addRoutes(to: &router)
        if erasable { OwnErasureRoutes(parts: parts).addRoutes(to: &router) }
    }

    /// What the home page has of it.
    package var section: OwnAccountSection {
        OwnAccountSection(canChangeAddress: parts.hasMail, canErase: erasable)
    }
}
