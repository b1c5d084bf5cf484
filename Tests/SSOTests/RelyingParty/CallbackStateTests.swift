import Testing

@testable import IdPTestKit
@testable import TestKit

/// Login CSRF and similar attacks (RFC 9700 4.7, ASVS 10.1.2): without a state of this browser the IdP is not called
/// and nothing changes.
@Suite("The state at the relying party's callback", .program)
struct CallbackStateTests {
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: @Sendable (_ state: String) -> [(String, String)]
        var status: ClosedRange<Int> = 400...400
    }

    static let forgeries: [Forgery] = {
        let token = ("token", Browser.someToken)
        return [
            Forgery(testDescription: "missing", fields: { _ in [token] }),
            Forgery(testDescription: "empty", fields: { _ in [token, ("state", "")] }),
            Forgery(testDescription: "null", fields: { _ in [token, ("state", "null")] }),
            Forgery(testDescription: "an array", fields: { [token, ("state[]", $0)] }),
            Forgery(testDescription: "twice, the right one first", fields: { [token, ("state", $0), ("state", "x")] }),
            Forgery(testDescription: "twice, the right one last", fields: { [token, ("state", "x"), ("state", $0)] }),
            Forgery(testDescription: "twice the same", fields: { [token, ("state", $0), ("state", $0)] }),
            Forgery(testDescription: "without its end", fields: { [token, ("state", String($0.dropLast()))] }),
            Forgery(testDescription: "with an end", fields: { [token, ("state", $0 + "A")] }),
            Forgery(testDescription: "with a blank", fields: { [token, ("state", $0 + " ")] }),
            Forgery(testDescription: "with a NUL", fields: { [token, ("state", $0 + "\u{0}")] }),
            Forgery(testDescription: "with a combining mark", fields: { [token, ("state", $0 + "\u{301}")] }),
            Forgery(testDescription: "in other case", fields: { [token, ("state", CallbackStateTests.swapCase($0))] }),
            Forgery(testDescription: "padded", fields: { [token, ("state", $0 + "=")] }),
            Forgery(testDescription: "made up", fields: { [token, ("state", String($0.reversed()))] }),
            Forgery(
                testDescription: "a megabyte",
                fields: { [token, ("state", $0 + String(repeating: "A", count: 1 << 20))] }, status: 400...431),
        ]
    }()

    private static func swapCase(_ text: String) -> String {
        String(text.map { Character($0.isUppercase ? $0.lowercased() : $0.uppercased()) })
    }

    @Test("a wrong state is refused without a call to the IdP, and the right one still works", arguments: forgeries)
    func forged(_ forgery: Forgery) async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            let cookies = browser.cookies
            // A server that stops reading within a megabyte may close before we have sent it: this counts as 4xx.
            if let visit = try? await browser.comeBack(to: deployment.client, forgery.fields(state)) {
                #expect(forgery.status.contains(visit.status))
                #expect(visit.reply.body.isEmpty || visit.reply.all("referrer-policy") == ["no-referrer"])
            }
            #expect(idp.calls == 0)
            #expect(browser.cookies == cookies)
            #expect(try await browser.userID(at: deployment.client) == nil)

            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
            #expect(idp.calls == 1)
            #expect(try await browser.userID(at: deployment.client) == "u1")
        }
    }

    @Test("a callback sent by an attacker is refused, a signed-in user stays signed in, and the IdP is not called")
    func loginCSRF() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let (attacker, victim, visitor) = (deployment.browser(), deployment.browser(), deployment.browser())
            _ = try await victim.comeBack(to: deployment.client, state: victim.state(at: deployment.client))
            let bait = try await attacker.state(at: deployment.client)
            let calls = idp.calls

            let visit = try await victim.comeBack(to: deployment.client, state: bait)
            #expect(visit.status == 400)
            #expect(try visit.page().link(containing: "/auth/sso/") == nil, "nothing to repeat: the user is signed in")
            #expect(visit.text.contains("You are already signed in"))
            #expect(visit.text.contains("<bdi translate=\"no\">ann@example.com</bdi>"))
            #expect(try await victim.userID(at: deployment.client) == "u1")
            #expect(try await visitor.comeBack(to: deployment.client, state: bait).status == 400)
            #expect(try await visitor.userID(at: deployment.client) == nil)
            #expect(visitor.cookies.isEmpty)
            #expect(idp.calls == calls)

            #expect(try await attacker.comeBack(to: deployment.client, state: bait).status == 303)
            #expect(idp.calls == calls + 1)
        }
    }

    @Test("a stolen token in the attacker's own sign-in is refused: it was issued for another one (RFC 9700 4.5)")
    func injectedToken() async throws {
        try await TestDeployment.open { deployment in
            let (victim, attacker) = (deployment.browser(), deployment.browser())
            let stolen = try await victim.signIn(at: deployment.client, of: deployment, as: "ann@example.com").token()
            let state = try await attacker.state(at: deployment.client)
            let visit = try await attacker.comeBack(to: deployment.client, [("token", stolen), ("state", state)])
            #expect(visit.status == 400)
            #expect(try await attacker.userID(at: deployment.client) == nil)

            let again = try await victim.beginSignIn(at: deployment.client)
            _ = try await victim.follow(victim.get(again.callback()))
            #expect(try await victim.userID(at: deployment.client) != nil)
        }
    }

    @Test("a state is used up by its first use, whatever the result")
    func usedUp() async throws {
        let idp = try FakeIdP { _ in .bytes(FakeIdP.http("503 Service Unavailable")) }
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 503)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 400)
            #expect(idp.calls == 1)

            let refused = try await browser.state(at: deployment.client)
            let fields = [("error", "invalid_request"), ("state", refused)]
            #expect(try await browser.comeBack(to: deployment.client, fields).status == 400)
            #expect(try await browser.comeBack(to: deployment.client, state: refused).status == 400)
            #expect(idp.calls == 1)
        }
    }

    @Test(
        "prefetching redeems nothing, and the click after it does",
        arguments: [("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"), ("Purpose", "prefetch")])
    func prefetch(name: String, value: String) async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let fields = [("token", Browser.someToken), ("state", try await browser.state(at: deployment.client))]
            let ahead = try await browser.comeBack(to: deployment.client, fields, [(name, value)])
            #expect(ahead.status >= 400)
            #expect(ahead.reply.header("cache-control") == "no-store")
            let address = try WebAddress("\(deployment.client.callback)?\(FormCoding.encode(fields))")
            #expect(try await browser.send("HEAD", address).status == 405)
            #expect(idp.calls == 0)
            #expect(try await browser.comeBack(to: deployment.client, fields).status == 303)
        }
    }
}
