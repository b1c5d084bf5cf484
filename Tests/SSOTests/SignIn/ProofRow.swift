import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A way to sign in, and whether it proves when: every sign-in method, with every kind of provider that says when it
/// authenticated its user and every one that does not.
struct ProofRow: Sendable, CustomTestStringConvertible {
    enum Way: Sendable {
        case method(TestedMethod)
        case provider(Provider.Kind, saysWhen: Bool)
    }

    let way: Way

    static let all: [ProofRow] =
        TestedMethod.allCases.filter { $0.provider == nil }.map { ProofRow(way: .method($0)) }
        + [
            (.oidc, true), (.oidc, false), (.microsoft, true), (.microsoft, false), (.apple, true), (.apple, false),
            (.google, false), (.github, false),
        ].map { ProofRow(way: .provider($0, saysWhen: $1)) }

    var kind: Provider.Kind? { if case .provider(let kind, _) = way { kind } else { nil } }

    var isProven: Bool { if case .provider(_, false) = way { false } else { true } }

    /// What verify calls it.
    var methodName: String {
        switch way {
        case .method(let method): method.rawValue
        case .provider(let kind, _): kind.testMethod
        }
    }

    /// One click proves one address. The others get one for each number, so that no limit and no earlier account counts.
    func address(_ number: Int) -> String {
        if case .method(.oneClick) = way { OneClickMethod.address } else { "user\(number)@example.com" }
    }

    /// The provider of a thief, which is another one.
    var thief: Provider.Kind { kind == .github ? .oidc : .github }

    var testDescription: String {
        switch way {
        case .method(let method): method.rawValue
        case .provider(let kind, let saysWhen): "\(kind.rawValue) \(saysWhen ? "with" : "without") auth_time"
        }
    }

    /// Opens a deployment with the providers of the row, which own their users' addresses.
    func open(_ body: (ProviderDeployment) async throws -> Void) async throws {
        let settings = ReplySettings.all.merging(HandoffApp.settings) { $1 }
        try await ProviderDeployment.open(
            (kind.map { [$0] } ?? []) + [thief], settings: settings, adding: OneClickMethod.added
        ) { place in
            if let kind, !isProven { try place.standIn(kind).claims { $0["auth_time"] = nil } }
            try await body(place)
        }
    }

    /// Signs in on a sign-in page, also where the button of the provider is missing. Redirects are followed.
    func signIn(_ number: Int, on page: Visit, in browser: Browser, _ place: ProviderDeployment) async throws -> Visit {
        switch way {
        case .method(let method):
            let proof = try await place.deployment.begin(method, on: page, in: browser, as: address(number))
            return try await browser.follow(proof.prove(in: browser))
        case .provider(let kind, _):
            let standIn = try place.standIn(kind)
            standIn.user = .init(
                subject: "\(1000 + number)", email: address(number),
                authTime: isProven ? place.deployment.clock.now : nil)
            let path = "/sign-in/with/\(kind.testID)"
            let pressed =
                if let form = try page.page().form(to: path) {
                    try await browser.submit(form, on: page)
                } else {
                    try await browser.post(
                        page.address.resolving(path),
                        [("form_token", try page.formToken()), ("flow", page.address.query("flow") ?? "")])
                }
            let leaving = try await browser.follow(pressed)
            let answer = try standIn.answer(to: standIn.authorizationURL(on: leaving))
            return try await browser.follow(browser.bring(answer))
        }
    }
}
