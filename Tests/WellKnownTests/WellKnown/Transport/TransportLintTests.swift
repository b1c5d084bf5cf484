import Testing

@testable import TestKit
@testable import WellKnown

/// Cases that a server on loopback cannot produce. Sources of the rules: see `TransportRules`.
@Suite("Transport lint", .rules)
struct TransportLintTests {
    static let body = Array("{\"applinks\": {}}\n".utf8)

    private func answer(_ status: Int = 200, _ body: [UInt8] = body, type: String = "application/json") -> HTTPOutcome {
        .success(HTTPAnswer(status: status, headers: [("content-type", type)], body: body))
    }

    private func codes(_ main: HTTPOutcome? = nil, _ change: (inout OriginObservation) -> Void) -> [String] {
        var seen = OriginObservation(file: .aasa, url: "https://example.com/x", main: main ?? answer())
        change(&seen)
        let findings = TransportLint.findings(seen)
        #expect(findings.allSatisfy { $0.file == "https://example.com/x" })
        return findings.map(\.code)
    }

    @Test("A different or failing IPv6 response is reported, a host without IPv6 is not")
    func families() {
        func over(_ six: HTTPOutcome) -> [String] {
            codes {
                $0.overIPv4 = answer()
                $0.overIPv6 = six
            }
        }
        #expect(over(answer()) == [])
        #expect(over(answer(200, Array("{ \"applinks\":{}}".utf8))) == [])
        #expect(over(answer(404)) == ["http.ipv6-differs"])
        #expect(over(answer(200, Array("{}".utf8))) == ["http.ipv6-differs"])
        #expect(over(.failure(.timedOut(milliseconds: 5000))) == ["http.ipv6-differs"])
        #expect(over(.failure(.noSuchHost)) == [])
        #expect(over(.failure(.noRoute("Network is unreachable"))) == [])
    }

    @Test("A response is reported only if it is worse for the bot than for a browser")
    func bots() {
        func browser(_ browser: HTTPOutcome, _ main: HTTPOutcome? = nil) -> Set<String> {
            Set(codes(main) { $0.browser = browser })
        }
        #expect(browser(answer()) == [])
        #expect(browser(answer(403)) == [])
        #expect(browser(answer(200, Array("{\"webcredentials\": {}}".utf8))) == ["http.bot-blocked"])
        #expect(browser(answer(), answer(403)) == ["http.bot-blocked"])
        #expect(browser(answer(), answer(401)) == ["http.bot-blocked"])
        #expect(browser(answer(), .failure(.notConnected("reset"))) == ["http.bot-blocked"])
        #expect(browser(answer(), .failure(.timedOut(milliseconds: 1))) == ["http.timeout"])
        #expect(browser(answer(), answer(502)) == ["http.status"])
        #expect(browser(answer(), answer(503)) == ["http.bot-blocked"])
        #expect(browser(answer(), .failure(.certificate("no"))) == ["http.tls"])
    }

    @Test("An invalid certificate is reported even if http works, and a site without TLS as http only")
    func plainHTTP() {
        #expect(codes(.failure(.certificate("expired"))) { $0.plain = answer() } == ["http.tls"])
        #expect(codes(.failure(.tls("wrong version number"))) { $0.plain = answer() } == ["http.plain"])
        #expect(codes(.failure(.notConnected("refused"))) { $0.plain = answer() } == ["http.plain"])
        #expect(codes(.failure(.tls("no shared cipher"))) { _ in } == ["http.tls"])
        #expect(codes(.failure(.notConnected("refused"))) { $0.plain = answer(301) } == ["http.unreachable"])
    }

    @Test("A page has a finding about its body, and only a file that is no page has one about its type")
    func types() {
        let page = Array("<!doctype html><title>Shop</title>".utf8)
        for type in ["text/html", "text/html; charset=utf-8", "text/plain"] {
            #expect(codes(answer(200, page, type: type)) { _ in } == [])
        }
        #expect(codes(answer(type: "text/html")) { _ in } == ["http.content-type-html"])
        #expect(codes(answer(type: "text/plain")) { _ in } == ["http.content-type"])
    }

