import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The user commands beside a running IdP", .deployment)
struct UserCommandTests {
    @Test(
        "disable and sign-out apply from the next request, to sessions and tokens; enable lets the user sign in again")
    func changes() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            let (ann, bob) = (Browser(), Browser())
            _ = try await ann.signIn(at: pair.client, of: pair, as: "ann@example.com")
            _ = try await bob.signIn(at: pair.client, of: pair, as: "bob@example.com")
            let anns = try await ann.token(for: pair.client, of: pair)
            let bobs = try await bob.token(for: pair.client, of: pair)

            let disabled = try await pair.idp(["user", "disable", "Ann@Example.com"])
            #expect(disabled.printed.hasPrefix("Disabled ann@example.com (usr_"))
            let signedOut = try await pair.idp(["user", "sign-out", "bob@example.com"])
            #expect(signedOut.printed.hasPrefix("Signed out bob@example.com (usr_"))
            for (browser, token) in [(ann, anns), (bob, bobs)] {
                #expect(try await !browser.isSignedIn(at: pair))
                #expect(try await pair.verify(token, as: pair.client).status == 401)
            }
            let list = try await pair.idp(["user", "list"]).printed.split(separator: "\n").map(String.init)
            #expect(list.count == 3 && list[0].hasPrefix("ADDRESS "))
            #expect(list[1].contains("ann@example.com  disabled  usr_"))
            #expect(list[2].contains("bob@example.com  active    usr_"))

            #expect(try await pair.idp(["user", "enable", "ann@example.com"]).printed.hasPrefix("Enabled ann@"))
            #expect(try await !ann.isSignedIn(at: pair), "an ended session does not come back")
            #expect(try await pair.verify(anns, as: pair.client).status == 401)
        }
    }

    @Test("one account and all accounts as JSON")
    func json() async throws {
        try await ProcessDeployment.running(try ProcessDeployment()) { pair in
            #expect(try await pair.idp(["user", "list", "--json"]).printed == "[]\n")
            for name in ["ann", "bob"] {
                _ = try await Browser().signIn(at: pair.client, of: pair, as: "\(name)@example.com")
            }
            let list = try await pair.idp(["user", "list", "--json"]).printed
            let all = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
            #expect(all?.map { $0["address"] as? String } == ["ann@example.com", "bob@example.com"])
            let show = try await pair.idp(["user", "show", "--json", "bob@example.com"]).printed
            let bob = try JSONSerialization.jsonObject(with: Data(show.utf8)) as? [String: Any]
            let listed = [
                "added_at", "address", "created_at", "erase_at", "id", "language", "name", "state", "until",
            ]
            #expect(all?.last?.keys.sorted() == listed)
            #expect(listed.allSatisfy { "\(bob?[$0] ?? "-")" == "\(all?.last?[$0] ?? "-")" })
            #expect(bob?["state"] as? String == "active" && bob?["name"] as? String == "bob")
            let disabled = try await pair.idp(["user", "disable", "bob@example.com", "--json"]).printed
            #expect(disabled.contains(#""state":"disabled""#))
        }
    }

    @Test("the exit code is 1 without an account, 64 for wrong usage, 78 for a wrong setting, each with its reason")
    func exits() async throws {
        let pair = try ProcessDeployment()
        let missing = try await pair.idp(["user", "list"], endsWith: 1)
        #expect(missing.log.contains("there is no database at \(pair.databasePath)"))
        #expect(!FileManager.default.fileExists(atPath: pair.databasePath), "no database is created")
        try await ProcessDeployment.running(pair) { pair in
            for command in ["show", "disable", "enable", "sign-out"] {
                let unknown = try await pair.idp(["user", command, "nobody@example.com"], endsWith: 1)
                #expect(unknown.log.contains("no account with the address nobody@example.com"))
                let malformed = try await pair.idp(["user", command, "nobody"], endsWith: 64)
                #expect(malformed.log.contains("is not an email address"))
            }
            try await pair.idp(["user", "disable"], endsWith: 64)
            try await pair.idp(["user", "remove", "ann@example.com"], endsWith: 64)
            let setting = try await pair.idp(
                ["user", "list"], settings: ["IDP_DATABASE_URL": "postgres://x"], endsWith: 78)
            #expect(setting.log.contains("IDP_DATABASE_URL: "))
            // The command line comes first, as for every setting.
            let url = "sqlite:\(pair.databasePath)"
            try await pair.idp(
                ["user", "list", "--idp-database-url", url], settings: ["IDP_DATABASE_URL": "postgres://x"])
        }
    }
}
