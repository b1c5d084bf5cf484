import SSOShared
import Testing

@testable import IdPAccounts
@testable import IdPOIDC
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Which provider signs in the user of an address (RFC 7033, OpenID Connect Discovery 2).
@Suite("WebFinger", .program)
struct WebFingerTests {
    private static let relation = "http://openid.net/specs/connect/1.0/issuer"

    /// What is asked about, the relations, and whether there is an answer. The domains are example.com and partner.org.
    private static let rows: [(resource: String, relations: [String], isAnswered: Bool)] = [
        ("acct:ann@example.com", [relation], true), ("acct:nobody-knows@example.com", [relation], true),
        ("acct:ANN@EXAMPLE.COM", [relation], true), ("ACCT:ann@example.com", [relation], true),
        ("acct:ann@partner.org", [relation], true), ("acct:bob@partner.org", [relation], true),
        ("acct:ann%2Bnews@example.com", [relation], true), ("acct:ann+news@example.com", [relation], true),
        ("acct:ann@example.com", ["http://webfinger.net/rel/avatar", relation], true),
        ("acct:ann@ｅxample.com", [relation], true), ("acct:ann%40example.com", [relation], false),
        ("acct:ann@example.com", [], false), ("acct:ann@example.com", ["http://webfinger.net/rel/avatar"], false),
        ("acct:ann@example.com", [relation + "/"], false), ("acct:ann@sub.example.com", [relation], false),
        ("acct:ann@example.org", [relation], false), ("acct:ann@example.com.evil.example", [relation], false),
        ("acct:ann@evil.example@example.com", [relation], false), ("acct:@example.com", [relation], false),
        ("acct:example.com", [relation], false), ("acct:*@example.com", [relation], true),
        ("acct:ann@example.com\n", [relation], false), ("acct:ann%@example.com", [relation], false),
        ("acct:ann%00@example.com", [relation], false), ("acct:ann@example.com/x", [relation], false),
        ("acct:", [relation], false), ("", [relation], false), ("ann@example.com", [relation], false),
        ("mailto:ann@example.com", [relation], false), ("https://example.com/ann", [relation], false),
        ("https://localhost:4000", [relation], false),
        ("acct:" + String(repeating: "a", count: 300) + "@example.com", [relation], false),
    ]

    @Test("answers for every address of the domains of IDP_ALLOWED_EMAILS, and for nothing else")
    func rules() throws {
        let domains = try AllowedEmails("*@example.com, ann@partner.org").namedDomains
        for row in Self.rows {
            let query = [("resource", row.resource)] + row.relations.map { ("rel", $0) }
            let fields = URLEncodedFields(Array(FormCoding.encode(query).utf8))
            #expect(
                WebFingerFeature.resource(fields, in: domains) == (row.isAnswered ? row.resource : nil),
                "\(row.resource) \(row.relations)")
        }
        let relation = "rel=\(FormCoding.encode(Self.relation))"
        for query in [
            relation, "resource=acct:ann@example.com&resource=acct:ann@example.com&\(relation)",
            "resource[]=acct:ann@example.com&\(relation)", "resource=acct:%FF@example.com&\(relation)",
            "resource=%&\(relation)", "resource=acct:ann@example.com&rel=%",
            String(repeating: "x=1&", count: 70) + "resource=acct:ann@example.com&\(relation)",
        ] {
            #expect(WebFingerFeature.resource(URLEncodedFields(Array(query.utf8)), in: domains) == nil, "\(query)")
        }
        let nobody = try AllowedEmails("")
        #expect(nobody.namedDomains.isEmpty)
    }

    @Test("the answer names the issuer, any page may read it, and it is the same whether there is an account or not")
    func answer() async throws {
        let settings = ["IDP_WEBFINGER": "true", "IDP_ALLOWED_EMAILS": "*@example.com"]
        try await TestDeployment.open(settings: settings) { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            func ask(_ address: String) async throws -> ProbeReply {
                let query = FormCoding.encode([("resource", "acct:\(address)"), ("rel", Self.relation)])
                return try await deployment.oidcProbe.get("\(WebFingerFeature.path)?\(query)")
            }
            let known = try await ask("ann@example.com")
            #expect(known.status == 200 && known.header("content-type") == "application/jrd+json")
            let json = try known.json()
            #expect(json["subject"]?.text == "acct:ann@example.com")
            let links = json["links"]
            #expect(links == [["rel": .string(Self.relation), "href": .string(deployment.origin)]])
            let unknown = try await ask("bob@example.com")
            #expect(unknown.text.replacing("bob", with: "ann") == known.text)
            func fields(_ reply: ProbeReply) -> [String] {
                reply.headers.filter { $0.name.lowercased() != "date" }.map { "\($0.name): \($0.value)" }.sorted()
            }
            #expect(fields(known) == fields(unknown), "the addresses are equally long")
            for reply in [known, unknown, try await ask("ann@other.example")] {
                #expect(reply.header("access-control-allow-origin") == "*" && reply.all("set-cookie") == [])
            }
            #expect(try await ask("ann@other.example").status == 404)
        }
    }

    @Test("is off where nobody switches it on")
    func off() async throws {
        try await TestDeployment.open { deployment in
            let query = FormCoding.encode([("resource", "acct:ann@example.com"), ("rel", Self.relation)])
            let reply = try await deployment.oidcProbe.get("\(WebFingerFeature.path)?\(query)")
            #expect(reply.status == 404)
        }
    }
}
