import SSOWeb
import Synchronization

@testable import IdPServer
@testable import RelyingParty

/// The built-in pages of both programs, parsed once per test run: parsing them for every deployment took a third of the
/// processor time of the tests in memory.
enum BuiltInPages {
    private static let parsed = Mutex<[String: Pages]>([:])

    /// The IdP's pages; nil for a brand of its own, whose pages the program makes itself.
    static func idp(_ brand: Brand) throws -> Pages? {
        guard brand.logo == nil, brand.accent == nil, brand.supportURL == nil, brand.privacyURL == nil else {
            return nil
        }
        return try cached("idp \(brand.name)") { try IdPPages.pages(brand, assets: IdPPages.assets(brand)) }
    }

    /// Nil also for pages with languages of their own.
    static func idp(_ settings: SettingValues) throws -> Pages? {
        try settings[IdPLanguages.setting] == nil ? idp(Brand(settings)) : nil
    }

    static func relyingParty(_ settings: SettingValues) throws -> Pages {
        let names = (try settings[RelyingPartySettings.name], try settings[RelyingPartySettings.idpName])
        return try cached("rp \(names.0) \(names.1)") { try RelyingPartyPages.pages(settings) }
    }

    private static func cached(_ key: String, _ make: () throws -> Pages) throws -> Pages {
        try parsed.withLock { parsed in
            if let pages = parsed[key] { return pages }
            let pages = try make()
            parsed[key] = pages
            return pages
        }
    }
}
