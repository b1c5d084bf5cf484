import Foundation
import SSOShared

@testable import Counterparts
@testable import TestKit

/// What a server answers to the call of a sample, in place of the IdP.
struct SampleAnswer: Sendable {
    let name: String
    /// Whether the sample has to accept it.
    var isGood = false
    /// Whether the sample refuses it only when its 5 seconds are over.
    var isSlow = false
    let bytes: @Sendable (BackChannelStub.Request) -> BackChannelStub.Answer

    private typealias Fixture = BackChannelFixture
    private static let json = "Content-Type: application/json"
    private static let body = Fixture.reply().body()

    /// Every answer.
    ///
    /// - Parameter elsewhere: the origin that redirects lead to.
    static func all(elsewhere: String) -> [SampleAnswer] { good + heads(elsewhere) + refusals + bodies + slow }

    // MARK: Good

    private static let good =
        [
            "application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8",
            "application/json ;",
        ].map { type in SampleAnswer("type \(type)", isGood: true) { Fixture.signed($0, type: type) } }
        + [
            signed("an unknown member that is called ID", isGood: true) {
                $0.replacing(#""id":"u1""#, with: #""id":"u1","ID":"usr_EVE""#)
            },
            signed("without authenticated_at", isGood: true) { $0.replacing(#/"authenticated_at":[0-9]+,/#, with: "") },
        ]

    // MARK: Wrong heads

    private static func heads(_ elsewhere: String) -> [SampleAnswer] {
        let location = "Location: \(elsewhere)/auth/sso/verify"
        let wrong = "X-SSO-Signature: sha256=\(String(repeating: "0", count: 64))"
        func answer(_ name: String, _ status: String, _ headers: @escaping @Sendable (String) -> [String]) -> Self {
            SampleAnswer(name) { Fixture.http(status, [json] + headers(Fixture.signature($0, body)), body) }
        }
        return [
            answer("status 201", "201 Created") { [$0] },
            answer("redirect", "302 Found") { [$0, location] },
            answer("temporary redirect", "307 Temporary Redirect") { [$0, location] },
            answer("right signature first", "200 OK") { [$0, wrong] },
            answer("right signature last", "200 OK") { [wrong, $0] },
            answer("right signature twice", "200 OK") { [$0, $0] },
            SampleAnswer("type text/html") { Fixture.signed($0, type: "text/html") },
            SampleAnswer("type application/jsonp") { Fixture.signed($0, type: "application/jsonp") },
            SampleAnswer("signature in a trailer") { request in
                let head = "HTTP/1.1 200 OK\r\n\(json)\r\nTransfer-Encoding: chunked\r\n\r\n"
                let size = "\(String(body.count, radix: 16))\r\n"
                let end = "\r\n0\r\n\(Fixture.signature(request, body))\r\n\r\n"
                return Array("\(head)\(size)".utf8) + body + Array(end.utf8)
            },
            SampleAnswer("signature in an early hint") { request in
                Array("HTTP/1.1 103 Early Hints\r\n\(Fixture.signature(request, body))\r\n\r\n".utf8)
                    + Fixture.http("200 OK", [json], body)
            },
            raw("escape sequence in the status line", "HTTP/1.1 \u{1b}[31mline\r\n\r\n"),
            raw("escape sequence in the reason", "HTTP/1.1 404 \u{1b}[31mline\r\nContent-Length: 0\r\n\r\n"),
            raw(
                "escape sequence in a type", "HTTP/1.1 200 OK\r\nContent-Type: \u{1b}[31m\r\nContent-Length: 0\r\n\r\n"),
            raw("escape sequence in a link", "HTTP/1.1 302 X\r\nLocation: \u{1b}[31m\r\nContent-Length: 0\r\n\r\n"),
            raw("no HTTP", "\u{1b}[31mline\r\n\r\n"),
            raw("no header", "HTTP/1.1 200 OK\r\n\u{1b}[31mline\r\n\r\n"),
            raw("no chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\u{1b}[31mline\r\n"),
        ]
    }

    // MARK: Errors, of the IdP and of a gateway

    /// The answer that an IdP gives for a used token.
    static let used = #"{"error":"invalid_token","error_description":"The token: it was used."}"#

    private static let refusals: [SampleAnswer] =
        [
            refusal("the IdP's", used), refusal("empty", ""), refusal("a page", "<p>Bad gateway</p>"),
            refusal("an object as error", #"{"error":{"code":404,"message":"no route"}}"#),
            refusal("a number as error", #"{"error":500}"#), refusal("null as error", #"{"error":null}"#),
            refusal("a list as description", #"{"error":"x","error_description":["x"]}"#),
            refusal("a list", #"["error"]"#), refusal("null", "null"), refusal("a number", "5"),
            refusal("a text", #""error""#), refusal("two documents", #"{"error":"x"}{"error":"y"}"#),
            refusal("a deep list", String(repeating: "[", count: 60_000)),
            refusal("a closed deep list", deep("[", "]", 30_000)),
            refusal("a deep object", deep(#"{"error":"#, "}", 10_000, "1")),
            refusal("line ends", #"{"error":"invalid_token","error_description":"x\nline \u001b[31mline\r\u0085"}"#),
            refusal("line ends in the code", #"{"error":"x\nline","error_description":"\u001b[31m"}"#),
            // Some versions of echo expand these.
            refusal("backslashes", #"{"error":"invalid_token","error_description":"x\\nline \\033[31mline"}"#),
        ] + [
            SampleAnswer("refusal: not UTF-8") { _ in
                Fixture.http("500 X", [json], Array(#"{"error":""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8))
            }
        ]

    // MARK: Rightly signed bodies of a wrong form

    private static let bodies: [SampleAnswer] = [
        signed("too large") { #"{"more":"\#(String(repeating: "x", count: 70_000))",\#($0.dropFirst())"# },
        signed("a deep list") { _ in deep("[", "]", 30_000) },
        signed("a list") { _ in "[]" }, signed("null") { _ in "null" }, signed("a text") { _ in #""client_id""# },
        signed("user is a list") { $0.replacing(#/"user":\{.*?\}/#, with: #""user":["id"]"#) },
        signed("user is a text") { $0.replacing(#/"user":\{.*?\}/#, with: #""user":"id""#) },
        signed("user.id is a list") { $0.replacing(#""u1""#, with: #"["u1"]"#) },
        signed("client_id is a list") { $0.replacing(#""partner""#, with: #"["partner"]"#) },
        signed("session is a list") { $0.replacing(#/"session":\{.*?\}/#, with: #""session":["id"]"#) },
        signed("session is a text") { $0.replacing(#/"session":\{.*?\}/#, with: #""session":"id""#) },
        signed("session is null") { $0.replacing(#/"session":\{.*?\}/#, with: #""session":null"#) },
        signed("Client_Id") { $0.replacing("client_id", with: "Client_Id") },
        signed("ID") { $0.replacing(#""id":"u1""#, with: #""ID":"u1""#) },
    ]

    // MARK: Slow

    private static let slow: [SampleAnswer] = [
        SampleAnswer(name: "silence", isSlow: true) { _ in .hang },
        SampleAnswer(name: "the head drips", isSlow: true) { .drip(Fixture.signed($0), after: 9) },
        SampleAnswer(name: "the body drips", isSlow: true) {
            let answer = Fixture.signed($0)
            return .drip(answer, after: answer.count - body.count)
        },
        SampleAnswer(name: "the body of an error drips", isSlow: true) { _ in
            .drip(Fixture.http("500 X", [json], Array(deep("[", "]", 100).utf8)), after: 40)
        },
    ]

    // MARK: Making answers

    private init(
        _ name: String, isGood: Bool = false, _ bytes: @escaping @Sendable (BackChannelStub.Request) -> [UInt8]
    ) {
        self.init(name: name, isGood: isGood) { .bytesThenClose(bytes($0)) }
    }

    private init(
        name: String, isGood: Bool = false, isSlow: Bool = false,
        bytes: @escaping @Sendable (BackChannelStub.Request) -> BackChannelStub.Answer
    ) {
        (self.name, self.isGood, self.isSlow, self.bytes) = (name, isGood, isSlow, bytes)
    }

    private static func raw(_ name: String, _ text: String) -> Self { Self(name) { _ in Array(text.utf8) } }

    private static func refusal(_ name: String, _ text: String) -> Self {
        Self("refusal: \(name)") { _ in Fixture.http("401 X", [json], Array(text.utf8)) }
    }

    private static func signed(_ name: String, isGood: Bool = false, _ change: @Sendable (String) -> String) -> Self {
        let changed = Array(change(String(decoding: body, as: UTF8.self)).utf8)
        return Self("signed: \(name)", isGood: isGood) { Fixture.signed($0, body: changed) }
    }

    private static func deep(_ open: String, _ close: String, _ levels: Int, _ inside: String = "") -> String {
        String(repeating: open, count: levels) + inside + String(repeating: close, count: levels)
    }
}
