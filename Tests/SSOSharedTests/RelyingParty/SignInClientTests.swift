import Foundation
import Synchronization
import Testing

@testable import SSOClient
@testable import SSOShared
@testable import TestKit

/// The rules of a relying party, without a web framework.
@Suite("The relying party's part of the protocol", .rules)
struct SignInClientTests {
    typealias Fixture = BackChannelFixture

    private static let idp = "https://idp.example"
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)
    private static let token = Fixture.token

    private static func client(_ server: BackChannelStub, idp: String = idp) throws -> SignInClient {
        SignInClient(
            idp: idp, clientID: Fixture.clientID, redirectURI: "https://rp.example/cb",
            backChannel: try Fixture.client(server.origin))
    }

    private static func callback(_ query: [String: [String]]) throws(SignInError) -> SignInCallback {
        try SignInCallback { query[$0] ?? [] }
    }

    /// The code of the error that the body throws.
    private static func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return (error as? SignInError)?.code ?? "\(error)" }
    }

    @Test("the link carries the state and the challenge of the pending sign-in, and a new state each time")
    func start() throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let client = try Self.client(server)
        let (url, pending) = try client.start(returnTo: "/account", now: Self.now)
        #expect(url.hasPrefix("https://idp.example/auth/sso/authorize?client_id=partner&redirect_uri=https%3A%2F%2Frp"))
        #expect(url.contains("&state=\(pending.state)&code_challenge=\(CodeChallenge.s256(pending.codeVerifier))&"))
        #expect(!url.contains(pending.codeVerifier) && pending.returnTo == "/account")
        #expect(try client.start(returnTo: "//evil.example", now: Self.now).pending.returnTo == "/")
        #expect(try client.start(returnTo: nil, now: Self.now).pending.state != pending.state)
    }

    @Test("a callback without a state, with two, or loaded ahead of a click is refused")
    func callbacks() async {
        for query in [[:], ["state": []], ["state": [""]], ["state": ["a", "a"]], ["state": ["a", "b"]]] {
            #expect(await Self.code { _ = try Self.callback(query) } == "unknown_state")
        }
        for purpose in ["prefetch", "Prefetch;prerender"] {
            #expect(await Self.code { _ = try SignInCallback(purpose: purpose) { _ in ["a"] } } == "prefetch")
        }
    }

    @Test("a state counts in the browser that got it, for ten minutes, and for its identity provider")
    func find() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let client = try Self.client(server)
        let (_, started) = try client.start(returnTo: nil, now: Self.now)
        var pending = PendingSignIns()
        pending.add(started)
        let callback = try Self.callback(["state": [started.state], "token": [Self.token]])
        #expect(try client.find(callback, in: pending, now: Self.now + 599).state == started.state)
        for (moment, kept, client) in [
            (Self.now + 600, pending, client), (Self.now - 121, pending, client), (Self.now, PendingSignIns(), client),
            (Self.now, pending, try Self.client(server, idp: "https://other.example")),
        ] {
            #expect(await Self.code { _ = try client.find(callback, in: kept, now: moment) } == "unknown_state")
        }
    }

    @Test("a state is used once, whatever the result, and the token is redeemed with verifier and redirect URI")
    func redeem() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let (client, used) = (try Self.client(server), UsedStatesInMemory())
        let (_, started) = try client.start(returnTo: nil)
        let right = try Self.callback(["state": [started.state], "token": [Self.token]])
        let reply = try await client.redeem(right, for: started, used: used, isSignedIn: false)
        #expect(reply == Fixture.reply())
        let sent = try VerifyRequest(body: try #require(server.requests.first).body)
        #expect(sent.token == Self.token && sent.redirectURI == "https://rp.example/cb")
        #expect(sent.codeVerifier == started.codeVerifier)

        // The same callback within seconds is a double click. A later one needs a signed-in browser.
        for isSignedIn in [false, true] {
            #expect(try await client.redeem(right, for: started, used: used, isSignedIn: isSignedIn) == nil)
        }
        // The same state with another token is no reload.
        let other = try Self.callback(["state": [started.state], "token": ["sst_other"]])
        for isSignedIn in [false, true] {
            #expect(
                await Self.code { _ = try await client.redeem(other, for: started, used: used, isSignedIn: isSignedIn) }
                    == "unknown_state")
        }
        #expect(server.requests.count == 1)
    }

    @Test("a finished sign-in knows its callback alone")
    func finished() throws {
        let pending = PendingSignIn(state: "s", codeVerifier: "v", idp: "i", returnTo: "/page", begunAt: Self.now)
        let right = try Self.callback(["state": ["s"], "token": [Self.token]])
        var done = PendingSignIns()
        done.finish(pending, by: right)
        let stored = try JSONDecoder().decode(PendingSignIns.self, from: JSONEncoder().encode(done))
        #expect(stored.finishedReturnTo(right) == "/page")
        for query in [
            ["state": ["s"], "token": ["sst_other"]], ["state": ["s"]], ["state": ["x"], "token": [Self.token]],
            ["state": ["s"], "token": [Self.token], "error": ["access_denied"]],
        ] {
            #expect(try stored.finishedReturnTo(Self.callback(query)) == nil, "\(query)")
        }
    }

    @Test("an error, no token and two tokens are refused without a call, and the state is used")
    func refusals() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let (client, used) = (try Self.client(server), UsedStatesInMemory())
        for (query, code) in [
            (["error": ["access_denied"], "token": [Self.token]], "access_denied"),
            (["error": ["access_denied", "access_denied"]], "sign_in_refused"), (["error": [""]], "sign_in_refused"),
            (["error": ["server_error"]], "idp_unavailable"),
            (["error": ["invalid_request"]], "sign_in_refused"), ([:], "no_token"),
            (["token": [Self.token, Self.token]], "no_token"), (["token": [""]], "no_token"),
        ] as [([String: [String]], String)] {
            let (_, started) = try client.start(returnTo: "/account")
            let callback = try Self.callback(query.merging(["state": [started.state]]) { $1 })
            for expected in [code, "unknown_state"] {
                let found = await Self.code {
                    _ = try await client.redeem(callback, for: started, used: used, isSignedIn: true)
                }
                #expect(found == expected)
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "each failure of the back channel has its status and leads to a new start",
        arguments: [
            (BackChannelError.rejected(.invalidToken, description: nil), 400, "invalid_token"),
            (.rejected(.invalidSignature, description: nil), 502, "not_verified"),
            (.untrusted("x"), 502, "not_verified"),
            (.unavailable("x"), 503, "idp_unavailable"),
        ])
    func words(_ failure: BackChannelError, _ status: Int, _ code: String) {
        let error = SignInError.notVerified(failure, returnTo: "/account?a=b")
        #expect(error.status == status && error.code == code && (error.retryAfter != nil) == (status == 503))
        #expect(error.startAgain == "/auth/sso/start?return_to=/account%3Fa%3Db")
    }

    @Test(
        "the identity provider's error_description is in the cause for the log, as a short line of printable ASCII only"
    )
    func descriptions() {
        let long = String(repeating: "x", count: 301)
        for (given, isLogged) in [
            ("state is missing", true), (long, false), ("a\nb", false), ("é", false), ("", false),
        ] {
            let refused = SignInError.refused("invalid_request", description: given, returnTo: "/")
            #expect(refused.cause.hasSuffix(": \(given)") == isLogged, "\(refused.cause)")
            #expect(!refused.explanation(idp: "Main App").contains("missing"), "it is not for users")
            let read = VerifyError.description(in: VerifyError.invalidToken.body(description: given))
            #expect((read == given) == isLogged)
            let rejected = SignInError.notVerified(.rejected(.invalidToken, description: read), returnTo: "/")
            #expect(rejected.cause == "rejected: invalid_token" + (isLogged ? ". \(given)" : ""))
        }
    }

    @Test("a token in a description, or in place of a method or class, is not in the cause for the log")
    func secrets() throws {
        let token = try SSOToken().wire
        let jwt = "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"
        for secret in [token, jwt, "sor_" + String(repeating: "A", count: 43)] {
            let text = "cannot read \(secret) of the request"
            let read = VerifyError.description(in: VerifyError.invalidToken.body(description: text))
            let causes = [
                SignInError.refused("invalid_request", description: text, returnTo: "/").cause,
                SignInError.notVerified(.rejected(.invalidToken, description: read), returnTo: "/").cause,
                SignInError.methodNotAccepted([secret], returnTo: "/").cause,
                SignInError.tooWeak(secret, returnTo: "/").cause,
            ]
            for cause in causes {
                #expect(cause.contains("<redacted>") && !cause.contains(secret.dropFirst(4)), "\(cause)")
            }
            #expect(causes[0].contains(": cannot read "))
        }
        let words = "It must be sst_ and 43 characters."
        #expect(VerifyError.readable(words) == words, "a sentence about the form")
    }

    @Test("of a hundred uses of a state at once exactly one is the first")
    func oneWinner() async throws {
        let used = UsedStatesInMemory()
        let uses = try await withThrowingTaskGroup(of: StateUse.self) { group in
            for number in 0..<100 { group.addTask { try used.use("state", callback: [UInt8(number)]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(uses.count { $0 == .first } == 1)
        used.noteFailure("state")
        #expect(try used.use("state", callback: [200]) == .again(repeats: false, recently: true, failed: true))
    }

    @Test(
        "states in memory are bounded: further ones are refused with a 503, and none is forgotten while its cookie counts"
    )
    func bounded() throws {
        let now = Mutex(ContinuousClock.now)
        let used = UsedStatesInMemory(limit: 3) { now.withLock { $0 } }
        func pass(_ time: Duration) { now.withLock { $0 += time } }
        for state in ["a", "b", "c"] { #expect(try used.use(state, callback: []) == .first) }
        let error = #expect(throws: SignInError.self) { try used.use("d", callback: []) }
        #expect(error?.status == 503 && error?.retryAfter != nil)
        pass(.seconds(600 + 4 * 120 - 1))
        #expect(throws: SignInError.self) { try used.use("d", callback: []) }
        #expect(try used.use("a", callback: []) == .again(repeats: true, recently: false, failed: false))
        pass(.seconds(60))
        for state in ["d", "e", "f"] { #expect(try used.use(state, callback: []) == .first) }
    }

    @Test("a cookie survives a round trip, and nothing else does; those that have expired are removed")
    func cookie() throws {
        let keys = try DerivedKeys.parse(String(repeating: "0123456789abcdef", count: 2), setting: "KEY")
        let other = try DerivedKeys.parse(String(repeating: "fedcba9876543210", count: 2), setting: "KEY")
        let cookie = PendingSignInsCookie(keys: keys)
        let started = PendingSignIn(state: "s", codeVerifier: "v", idp: "i", returnTo: "/a", begunAt: Self.now)
        let first = try cookie.changes(adding: started, to: [], prefix: "p_", now: Self.now)
        let value = try #require(first.last?.value)
        #expect(first.map(\.id) == [PendingSignInsCookie.id(of: "s")])
        #expect(cookie.read(value).open.map(\.state) == ["s"] && !value.contains("="))
        #expect(PendingSignInsCookie(keys: other).read(value).open.isEmpty)
        for bad in ["", "x", String(value.dropLast()), value + "A", value + "=", String(repeating: "A", count: 5000)] {
            #expect(cookie.read(bad).open.isEmpty)
        }
        var kept = Dictionary(uniqueKeysWithValues: first.map { ($0.id, $0.value) })
        func start(_ state: String, at moment: Date, path: String = "/a") throws {
            let next = PendingSignIn(state: state, codeVerifier: "v", idp: "i", returnTo: path, begunAt: moment)
            // Another service of the host has cookies, too.
            let fields = ["other=1"] + kept.map { "x=p_; p_\($0.key)=\($0.value ?? "")" }
            for (id, value) in try cookie.changes(adding: next, to: fields, prefix: "p_", now: moment) {
                kept.updateValue(value, forKey: id)
            }
        }
        try start("t", at: Self.now + 600)
        #expect(kept.filter { $0.value == nil }.map(\.key) == [PendingSignInsCookie.id(of: "s")])
        // With long return paths fewer fit, the newest always.
        for number in 0..<12 {
            kept = kept.filter { $0.value != nil }
            let path = "/" + String(repeating: "a", count: 1000)
            try start("s\(number)", at: Self.now + 600 + Double(number), path: path)
        }
        let bytes = kept.compactMap { $0.value.map { $0.utf8.count + 11 } }
        #expect(bytes.reduce(0, +) <= 4000)
        let newest = try #require(kept[PendingSignInsCookie.id(of: "s11")])
        #expect(cookie.read(newest).open.map(\.state) == ["s11"])
    }
}
