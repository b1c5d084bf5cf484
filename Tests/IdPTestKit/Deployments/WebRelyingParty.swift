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
    /// How many rows a table of the IdP has.
    func rows(of table: String, where condition: String = "1 = 1") async throws -> Int {
        try await database.read { connection in
            Int(try connection.query("SELECT COUNT(*) AS n FROM \(table) WHERE \(condition)")[0].integer("n"))
        }
    }

    /// Changes the IdP's database directly.
    func execute(_ sql: String) async throws {
        try await database.write { connection in
            try connection.execute(sql)
            return
        }
    }
}
