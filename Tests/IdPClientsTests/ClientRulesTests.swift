import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPSSO
@testable import TestKit

@Suite("A client's keys about access and signing out", .rules)
struct ClientRulesTests {
    private static let fiftyOne = (0...50).map { "g\($0)" }.joined(separator: ", ")

    private func read(_ keys: String) throws -> ClientsFixture {
        let lines = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        return try ClientsFixture(
            """
            clients:
              - id: partner
                name: P
                secrets: [\(TestSecret.new())]
                redirect_uris: [https://rp.example/cb]
            \(lines)
            """, in: TemporaryFolder())
    }

    @Test("an entry without them says nothing about access, tells no group, and is in the list of services")
    func without() throws {
        let client = try #require(read("").clients.first)
        #expect(client.access == .unstated)
        #expect(client.exposedGroups == nil && client.contact == nil && client.sso?.logoutURI == nil)
        #expect(!client.isHidden && client.sso?.signOutURIs == [])
    }

    @Test(
        "an unseen character in the name of a key is named, at the start of the file and in an entry",
        arguments: [
            ("hidden\u{200b}: true", "The key has a zero-width space at position 7."),
            ("\u{a0}hidden: true", "The key has a no-break space at position 1."),
        ])
    func unseenInKey(line: String, words: String) throws {
        let problems = try read(line).problems
        #expect(problems.contains { $0.contains("unknown key") && $0.contains(words) }, "\(problems)")
        let file = try ClientsFixture("clients\u{2060}: []\n", in: TemporaryFolder()).problems
        #expect(file.contains { $0.contains("The key has a word joiner at position 8.") }, "\(file)")
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
        #expect(client.sso?.logoutURI == "https://rp.example/auth/sso/logout?tenant=7")
        #expect(client.sso?.signOutURIs == ["https://rp.example/bye", "https://rp.example/gone"])
        #expect(try read("access: everyone").clients.first?.access == .everyone)
    }

    @Test(
        "anything else is refused, with the place, the client and the key",
        arguments: [
            ("access: nobody", "access", "must be everyone"), ("access: everyone\ngroups: [a]", "access", "not both"),
            ("groups: []", "groups", "at least one"), ("groups:", "groups", "at least one"),
            ("access:", "access", "must not be empty"), ("access:\ngroups: []", "access", "must not be empty"),
            ("protocols: []", "protocols", "at least one"), ("contact: []", "contact", "must be text"),
            ("contact: \"\"", "contact", "must not be empty"), ("hidden:", "hidden", "must not be empty"),
            ("groups: [Finance]", "groups", "the id of a group"),
            ("groups: [a, a]", "groups", "appears twice"),
            ("expose_groups: [a b]", "expose_groups", "the id of a group"),
            ("expose_groups: [\(Self.fiftyOne)]", "expose_groups", "At most 50"),
            ("contact: desk@example.com", "contact", "https or mailto"),
            ("contact: javascript:alert(1)", "contact", "https or mailto"),
            ("contact: mailto:a@exümple.example", "contact", "Write mailto:a@xn--exmple-4ya.example"),
            ("contact: https://exümple.example/x", "contact", "Write its host as xn--exmple-4ya.example."),
            ("start_url: https://exümple.example/", "start_url", "Write its host as xn--exmple-4ya.example."),
            ("logout_uri: https://exümple.example/x", "logout_uri", "Write its host as xn--exmple-4ya.example."),
            (
                "sign_out_uris: [https://exümple.example/x]", "sign_out_uris",
                "Write its host as xn--exmple-4ya.example."
            ),
            ("contact: mailto:desk", "contact", "Write mailto:desk@example.com"),
            ("contact: http://example.com", "contact", "https or mailto"),
            ("hidden: maybe", "hidden", "true or false"), ("logout_uri: http://rp.example/x", "logout_uri", "https"),
            ("logout_uri: \"https://rp.example/x#y\"", "logout_uri", "fragment"),
            ("logout_uri: https://ann@rp.example/x", "logout_uri", "user name"),
            ("logout_uri: com.example.app:/x", "logout_uri", "must be https"),
            ("sign_out_uris: [com.example.app:/x]", "sign_out_uris", "must be https"),
            ("sign_out_uris: [\"http://127.0.0.1:8081/bye\"]", "sign_out_uris", "must be https"),
            ("sign_out_uris: [\"https://rp.example/bye?state=1\"]", "sign_out_uris", "has state in its query"),
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

    @Test(
        "an empty list, and a key without a value, are as no key where that has one meaning",
        arguments: ["[]", "", "~"])
    func empty(value: String) throws {
        let text = value == "[]" ? "" : value
        let file = try read(
            """
            access: everyone
            groups: \(value)
            expose_groups: \(value)
            contact: \(text)
            logo: \(text)
            start_url: \(text)
            logout_uri: \(text)
            sign_out_uris: \(value)
            protocols: [sso, oidc]
            post_logout_redirect_uris: \(value)
            backchannel_logout_uri: \(text)
            origins: \(value)
            """)
        #expect(file.problems.isEmpty && file.warnings.isEmpty, "\(file.problems) \(file.warnings)")
        let client = try #require(file.clients.first)
        #expect(client.access == .everyone && client.exposedGroups == nil && client.contact == nil)
        #expect(client.sso?.logoutURI == nil && client.sso?.signOutURIs == [] && client.startURL == nil)
        let oidc = try #require(client.oidc)
        #expect(oidc.postLogoutRedirectURIs.isEmpty && oidc.logoutURI == nil && oidc.origins.isEmpty)
    }

    @Test("a client with empty keys of a protocol that it does not use is refused, as with full ones")
    func emptyForeignKey() throws {
        let file = try read("origins: []")
        #expect(file.problems.count == 1 && file.problems.first?.contains("protocols does not list") == true)
    }

    @Test("an empty list of scopes never means all of them")
    func noScopes() throws {
        for value in ["[]", ""] {
            let file = try read("protocols: [oidc]\nscopes: \(value)")
            #expect(file.clients.isEmpty && file.problems.count == 1, "\(file.problems)")
            #expect(file.problems.first?.contains("at least one item") == true, "\(file.problems)")
        }
    }

    @Test("a public client has no secrets, and an empty list of them says so; any other one needs some")
    func noSecrets() throws {
        for (isPublic, isGood) in [(true, true), (false, false)] {
            let file = try ClientsFixture(
                """
                clients:
                  - {id: app, name: App, access: everyone, protocols: [oidc], public: \(isPublic), secrets: [],
                     redirect_uris: ["com.example.app:/cb"]}
                """, in: TemporaryFolder())
            #expect((file.clients.count == 1) == isGood && file.problems.isEmpty == isGood, "\(file.problems)")
        }
    }

    @Test(
        "the example in an error is of the same key, and valid",
        arguments: [
            "access", "groups", "expose_groups", "contact", "hidden", "start_url", "logout_uri", "sign_out_uris",
            "protocols", "require_pkce", "scopes", "id_token_alg", "id_token_claims", "post_logout_redirect_uris",
            "backchannel_logout_uri", "origins", "introspect", "allow_private_http",
        ])
    func example(key: String) throws {
        let others = key == "protocols" ? "" : "protocols: [sso, oidc]\n"
        let file = try read("\(others)\(key): {}")
        #expect(file.problems.count == 1, "\(file.problems)")
        let words = try #require(file.problems.first?.split(separator: "For example ").last)
        #expect(words.hasPrefix("\(key): "), "\(file.problems)")
        let again = try read("\(others)\(words)")
        #expect(again.problems.isEmpty && again.clients.count == 1, "\(words) \(again.problems)")
    }
}
