import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import TestKit

/// A client with an https address of its own, registered beside the deployment's: `TestDeployment.open(settings: WebRelyingParty.settings)`.
/// Nothing listens there, and no test connects: only the redirect target of the IdP matters.
enum WebRelyingParty {
    static let id = "web"
    static let name = "Web partner"
    static let redirectURI = "https://rp.example/cb"
    /// Registered as well: its query is kept. The K has a second spelling, U+212A, which `String` treats as equal.
    static let secondURI = "https://rp.example/Kiosk?id=7"
    static let secret = "web-partner-secret-0123456789abcdef"

    static let settings = [
        "SSO_CLIENT_ID": id, "SSO_CLIENT_NAME": name, "SSO_REDIRECT_URIS": "\(redirectURI) \(secondURI)",
        "SSO_SHARED_SECRET": secret,
    ]

    /// The authorize address with these fields in place of the correct ones. An empty text removes a field.
    static func authorize(
        at origin: String, redirect: String = redirectURI, state: String = "s", adding rest: [(String, String)] = []
    ) -> String {
        let fields = [("client_id", id), ("redirect_uri", redirect), ("state", state)] + rest
        return "\(origin)\(SSOPath.authorize)?\(FormCoding.encode(fields.filter { !$0.1.isEmpty }))"
    }
}

extension TestDeployment {
    /// The rows of the IdP, by their owner.
    var stored: StoredRows { database.stored }

    /// How many rows a table of the IdP has.
    func rows(of table: String) async throws -> Int { try await stored.count(of: table) }
}
