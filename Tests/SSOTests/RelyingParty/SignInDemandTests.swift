import Foundation
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOClient
@testable import SSOShared
@testable import TestKit
@testable import WebTestKit

/// The browser can remove `prompt` and `max_age` from the link. What counts is the verified answer.
@Suite("What a relying party demands of a sign-in", .program)
struct SignInDemandTests {
    typealias Fixture = BackChannelFixture

    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// - Parameter age: nil for a sign-in whose moment is not proven.
    private static func session(_ age: Int?, _ methods: [String] = ["email_code"]) -> VerifiedSession {
        VerifiedSession(id: "s1", authenticatedAt: age.map { 1_790_000_000 - $0 }, methods: methods)
    }

    private static func client(_ server: BackChannelStub) throws -> SignInClient {
        SignInClient(
            idp: "https://idp.example", clientID: Fixture.clientID, redirectURI: "https://rp.example/cb",
            backChannel: try Fixture.client(server.origin))
    }

    /// Brings a token and an answer of this age back to a sign-in.
    private static func redeem(
        _ pending: PendingSignIn, age: Int?, methods: [String] = ["email_code"], used: UsedStatesInMemory = .init(),
        now: Date = now
    ) async throws -> String? {
        let reply = Fixture.reply()
        let body = VerifyReply(user: reply.user, clientID: reply.clientID, session: session(age, methods)).body()
        let server = try BackChannelStub { .bytes(Fixture.signed($0, body: body)) }
        defer { server.stop() }
        let callback = try SignInCallback { ["state": [pending.state], "token": [Fixture.token]][$0] ?? [] }
        do {
            let reply = try await client(server).redeem(
                callback, for: pending, used: used, isSignedIn: false, now: now)
            return reply == nil ? "nil" : nil
        } catch { return (error as? SignInError)?.code ?? "\(error)" }
    }

    private static func start(
        _ wishes: SignInWishes = .init(), _ demand: SignInDemand = .init()
    ) throws -> (url: String, pending: PendingSignIn) {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        return try client(server).start(returnTo: "/payments", asking: wishes, demanding: demand, now: now)
    }

    @Test(
        "wishes are in the link, each once",
        arguments: [
            (SignInWishes(), SignInDemand(), ""),
            (SignInWishes(prompt: .login), SignInDemand(), "&prompt=login"),
            (SignInWishes(prompt: .silent), SignInDemand(), "&prompt=none"),
            (SignInWishes(prompt: .selectAccount), SignInDemand(), "&prompt=select_account"),
            (SignInWishes(maxAge: .minutes(5)), SignInDemand(), "&max_age=300"),
            (SignInWishes(maxAge: .milliseconds(1999)), SignInDemand(), "&max_age=1"),
            (SignInWishes(maxAge: .seconds(-5)), SignInDemand(), "&max_age=0"),
            (SignInWishes(maxAge: .seconds(Int64.max)), SignInDemand(), "&max_age=2147483647"),
            (SignInWishes(loginHint: "a+b@example.com"), SignInDemand(), "&login_hint=a%2Bb%40example.com"),
            // A demanded age is asked for, the shorter of two wins, and methods cannot be asked for.
            (SignInWishes(), SignInDemand(maximumAge: .minutes(1)), "&max_age=60"),
            (SignInWishes(maxAge: .hours(1)), SignInDemand(maximumAge: .minutes(1)), "&max_age=60"),
            (SignInWishes(maxAge: .seconds(10)), SignInDemand(maximumAge: .minutes(1)), "&max_age=10"),
            (SignInWishes(), SignInDemand(methods: ["passkey"]), ""),
        ])
    func sent(wishes: SignInWishes, demand: SignInDemand, query: String) throws {
        let (url, _) = try Self.start(wishes, demand)
        let end = try #require(url.range(of: "code_challenge_method=S256"))
        #expect(url[end.upperBound...] == query)
    }

