import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("How a client secret is sent", .rules)
struct TokenAuthMethodTests {
    private static let both: JSONValue = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
    private static let refusal = #"{"error":"invalid_client","error_description":"first"}"#

    /// The methods of the calls of the token endpoint, in order.
    private func methods(_ fixture: OpenIDFixture) -> [Provider.AuthMethod?] {
        fixture.transport.requests(to: fixture.tokenURL).map { request in
            if request.headers.contains(where: { $0.hasPrefix("Authorization: Basic ") }) { return .basic }
            guard case .post(let body) = request.method else { return nil }
            return String(decoding: body, as: UTF8.self).contains("client_secret=secret") ? .post : nil
        }
    }

    /// A token endpoint that takes only one method, and answers another one with a status and a body.
    private func take(
        _ method: Provider.AuthMethod, _ fixture: OpenIDFixture, answer: String? = nil, status: Int = 401,
        refusal: String = Self.refusal
    ) throws {
        let body = try answer ?? StandInJSON.text(["id_token": .string(fixture.token().text())])
        let answerStatus = answer == nil ? 200 : 400
        fixture.transport.on(fixture.tokenURL) { request in
            let isBasic = request.headers.contains { $0.hasPrefix("Authorization: ") }
            guard isBasic == (method == .basic) else {
                return .success(ScriptedTransport.response(refusal, status: status))
            }
            return .success(ScriptedTransport.response(body, status: answerStatus))
        }
    }

    private func signIn(_ fixture: OpenIDFixture) async -> String? {
        await OpenIDFixture.reason { _ = try await fixture.client.identity(fixture.provider, fixture.answer) }
    }

    @Test(
        "where the document names both or neither, the other one is tried after invalid_client, and used from then on",
        arguments: [nil, .null, [], both] as [JSONValue?], [400, 401])
    func second(_ list: JSONValue?, _ status: Int) async throws {
        let log = CapturedLog()
        let fixture = try OpenIDFixture(logger: log.logger("test"))
        fixture.serveDiscovery { $0["token_endpoint_auth_methods_supported"] = list }
        try take(.post, fixture, status: status)
        #expect(await signIn(fixture) == nil)
        #expect(methods(fixture) == [.basic, .post])
        #expect(log.text.contains("provider_auth_method_found") && log.text.contains("client_secret_post"))
        #expect(await signIn(fixture) == nil)
        #expect(methods(fixture) == [.basic, .post, .post])
        // The provider has changed its mind.
        try take(.basic, fixture, status: status)
        #expect(await signIn(fixture) == nil)
        #expect(await signIn(fixture) == nil)
        #expect(methods(fixture).suffix(3) == [.post, .basic, .basic])
    }

    @Test(
        "a document that names one method decides, and there is no second try", arguments: Provider.AuthMethod.allCases)
    func named(_ method: Provider.AuthMethod) async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery {
            $0["token_endpoint_auth_methods_supported"] = ["private_key_jwt", .string(method.rawValue)]
        }
        try take(method == .basic ? .post : .basic, fixture)
        #expect(await signIn(fixture) == "token_endpoint_refused")
        #expect(methods(fixture) == [method])
    }

    @Test(
        "the settings decide, whatever the document says, and there is no second try",
        arguments: Provider.AuthMethod.allCases,
        [nil, both, ["private_key_jwt"], ["client_secret_basic"], "client_secret_basic", 1] as [JSONValue?])
    func settings(_ method: Provider.AuthMethod, _ list: JSONValue?) async throws {
        var fixture = try OpenIDFixture()
        fixture.provider.authMethod = method
        fixture.serveDiscovery { $0["token_endpoint_auth_methods_supported"] = list }
        #expect(await OpenIDFixture.reason { _ = try await fixture.client.check(fixture.provider) } == nil)
        try take(method, fixture)
        #expect(await signIn(fixture) == nil)
        try take(method == .basic ? .post : .basic, fixture)
        #expect(await signIn(fixture) == "token_endpoint_refused")
        #expect(methods(fixture) == [method, method])
    }

    @Test("when both are refused the first refusal is reported, and the next sign-in begins in the same order")
    func wrongSecret() async throws {
        let fixture = try OpenIDFixture()
        let count = Counter()
        fixture.transport.on(fixture.tokenURL) { _ in
            let words = count.next() % 2 == 1 ? "first" : "second"
            let body = #"{"error":"invalid_client","error_description":"\#(words)"}"#
            return .success(ScriptedTransport.response(body, status: 401))
        }
        for _ in 1...2 {
            do {
                _ = try await fixture.client.identity(fixture.provider, fixture.answer)
                Issue.record("an identity without a token")
            } catch {
                #expect(error.reason == "token_endpoint_refused" && error.detail == "invalid_client: first")
                #expect(error.meaning == .setup)
            }
        }
        #expect(methods(fixture) == [.basic, .post, .basic, .post])
    }

    @Test("a provider that has used up the code at the first try costs one sign-in, and the next one works")
    func usedCode() async throws {
        let fixture = try OpenIDFixture()
        try take(.post, fixture, answer: #"{"error":"invalid_grant"}"#)
        #expect(await signIn(fixture) == "token_endpoint_refused")
        try take(.post, fixture)
        #expect(await signIn(fixture) == nil)
        #expect(methods(fixture) == [.basic, .post, .post])
    }

    @Test("a second try without an answer is reported as the first refusal")
    func noAnswer() async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.tokenURL) { request in
            request.headers.contains { $0.hasPrefix("Authorization: ") }
                ? .success(ScriptedTransport.response(Self.refusal, status: 401)) : .failure(.timedOut)
        }
        #expect(await signIn(fixture) == "token_endpoint_refused")
        #expect(methods(fixture) == [.basic, .post])
    }

    @Test(
        "another error, another status and another kind of client get no second try",
        arguments: [
            (401, #"{"error":"invalid_grant"}"#), (400, #"{"error":"unauthorized_client"}"#),
            (403, #"{"error":"invalid_client"}"#), (200, #"{"error":"invalid_client"}"#),
            (400, #"{"error":null}"#), (500, #"{"error":"invalid_client"}"#), (401, #"{"error":"Invalid_Client"}"#),
        ])
    func noSecond(_ status: Int, _ body: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.tokenURL, body, status: status)
        #expect(await signIn(fixture) != nil)
        #expect(methods(fixture) == [.basic])
        var other = try OpenIDFixture()
        other.provider = other.provider.with(Provider.Credential.none)
        other.transport.on(other.tokenURL, Self.refusal, status: 401)
        #expect(await signIn(other) == "token_endpoint_refused")
        #expect(methods(other) == [nil])
    }
}

/// Counts the calls of a handler.
private final class Counter: Sendable {
    private let count = LatestValues<Int>()

    /// 1, 2, 3 … The calls come one after the other.
    func next() -> Int {
        let number = (count[""] ?? 0) + 1
        _ = count.set(number, for: "")
        return number
    }
}
