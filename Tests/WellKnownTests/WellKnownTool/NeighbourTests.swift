import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// Sources: W3C, Web Authentication Level 3, section 5.11; W3C, "A Well-Known URL for Changing Passwords" and "… for Relying
/// Party Passkey Endpoints"; Apple, "Apple Pay on the Web".
@Suite("The neighbours under /.well-known/", .deployment)
struct NeighbourTests {
    static func hex(_ text: String) -> String {
        text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static let merchant = hex(#"{"pspId":"A","version":1,"createdOn":1,"signature":"30"}"#)

    @Test(
        "The content of each file is checked",
        arguments: [
            (Neighbour.webauthn, #"{"origins": ["https://acme.com", "https://acme.de"]}"#, []),
            (.webauthn, #"{"origins": ["https://acme.com/"]}"#, ["near.webauthn-origin"]),
            (
                .webauthn, #"{"origins": ["http://acme.com", "acme.com", 5]}"#,
                Array(repeating: "near.webauthn-origin", count: 3)
            ),
            (.webauthn, #"{"origins": []}"#, ["near.form"]), (.webauthn, "[]", ["near.form"]),
            (.webauthn, "", ["near.form"]),
            (.webauthn, "{\"origins\": [\"https://a.com\",]}", ["near.form"]),
            (
                .webauthn,
                "{\"origins\": [" + (1...6).map { "\"https://site\($0).com\"" }.joined(separator: ", ") + "]}",
                ["near.webauthn-labels"]
            ),
            (
                .webauthn,
                "{\"origins\": ["
                    + ["com", "de", "co.uk", "fr", "org", "net", "io"].map { "\"https://acme.\($0)\"" }
                    .joined(separator: ", ") + "]}", []
            ),
            (
                .passkeyEndpoints,
                #"{"enroll": "https://acme.com/passkeys/new", "manage": "https://acme.com/passkeys"}"#, []
            ),
            (.passkeyEndpoints, #"{"enroll": "/passkeys"}"#, ["near.passkey-url"]),
            (.passkeyEndpoints, #"{"enrol": "https://acme.com/"}"#, ["near.form"]),
            (.passkeyEndpoints, "[]", ["near.form"]),
            (.merchant, merchant, []), (.merchant, merchant.uppercased() + "\n", []),
            (.merchant, "", ["near.merchant"]),
            (.merchant, "<html>", ["near.merchant"]), (.merchant, "7b7", ["near.merchant"]),
            (.merchant, hex("{}"), ["near.merchant"]), (.merchant, hex("hello"), ["near.merchant"]),
        ] as [(Neighbour, String, [String])])
    func content(kind: Neighbour, text: String, codes: [String]) {
        let findings = NeighbourLint.findings(in: Array(text.utf8), as: kind)
        #expect(findings.map(\.code) == codes, "\(findings.map(\.message))")
        #expect(findings.allSatisfy { LintRule.named($0.code) != nil })
    }

    private func answer(_ status: Int, _ body: String = "", _ headers: [(String, String)] = []) -> HTTPOutcome {
        .success(HTTPAnswer(status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8)))
    }

    @Test("A missing neighbour is no finding, a wrongly served one is")
    func served() {
        let json = [("content-type", "application/json")]
        func codes(_ outcome: HTTPOutcome, _ kind: Neighbour = .webauthn, _ impossible: HTTPOutcome? = nil) -> [String]
        {
            NeighbourTransport.findings(outcome, of: kind, url: "x", impossible: impossible).map(\.code)
        }
        let good = #"{"origins": ["https://acme.com"]}"#
        #expect(codes(answer(404)) == [] && codes(.failure(.noSuchHost)) == [])
        #expect(codes(answer(200, good, json)) == [])
        #expect(codes(answer(200, good, [("content-type", "text/plain")])) == ["near.served"])
        #expect(codes(answer(301, "", [("location", "/x")])) == ["near.served"])
        #expect(codes(answer(200, "<html>", [("content-type", "text/html")])) == ["near.served"])
        #expect(codes(answer(200, Self.merchant), .merchant) == [])
        let redirect = answer(302, "", [("location", "/account/password")])
        #expect(codes(redirect, .changePassword, answer(404)) == [])
        #expect(codes(redirect, .changePassword, answer(200)) == ["near.soft-404"])
        #expect(codes(answer(301, "", [("location", "/x")]), .changePassword) == ["near.change-password"])
        #expect(codes(answer(500), .changePassword) == ["near.change-password"])
    }

    @Test("lint knows a neighbour by its name, in a file and at an address")
    func lint() async throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"origins": ["http://acme.com"]}"#, to: "webauthn")
        try folder.write(#"{"enroll": "https://acme.com/passkeys"}"#, to: "passkey-endpoints.json")
        let run = try await WellKnownRun.run(["lint", "webauthn", "passkey-endpoints.json"], in: folder.path)
        #expect(run.code == 1 && run.output.contains("near.webauthn-origin"), "\(run.output)")
        #expect(!run.output.contains("aasa."))
        let good = try await WellKnownRun.run(["lint", "passkey-endpoints.json"], in: folder.path)
        #expect(good.code == 0 && good.output.contains("no findings"), "\(good.output)")
    }

    @Test("fetch asks for the neighbours, shows those that exist, and compares passwords on both systems")
    func fetch() async throws {
        var routes = FetchHouse.healthy
        routes["/.well-known/webauthn"] = SiteServer.Reply(body: #"{"origins": ["acme.com"]}"#)
        routes["/.well-known/change-password"] = SiteServer.Reply(status: 302, headers: ["Location": "/password"])
        let report = try await FetchHouse.open(routes).fetch()
        #expect(report.neighbours.map(\.kind) == [.webauthn, .changePassword])
        #expect(report.neighbours.flatMap(\.findings).map(\.code) == ["near.webauthn-origin"])
        #expect(
            report.codes.contains("parity.service"),
            "the Android app has get_login_creds, the iOS app no webcredentials")
        let text = FetchText.render(report, style: TextStyle(hasColour: false), showsAll: true)
        #expect(text.contains("/.well-known/webauthn") && text.contains("near.webauthn-origin"))
        let none = try await FetchHouse.open().fetch(kinds: [.aasa])
        #expect(none.neighbours.isEmpty)
    }
}