    @Test(
        "a sign-in may be a minute older than demanded, because two clocks differ, and not more",
        arguments: [
            (nil, [], 1_000_000, true), (300, [], 300, true), (300, [], 360, true), (300, [], 361, false),
            (0, [], 60, true), (0, [], 61, false), (300, [], -3600, true), (300, [], Int.min + 1_790_000_001, true),
            (300, [], 1_790_000_000, false), (nil, ["email_code"], 0, true), (nil, ["passkey", "email_code"], 0, true),
            (nil, ["passkey"], 0, false), (nil, ["EMAIL_CODE"], 0, false), (nil, ["email_cod"], 0, false),
            (nil, [""], 0, false), (300, ["passkey"], 0, false), (300, ["email_code"], 400, false),
        ] as [(Int?, [String], Int, Bool)])
    func table(maximumAge: Int?, methods: [String], age: Int, isMet: Bool) {
        let demand = SignInDemand(maximumAge: maximumAge.map { .seconds($0) }, methods: methods)
        let session = VerifiedSession(
            id: "s", authenticatedAt: 1_790_000_000.subtractingReportingOverflow(age).partialValue,
            methods: ["email_code"])
        #expect(demand.isMet(by: session, now: Self.now) == isMet)
    }

    @Test("an answer without methods meets no demand for one, and an absurd time does not end the process")
    func extremes() {
        let demand = SignInDemand(maximumAge: .minutes(5), methods: ["email_code"])
        #expect(!demand.isMet(by: Self.session(0, []), now: Self.now))
        #expect(demand.isMet(by: Self.session(0, ["other", "email_code"]), now: Self.now))
        for (time, isMet) in [(Int.min, false), (Int.max, true)] {
            let session = VerifiedSession(id: "s", authenticatedAt: time, methods: ["email_code"])
            #expect(demand.isMet(by: session, now: Self.now) == isMet)
        }
    }

    @Test("the callback refuses an older sign-in, and another method; the state is used, and the page is offered again")
    func callback() async throws {
        for (wishes, demand, age, methods, code) in [
            (.init(prompt: .login), .init(), 60, ["email_code"], nil),
            (.init(prompt: .login), .init(), 61, ["email_code"], "sign_in_too_old"),
            (.init(maxAge: .minutes(5)), .init(), 360, ["email_code"], nil),
            (.init(maxAge: .minutes(5)), .init(), 361, ["email_code"], "sign_in_too_old"),
            (.init(), .init(maximumAge: .minutes(5)), 361, ["email_code"], "sign_in_too_old"),
            (.init(), .init(methods: ["passkey"]), 0, ["email_code"], "method_not_accepted"),
            (.init(), .init(methods: ["passkey"]), 0, ["email_code", "passkey"], nil),
            (.init(prompt: .selectAccount), .init(), 40_000, ["email_code"], nil),
            (.init(prompt: .silent), .init(), 40_000, [], nil), (.init(), .init(), 40_000, [], nil),
            (.init(prompt: .login), .init(), nil, ["google"], "sign_in_too_old"),
            (.init(maxAge: .seconds(2_147_483_647)), .init(), nil, ["google"], "sign_in_too_old"),
            (.init(), .init(maximumAge: .seconds(2_147_483_647)), nil, ["google"], "sign_in_too_old"),
            (.init(), .init(methods: ["google"]), nil, ["google"], nil), (.init(), .init(), nil, ["google"], nil),
        ] as [(SignInWishes, SignInDemand, Int?, [String], String?)] {
            let (_, pending) = try Self.start(wishes, demand)
            let used = UsedStatesInMemory()
            let found = try await Self.redeem(pending, age: age, methods: methods, used: used)
            #expect(found == code, "\(wishes) \(demand) \(age.map { "\($0)" } ?? "without a time")")
            guard code != nil else { continue }
            let again = try await Self.redeem(pending, age: 0, methods: ["passkey"], used: used)
            #expect(again == "unknown_state", "a refused sign-in does not become a good one")
        }
        let error = SignInError.tooOld(authenticatedAt: 5, returnTo: "/payments")
        #expect(error.status == 400 && error.startAgain == "/auth/sso/start?return_to=/payments")
        #expect(error.cause.hasSuffix("authenticated_at is 5"))
        #expect(SignInError.tooOld(authenticatedAt: nil, returnTo: "/").cause.hasSuffix("authenticated_at is missing"))
        #expect(SignInError.methodNotAccepted(["a", "b"], returnTo: "/").cause.hasSuffix(": a b"))
        #expect(SignInError.methodNotAccepted(["a\nb"], returnTo: "/").cause.hasSuffix(": -"))
    }