    @Test("An undeclared gzip body and a compressed response that cannot be decompressed are reported")
    func encodings() {
        #expect(codes(answer(200, [0x1f, 0x8b, 8, 0])) { $0.browser = answer() } == ["http.encoding"])
        #expect(codes { $0.browser = .failure(.malformed("incorrect header check")) } == ["http.encoding"])
    }

    @Test("For www. and apex, a host without the file is reported, a missing host is not")
    func siblings() {
        func sibling(_ outcome: HTTPOutcome, main: HTTPOutcome? = nil) -> [String] {
            codes(main) { $0.sibling = OriginObservation.Other(name: "www.example.com", outcome: outcome) }
        }
        #expect(sibling(answer()) == [])
        #expect(sibling(.failure(.noSuchHost)) == [])
        #expect(sibling(answer(404)) == ["http.www-vs-apex"])
        #expect(sibling(answer(200, Array("<html>".utf8))) == ["http.www-vs-apex"])
        #expect(sibling(answer(), main: answer(404)) == ["http.status", "http.www-vs-apex"])
        #expect(sibling(answer(404), main: answer(404)) == ["http.status"])
    }

    @Test("A catch-all page at the root or under a wrong name does not count as the file")
    func pages() {
        let page = answer(200, Array("\n <!doctype html>".utf8), type: "text/html")
        let found = codes(answer(404)) {
            $0.atRoot = page
            $0.misnamed = [OriginObservation.Other(name: "/x.json", outcome: page)]
        }
        #expect(found == ["http.status"])
    }

    @Test(
        "a file with an almost correct name is reported, a copy with another name is not",
        arguments: [
            ("public/assetlinks (1).json", AssociationKind.assetlinks, true), (".assetlinks.json", .assetlinks, true),
            ("assetlinks.json.txt", .assetlinks, true), ("assetlink.json", .assetlinks, true),
            ("apple_app_site_association", .aasa, true),
            ("assetlinks.json", .assetlinks, false), ("AssetLinks.json", .assetlinks, true),
            ("apple-app-site-association.json", .aasa, true), ("a/apple-app-site-association", .aasa, false),
            ("aasa.json", .aasa, false), ("070-assetlinks.json", .assetlinks, false), ("old-aasa", .aasa, false),
        ])
    func names(name: String, kind: AssociationKind, isTold: Bool) {
        let finding = TransportLint.nameFinding(fileName: name, file: kind)
        #expect((finding?.code == "http.wrong-name") == isTold)
    }

    @Test(
        "The size limits are exact",
        arguments: [
            (98_304, []), (98_305, ["http.near-limit"]), (131_072, ["http.near-limit"]), (131_073, ["http.too-large"]),
        ])
    func sizes(count: Int, expected: [String]) {
        #expect(codes(answer(200, Array(repeating: 0x20, count: count))) { _ in } == expected)
    }

    @Test("Every code is in the catalogue exactly once")
    func catalogue() {
        let codes = TransportRules.rules.map(\.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.allSatisfy { LintRule.named($0) != nil })
    }

    @Test(
        "Numbers in Apple's headers are parsed, implausible numbers are ignored",
        arguments: [
            ("max-age=60", "20", 40), ("public, MAX-AGE=60", "99", 0), ("max-age=99999999999999999999", "1", nil),
            ("max-age=-5", "1", nil), ("no-store", "1", nil), ("max-age=60, x", nil, 60),
        ] as [(String, String?, Int?)])
    func cacheTimes(control: String, age: String?, left: Int?) {
        var headers = [("apple-failure-reason", "SWCERR00301 Timeout"), ("cache-control", control)]
        if let age { headers.append(("age", age)) }
        guard case .failure(_, let seconds) = AppleCDNAnswer(.success(HTTPAnswer(status: 404, headers: headers))) else {
            Issue.record("no failure")
            return
        }
        #expect(seconds == left)
    }
}
