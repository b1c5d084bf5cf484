import Testing

@testable import IdPDirectory
@testable import IdPTestKit
@testable import TestKit

@Suite("A client's keys about access and signing out")
struct ClientRulesTests {
    private static let fiftyOne = (0...50).map { "g\($0)" }.joined(separator: ", ")

    private func read(_ keys: String) throws -> ClientsFixture {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        return try ClientsFixture(
            """
            clients:
              - id: partner
                name: P
                secrets: [\(SettingsFixture.otherSecret)]
                redirect_uris: [https://rp.example/cb]
            \(lines)
            """, in: TemporaryFolder())
    }

    @Test("an entry without them says nothing about access, tells no group, and is in the list of services")
    func without() throws {
        let client = try #require(read("").clients.first)
        #expect(client.access == .unstated)
        #expect(client.exposedGroups == nil && client.contact == nil && client.logoutURI == nil)
        #expect(!client.isHidden && client.signOutURIs.isEmpty)
    }

    @Test("each is read as it is written")
    func all() throws {
        let file = try read(
            """
            groups: [finance, board]
            expose_groups: [finance]
            contact: mailto:desk@example.com
            hidden: true
            logout_uri: https://rp.example/auth/sso/logout?tenant=7
            sign_out_uris: [https://rp.example/bye, https://rp.example/gone]
            """)
        #expect(file.problems.isEmpty, "\(file.problems)")
        let client = try #require(file.clients.first)
        #expect(client.access == .groups(["finance", "board"]))
        #expect(client.exposedGroups == ["finance"])
        #expect(client.contact == "mailto:desk@example.com")
        #expect(client.isHidden)
        #expect(client.logoutURI == "https://rp.example/auth/sso/logout?tenant=7")
        #expect(client.signOutURIs == ["https://rp.example/bye", "https://rp.example/gone"])
        #expect(try read("access: everyone").clients.first?.access == .everyone)
    }

    @Test(
        "anything else is refused, with the place, the client and the key",
        arguments: [
            ("access: nobody", "access", "must be everyone"), ("access: everyone\ngroups: [a]", "access", "not both"),
            ("groups: []", "groups", "at least one"), ("groups: [Finance]", "groups", "the id of a group"),
            ("groups: [a, a]", "groups", "appears twice"),
            ("expose_groups: [a b]", "expose_groups", "the id of a group"),
            ("expose_groups: [\(Self.fiftyOne)]", "expose_groups", "At most 50"),
            ("contact: desk@example.com", "contact", "https or mailto"),
            ("contact: javascript:alert(1)", "contact", "https or mailto"),
            ("contact: http://example.com", "contact", "https or mailto"),
            ("hidden: maybe", "hidden", "true or false"), ("logout_uri: http://rp.example/x", "logout_uri", "https"),
            ("logout_uri: \"https://rp.example/x#y\"", "logout_uri", "fragment"),
            ("logout_uri: https://ann@rp.example/x", "logout_uri", "user name"),
            ("logout_uri: com.example.app:/x", "logout_uri", "must be https"),
            ("sign_out_uris: [com.example.app:/x]", "sign_out_uris", "must be https"),
            ("sign_out_uris: [\"http://127.0.0.1:8081/bye\"]", "sign_out_uris", "must be https"),
            ("sign_out_uris: [\"https://rp.example/bye?state=1\"]", "sign_out_uris", "state"),
            ("sign_out_uris: [https://rp.example/bye, https://rp.example/bye]", "sign_out_uris", "appears twice"),
        ])
    func refused(keys: String, key: String, words: String) throws {
        let file = try read(keys)
        #expect(file.problems.count == 1, "\(file.problems)")
        let problem = try #require(file.problems.first)
        #expect(problem.contains("\(file.path):") && problem.contains(key), "\(problem)")
        #expect(problem.contains(words), "\(problem)")
        #expect(file.clients.isEmpty)
    }
}