    @Test("prompt=login counts from the start of the sign-in, however long the user takes")
    func slowUser() async throws {
        let (_, pending) = try Self.start(.init(prompt: .login))
        let later = Self.now + 599
        #expect(try await Self.redeem(pending, age: -590, now: later) == nil)
        #expect(try await Self.redeem(pending, age: 61, now: later) == "sign_in_too_old")
    }

    @Test("the demand is in the sealed cookie of its own sign-in; one that was sealed without any demands nothing")
    func kept() async throws {
        let keys = try DerivedKeys.parse(String(repeating: "0123456789abcdef", count: 2), setting: "KEY")
        let cookie = PendingSignInsCookie(keys: keys)
        let plain = try Self.start().pending
        let strict = try Self.start(.init(prompt: .login), .init(maximumAge: .minutes(5), methods: ["passkey"])).pending
        func kept(_ pending: PendingSignIn) throws -> PendingSignIn? {
            let changes = try cookie.changes(adding: pending, to: [], prefix: "p_", now: Self.now)
            return cookie.read(changes.last?.value).find(pending.state, now: Self.now)
        }
        let read = try #require(try kept(strict))
        #expect(read.isNew == true && read.maximumAge == 300 && read.methods == ["passkey"])
        #expect(try await Self.redeem(read, age: 500) == "sign_in_too_old")
        let other = try #require(try kept(plain))
        #expect(other.isNew == nil && other.maximumAge == nil && other.methods == nil)

        let earlier = #"{"state":"s","codeVerifier":"v","idp":"i","returnTo":"/","begunAt":1790000000000}"#
        let decoded = try JSONDecoder().decode(PendingSignIn.self, from: Data(earlier.utf8))
        #expect(decoded.isNew == nil && decoded.maximumAge == nil && decoded.methods == nil)
    }

    @Test("with the real identity provider: asked, signed in again, accepted; with prompt or max_age removed, refused")
    func endToEnd() async throws {
        for (wishes, parameter) in [
            (SignInWishes(prompt: .login), "&prompt=login"), (SignInWishes(maxAge: .minutes(5)), "&max_age=300"),
        ] {
            try await TestDeployment.open { deployment in
                let partner = deployment.client
                let client = SignInClient(
                    idp: deployment.origin, clientID: partner.id, redirectURI: partner.callback,
                    backChannel: try BackChannelClient(
                        origin: "http://127.0.0.1:\(deployment.port)", clientID: partner.id,
                        secret: try .parse(partner.secret, setting: "secret")))
                func redeem(_ complete: Visit, _ pending: PendingSignIn) async throws -> VerifyReply? {
                    let address = try complete.callback()
                    let callback = try SignInCallback { address.query($0).map { [$0] } ?? [] }
                    return try await client.redeem(
                        callback, for: pending, used: UsedStatesInMemory(), isSignedIn: false,
                        now: deployment.clock.now.date)
                }
                let browser = try await deployment.signedIn()
                deployment.clock.advance(by: .minutes(30))
                let now = deployment.clock.now.date
                let (url, stripped) = try client.start(returnTo: nil, asking: wishes, now: now)
                let short = try await browser.get(url.replacing(parameter, with: ""))
                let error = await #expect(throws: SignInError.self) { _ = try await redeem(short, stripped) }
                #expect(error?.code == "sign_in_too_old")

                let (whole, pending) = try client.start(returnTo: nil, asking: wishes, now: now)
                let form = try await browser.follow(browser.get(whole))
                #expect(form.address.path == "/sign-in")
                let waiting = try await browser.ask(for: "ann@example.com", on: form)
                let complete = try await browser.enter(
                    deployment.mailbox.code(to: "ann@example.com", count: 2), on: waiting)
                let reply = try await redeem(complete, pending)
                #expect(reply?.session.authenticatedAt == deployment.clock.now.seconds)
            }
        }
    }

    @Test("the identity provider's login_required has words of its own at the sample relying party")
    func loginRequired() async throws {
        for (language, words) in [("en", "You need to sign in"), ("de", "Bitte melden Sie sich an")] {
            try await TestDeployment.open { deployment in
                let browser = deployment.browser(language: language)
                let state = try await browser.state(at: deployment.client, returnTo: "/account")
                let asked = try await browser.get(
                    deployment.authorize(deployment.client, state: state) + "&prompt=none")
                let page = try await browser.follow(asked)
                #expect(page.status == 400 && page.text.contains(words))
                #expect(try page.page().link(containing: "return_to=/account") != nil)
            }
        }
    }
}
