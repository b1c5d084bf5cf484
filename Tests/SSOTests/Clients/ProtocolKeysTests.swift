import SSOShared
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPGate
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPSSO
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What a client protocol declares is read, written and explained as the keys of every client. ``TicketSettings`` are the tests'
/// own.
@Suite("The keys that a client protocol brings", .program)
struct ProtocolKeysTests {
    private static let all = ClientProtocols(ClientProtocols.builtIn.all + [TicketSettings.self])

    private func read(_ keys: String) throws -> ClientsFixture {
        try ClientsFixture(
            "clients:\n  - {id: old, name: Old, access: everyone, secrets: [\(TestSecret.new())], \(keys)}\n",
            of: Self.all, in: TemporaryFolder())
    }

    @Test("are read for a client that lists the protocol, which may do without redirect URIs")
    func reading() throws {
        let file = try read("protocols: [ticket], ticket_prefixes: [https://old.example.com/app/]")
        #expect(file.problems.isEmpty, "\(file.problems)")
        let client = try #require(file.clients.first)
        #expect(client[TicketSettings.self]?.prefixes == ["https://old.example.com/app/"])
        #expect(client.redirectURIs.isEmpty && client.sso == nil && client.oidc == nil)
        for (address, isBelow) in [
            ("https://old.example.com/app/", true), ("https://old.example.com/app/a?b", true),
            ("https://old.example.com/app", false), ("https://old.example.com/application", false),
            ("https://old.example.com.evil.example/app/", false), ("http://old.example.com/app/", false),
        ] { #expect(client.mayReturn(to: address, by: TicketSettings.id) == isBelow, "\(address)") }
        #expect(!client.mayReturn(to: "https://old.example.com/app/", by: SSOSettings.id), "not its protocol")
    }

    @Test(
        "are explained by the words of their declaration",
        arguments: [
            ("protocols: [saml]", "protocols of \"old\": \"saml\" must be sso, oidc, gate or ticket."),
            (
                "redirect_uris: [https://a.example/cb], ticket_prefixes: [https://a.example/]",
                "ticket_prefixes of \"old\": is a key of ticket, which protocols does not list."
            ),
            (
                "protocols: [ticket], ticket_prefixes: {}",
                "ticket_prefixes must be a list with at least one item. For example ticket_prefixes: [https://old.example.com/]"
            ),
            (
                "protocols: [ticket], ticket_prefixes: [https://a.example/x]",
                "ticket_prefixes of \"old\": \"https://a.example/x\" must end with a slash, such as https://old.example.com/"
            ),
            (
                "protocols: [ticket, sso], ticket_prefixes: [https://a.example/]",
                "redirect_uris is missing. For example redirect_uris: [https://partner.example.com/auth/sso/callback]"
            ),
            (
                "protocols: [ticket], ticket_prefix: [https://a.example/]",
                "unknown key \"ticket_prefix\"."
            ),
        ])
    func problems(keys: String, words: String) throws {
        let file = try read(keys)
        #expect(file.problems.contains { $0.contains(words) }, "\(file.problems)")
    }

    @Test("stand with the others in a stored entry and an export, and are named by their option in an error")
    func entry() throws {
        var entry = ClientEntry(id: "old")
        entry["name"] = .text("Old")
        entry["allow_private_http"] = .text("true")
        entry["ticket_prefixes"] = .list(["https://old.example.com"])
        entry["protocols"] = .list(["ticket"])
        let text = entry.text(of: Self.all)
        #expect(
            text == """
                id: "old"
                name: "Old"
                protocols: ["ticket"]
                ticket_prefixes: ["https://old.example.com"]
                allow_private_http: "true"
                """)
        #expect(ClientEntry(text: text) == entry)
        #expect(ClientEntry.option(of: "ticket_prefixes", Self.all) == "--ticket-prefix")
        var problems: [String] = []
        let client = entry.client(
            of: Self.all, secrets: [], logo: nil, place: { ClientEntry.option(of: $0, Self.all) },
            problem: { problems.append($0) })
        #expect(client == nil && problems.count == 1 && problems[0].hasPrefix("--ticket-prefix: "), "\(problems)")
    }

    @Test("every declared key has an example that is valid, an option of its own, and words")
    func declared() throws {
        let keys = Self.all.all.flatMap { type in type.keys.map { (id: type.id, key: $0) } }
        #expect(Set(keys.map(\.key.option.name)).count == keys.count && Set(keys.map(\.key.name)).count == keys.count)
        // What those of the gate need beside them.
        let gate = [("gate_origin", "https://wiki.example.com"), ("app_keys", "true")]
        for (id, key) in keys {
            let beside = gate.filter { id == GateSettings.id && $0.0 != key.name }.map { ", \($0): \($1)" }.joined()
            let protocols = id == GateSettings.id ? "sso, gate" : id
            let file = try read(
                "protocols: [\(protocols)], redirect_uris: [https://a.example/cb], \(key.name): \(key.example)\(beside)"
            )
            let problems = key.name == "public" ? file.problems.filter { !$0.contains("secrets of") } : file.problems
            #expect(problems.isEmpty && !key.meaning.isEmpty && !key.option.help.isEmpty, "\(problems)")
            #expect(key.option.name.allSatisfy { $0.isLowercase || $0 == "-" }, "\(key.option.name)")
        }
    }

    @Test(
        "decide where a grant may be taken to: below a prefix, redeemed for that very address, until the prefix is removed"
    )
    func prefixes() async throws {
        let keys = "protocols: [sso, ticket], ticket_prefixes: [\"https://old.example.com/app/\"]"
        try await TestDeployment.open(clientKeys: keys, adding: TicketProtocol.added) { deployment in
            let (client, browser) = (deployment.client, try await deployment.signedIn(as: "ann@example.com"))
            func ask(_ back: String) async throws -> Visit {
                let fields = FormCoding.encode([("app", client.id), ("back", back)])
                return try await browser.get("\(deployment.origin)\(TicketProtocol.askPath)?\(fields)")
            }
            for wrong in ["https://old.example.com/app", "https://old.example.com/", "https://new.example.com/app/"] {
                #expect(try await ask(wrong).status == 400, "\(wrong)")
            }
            let back = "https://old.example.com/app/page?id=7"
            let first = try #require(try await ask(back).reply.all("location").first)
            #expect(first.hasPrefix(back + "&ticket="))
            let ticket = String(first.dropFirst("\(back)&ticket=".count))
            #expect(try await deployment.redeemTicket(ticket, as: client, back: back).status == 200)
            let other = try #require(try await ask(back).reply.all("location").first)
            let elsewhere = String(other.dropFirst("\(back)&ticket=".count))
            #expect(try await deployment.redeemTicket(elsewhere, as: client, back: back + "8").status == 404)
        }
    }
}
