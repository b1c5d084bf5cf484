import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// Sources: the Digital Asset Links specification, well-known/details.md; the API's error codes. The comptest numbers
/// are groups of the compatibility suite.
@Suite("Digital Asset Links client", .rules)
struct DigitalAssetLinksClientTests {
    /// Pages by URL. All other URLs return 404.
    struct Pages: AssetContent {
        var pages: [String: AssetContentReply] = [:]

        func list(at url: String) async -> AssetContentReply {
            pages[url] ?? .answer(status: 404, contentType: nil, body: [])
        }
        func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply { .nothing }
    }

    static let origin = "https://example.com"
    static let root = origin + "/.well-known/assetlinks.json"

    static func page(_ text: String, type: String? = "application/json", status: Int = 200) -> AssetContentReply {
        .answer(status: status, contentType: type, body: Array(text.utf8))
    }
    static func statement(_ site: String) -> String {
        #"{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"\#(site)"}}"#
    }
    static func include(_ path: String) -> String { #"{"include":"\#(path.first == "/" ? origin + path : path)"}"# }

    private func list(_ pages: [String: AssetContentReply], site: String = origin) async throws -> AssetAnswer {
        let query = try #require(AssetQuery(site: site))
        return await DigitalAssetLinksClient(content: Pages(pages: pages)).answer(query)
    }

    @Test("Ten includes are followed in total, the eleventh is an error, and the statements found are kept")
    func budget() async throws {
        var pages = [Self.root: Self.page("[" + (0..<11).map { Self.include("/\($0)") }.joined(separator: ",") + "]")]
        for number in 0..<11 {
            pages["\(Self.origin)/\(number)"] = Self.page("[\(Self.statement("https://s\(number).example"))]")
        }
        let answer = try await list(pages)
        #expect(answer.statements.count == 10)
        #expect(answer.errorCodes == [.fetchBudgetExhausted])
        #expect(answer.outcome == .fetchError)
        #expect(answer.places.count == 11)
    }

    @Test("A loop ends at once, and the statements found are kept", arguments: ["/.well-known/assetlinks.json", "/b"])
    func loop(back: String) async throws {
        let answer = try await list([
            Self.root: Self.page("[\(Self.include("/b")),\(Self.statement("https://a.example"))]"),
            "\(Self.origin)/b": Self.page("[\(Self.include(back)),\(Self.statement("https://b.example"))]"),
        ])
        #expect(answer.statements.count == 2)
        #expect(answer.errorCodes == [.fetchBudgetExhausted])
        #expect(answer.places.count == 2)
    }

    @Test("A list that is included twice is fetched once and is not a loop")
    func diamond() async throws {
        let answer = try await list([
            Self.root: Self.page("[\(Self.include("/a")),\(Self.include("/b"))]"),
            "\(Self.origin)/a": Self.page("[\(Self.include("/c"))]"),
            "\(Self.origin)/b": Self.page("[\(Self.include("HTTPS://EXAMPLE.com:443/c#x"))]"),
            "\(Self.origin)/c": Self.page("[\(Self.statement("https://c.example"))]"),
        ])
        #expect(answer.outcome == .success)
        #expect(answer.statements.count == 1)
        #expect(answer.depth == 2)
    }

    @Test(
        "Each network error has its own code",
        arguments: [
            (page("[]", status: 301), AssetErrorCode.redirect), (page("[]", status: 503), .fetchError),
            (page("[]", type: "text/html"), .wrongContentType), (page("[]", type: nil), .wrongContentType),
            (page("[,]"), .malformedContent), (page("\u{feff}[]"), .malformedContent),
            (.failure(AssetError(.failedSSLValidation, "no")), .failedSSLValidation),
            (.failure(AssetError(.tooLarge, "no")), .tooLarge),
        ] as [(AssetContentReply, AssetErrorCode)])
    func codes(reply: AssetContentReply, code: AssetErrorCode) async throws {
        let answer = try await list([Self.root: reply])
        #expect(answer.errorCodes == [code])
        #expect(answer.outcome == .fetchError)
    }

    @Test("A content type with parameters is accepted as application/json")
    func parameters() async throws {
        let answer = try await list([
            Self.root: Self.page("[\(Self.statement("https://a.example"))]", type: "Application/JSON ; charset=utf-8")
        ])
        #expect(answer.outcome == .success)
    }

    @Test("An unknown app has no statements, which is not an error in a check")
    func unknownApp() async throws {
        let request = try #require(
            JSONReader.read(
                Array(
                    """
                    {"source": {"androidApp": {"packageName": "com.acme", "certificate": {"sha256Fingerprint":
                    "\(Array(repeating: "AB", count: 32).joined(separator: ":"))"}}}, "relation": "a/b",
                    "target": {"web": {"site": "https://example.com"}}}
                    """.utf8)
            ).root)
        let answer = await DigitalAssetLinksClient(content: Pages()).answer(request, .check)
        #expect(answer.outcome == .success)
        #expect(!answer.json().isEmpty)
        guard case .linked(false) = answer.result else {
            Issue.record("linked")
            return
        }
    }

    @Test("relation_extensions are returned with the statements of their relation only on request")
    func extensions() async throws {
        let text = """
            [{"relation": ["delegate_permission/common.handle_all_urls", "a/b"], "target": {"namespace": "web", "site":
            "https://a.example"}, "relation_extensions": {"delegate_permission/common.handle_all_urls":
            {"dynamic_app_link_components": [{"/": "/x*", "n": [1.50, null, true]}]}}}]
            """
        let client = DigitalAssetLinksClient(content: Pages(pages: [Self.root: Self.page(text)]))
        func statements(_ more: String) async throws -> [JSONNode] {
            let request = #"{"source": {"web": {"site": "https://example.com"}}\#(more)}"#
            let answer = await client.answer(try #require(JSONReader.read(Array(request.utf8)).root), .list)
            return try #require(JSONReader.read(answer.json()).root?["statements"]?.array)
        }
        let with = try await statements(#", "returnRelationExtensions": true"#)
        let rules = with[0]["relation_extensions"]?["delegate_permission/common.handle_all_urls"]
        #expect(rules?["dynamic_app_link_components"]?.array?.first?["n"]?.array?.count == 3)
        #expect(with[1]["relation_extensions"] == nil)
        let without = try await statements("")
        #expect(without.allSatisfy { $0["relation_extensions"] == nil })
    }

    @Test("A hostile list with many errors results in an answer of limited size")
    func manyFaults() async throws {
        let faults = (0..<5000).map { #"{"relation":["x\#($0)"],"target":{}}"# }.joined(separator: ",")
        let answer = try await list([Self.root: Self.page("[\(faults)]")])
        #expect((1...101).contains(answer.errors.count))
    }

    @Test("A check without a relation is an error")
    func checkNeedsRelation() async throws {
        let request = #"{"source":{"web":{"site":"https://a.example"}},"target":{"web":{"site":"https://b.example"}}}"#
        let node = try #require(JSONReader.read(Array(request.utf8)).root)
        let answer = await DigitalAssetLinksClient(content: Pages()).answer(node, .check)
        #expect(answer.outcome == .queryParsingError)
    }
}
