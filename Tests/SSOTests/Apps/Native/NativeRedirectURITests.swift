import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOClient
@testable import SSOShared
@testable import TestKit

@Suite("RP_NATIVE_REDIRECT_URI", .program)
struct NativeRedirectURITests {
    private static func read(_ value: String, publicURL: String = "https://partner.example") -> SettingsReader {
        SettingsFixture.read(
            .client,
            [
                "RP_NATIVE_REDIRECT_URI": value, "RP_PUBLIC_URL": publicURL, "RP_IDP_URL": "https://idp.example",
                "RP_SECRET_KEY": TestSecret.new(), "SSO_SHARED_SECRET": TestSecret.new(),
            ])
    }

    @Test(
        "a private scheme with a dot, and an https address that opens the app, are accepted as they are",
        arguments: [
            "com.example.partner:/callback", "com.example.partner:/", "com.example.partner://done",
            "com.example.partner:/callback?app=1", "https://partner.example/app/callback",
            "https://app.partner.example/callback",
        ])
    func accepted(uri: String) {
        let reader = Self.read(uri)
        #expect(reader.problems == [])
        #expect(reader.lines.contains { $0.name == "RP_NATIVE_REDIRECT_URI" && $0.shown == uri })
    }

    @Test(
        "anything else stops the start",
        arguments: [
            "partner:/callback", "Com.Example.Partner:/callback", "javascript:alert(1)", "intent:#Intent;end",
            "data:text/html,x", "com.example.partner", "/callback", "http://127.0.0.1:9000/callback",
            "http://partner.example/callback", "https:///callback", "https://user@partner.example/callback",
            "com.example.partner:/callback#part", "com.example.partner:/callback?state=1",
            "com.example.partner:/callback?%74oken=1", "com.example.partner:/*", "com.example.partner:/ä",
            "com.example.partner:/a b", "com.example.partner:/%zz",
            "https://partner.example/auth/sso/callback", "com.example.partner:/" + String(repeating: "a", count: 240),
        ])
    func refused(uri: String) {
        let reader = Self.read(uri)
        #expect(reader.problems.count == 1)
        #expect(reader.problems.allSatisfy { $0.hasPrefix("RP_NATIVE_REDIRECT_URI: ") }, "\(reader.problems)")
    }

    @Test("there is room for five pending sign-ins of an app with the longest URI")
    func room() throws {
        let keys = try DerivedKeys.parse(String(repeating: "0123456789abcdef", count: 2), setting: "KEY")
        let cookie = PendingSignInsCookie(keys: keys)
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let uri = "com.example.partner:/" + String(repeating: "a", count: 234)
        #expect(uri.utf8.count == 255)
        var kept: [String: String] = [:]
        let states = (1...5).map { "\($0)" + String(repeating: "s", count: 42) }
        for state in states {
            let pending = PendingSignIn(
                state: state, codeVerifier: String(repeating: "v", count: 43), idp: "https://idp.example.com",
                returnTo: "/account", begunAt: now, redirectURI: uri)
            let sent = kept.map { "p_\($0.key)=\($0.value)" }.joined(separator: "; ")
            let changes = try cookie.changes(adding: pending, to: [sent], prefix: "p_", now: now)
            for (id, value) in changes { kept[id] = value }
        }
        for state in states {
            let read = cookie.read(kept[PendingSignInsCookie.id(of: state)])
            #expect(read.find(state, now: now)?.redirectURI == uri)
        }
    }

    @Test("a pending sign-in keeps the URI that was sent; one without a URI has the usual one")
    func kept() throws {
        let earlier = #"{"state":"s","codeVerifier":"v","idp":"i","returnTo":"/","begunAt":1790000000000}"#
        #expect(try JSONDecoder().decode(PendingSignIn.self, from: Data(earlier.utf8)).redirectURI == nil)
        let begunAt = Date(timeIntervalSince1970: 1_790_000_000)
        let usual = PendingSignIn(state: "s", codeVerifier: "v", idp: "i", returnTo: "/", begunAt: begunAt)
        let stored = String(decoding: try JSONEncoder().encode(usual), as: UTF8.self)
        #expect(!stored.contains("redirectURI"), "and is written as before")
    }

    @Test("the token is redeemed with the URI that was sent, the usual one for a pending sign-in without")
    func redeemed() async throws {
        typealias Fixture = BackChannelFixture
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let client = SignInClient(
            idp: "https://idp.example", clientID: Fixture.clientID, redirectURI: "https://rp.example/cb",
            backChannel: try Fixture.client(server.origin))
        for (uri, expected) in [
            (nil, "https://rp.example/cb"), ("com.example.rp:/cb", "com.example.rp:/cb"),
        ] as [(String?, String)] {
            let (url, pending) = try client.start(returnTo: nil, redirectURI: uri, now: now)
            #expect(url.contains("redirect_uri=\(FormCoding.encode(expected))&"))
            let callback = try SignInCallback { $0 == "state" ? [pending.state] : $0 == "token" ? [Fixture.token] : [] }
            _ = try await client.redeem(
                callback, for: pending, used: UsedStatesInMemory(), isSignedIn: false, now: now)
            let body = try JSONDecoding.value(try #require(server.requests.last).body)
            #expect(body["redirect_uri"]?.text == expected)
        }
    }
}
