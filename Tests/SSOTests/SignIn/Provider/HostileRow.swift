import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// One thing that a provider, or the browser that comes from it, may do wrong, and how the log names it.
struct HostileRow: Sendable, CustomTestStringConvertible {
    typealias Preparation = @Sendable (ProviderDeployment) throws -> Void
    typealias Arrival = @Sendable (ProviderDeployment, Browser, StandInAnswer) async throws -> Visit

    let name: String
    /// The first one is the provider of the sign-in.
    var kinds: [Provider.Kind] = [.oidc]
    /// Further keys of its entry in the providers file.
    var lines: [String] = []
    /// The `reason` in the log.
    let reason: String
    /// 503 for a provider that cannot be used, 502 for one whose answer is not one; 200 for a refusal that leads back to the
    /// sign-in page.
    var status = 400
    /// Whether an honest sign-in with these settings works.
    var worksAfterwards = true
    /// What the provider does from now on.
    var prepare: Preparation = { _ in }
    /// What the browser does with the answer.
    var arrive: Arrival = { _, browser, answer in try await browser.follow(browser.bring(answer)) }

    /// How every ID token of the stand-ins begins.
    private static let tokenBeginning = "eyJhbGci"

    var testDescription: String { name }
    var kind: Provider.Kind { kinds.first ?? .oidc }
    /// The event in the log.
    var event: String {
        switch status {
        case 502: "provider_faulty"
        case 503: "provider_unavailable"
        default: "provider_answer_refused"
        }
    }
}

extension HostileRow {
    /// Another ID token, changed before it is signed.
    static func token(
        _ name: String, _ problem: ProviderError.AnswerError,
        _ change: @escaping @Sendable (inout StandInToken) throws -> Void
    ) -> HostileRow {
        HostileRow(
            name: name, reason: problem.rawValue, prepare: { place in try place.standIn(.oidc).idToken(change) })
    }

    /// Other claims, correctly signed.
    static func claims(
        _ name: String, _ problem: ProviderError.AnswerError,
        _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) -> HostileRow {
        HostileRow(
            name: name, reason: problem.rawValue, prepare: { place in try place.standIn(.oidc).claims(change) })
    }

    /// One claim with another value; nil removes it.
    static func claim(
        _ name: String, _ problem: ProviderError.AnswerError, _ claim: String, _ value: JSONValue?
    ) -> HostileRow {
        claims(name, problem) { $0[claim] = value }
    }

    /// An endpoint of the OpenID provider that answers something else.
    static func answering(
        _ name: String, _ reason: String, status: Int = 503, _ endpoint: StandInProvider.Endpoint,
        _ answer: StandInProvider.Answer
    ) -> HostileRow {
        HostileRow(
            name: name, reason: reason, status: status,
            prepare: { place in try place.standIn(.oidc).replace(endpoint) { _ in answer } })
    }

    /// An endpoint of the OpenID provider with other members in its JSON.
    static func altering(
        _ name: String, _ reason: String, status: Int = 503, _ endpoint: StandInProvider.Endpoint,
        _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
    ) -> HostileRow {
        HostileRow(
            name: name, reason: reason, status: status,
            prepare: { place in try place.standIn(.oidc).alter(endpoint, change) })
    }

    /// The browser brings the provider's answer with some fields changed; nil removes one.
    static func bringing(
        _ name: String, _ reason: String, status: Int = 400, _ changes: [String: String?]
    ) -> HostileRow {
        HostileRow(
            name: name, reason: reason, status: status,
            arrive: { _, browser, answer in try await browser.follow(browser.bring(answer.with(changes))) })
    }
}

extension HostileRow {
    /// Runs the rows of a group. Those with the same settings share a deployment, and at its end each of its providers
    /// signs an honest user in.
    static func run(_ rows: [HostileRow]) async throws {
        for set in Dictionary(grouping: rows, by: \.lines).values {
            var kinds: [Provider.Kind] = []
            for kind in set.flatMap(\.kinds) where !kinds.contains(kind) { kinds.append(kind) }
            try await ProviderDeployment.open(kinds, lines: set[0].lines) { place in
                for row in set {
                    do { try await row.run(in: place) } catch { Issue.record(error, "\(row.name)") }
                }
                if set.allSatisfy(\.worksAfterwards) { try await place.expectHonestSignIns(kinds) }
            }
        }
    }

    /// Lets the provider, or the browser, do it. Then no user is signed in, the log says why, and the page leads on.
    private func run(in place: ProviderDeployment) async throws {
        let deployment = place.deployment
        try place.heal()
        let earlier = deployment.log.count
        try prepare(place)
        let browser = deployment.browser()
        let (visit, secrets) = try await attack(place, browser)
        try await place.expectNobody(name)
        let log = deployment.log.text(after: earlier)
        let refusals = ProviderDeployment.refusals(in: log)
        #expect(refusals.map(\.reason) == [reason], "\(name)")
        #expect(refusals.map(\.event) == [event], "\(name)")
        #expect(visit.status == status, "\(name): \(visit.text)")
        // Only what an operator here can mend is an alarm.
        #expect(log.split(separator: "\n").contains { $0.hasPrefix("error ") } == (status == 503), "\(name)")
        #expect(visit.text.contains("can&#39;t be reached") == isOutage(reason), "\(name): \(visit.text)")
        try await expectWayOn(visit, in: browser)
        for secret in secrets + [Self.tokenBeginning] where !secret.isEmpty {
            #expect(!visit.text.contains(secret), "\(name): on the page")
            #expect(!log.contains(secret), "\(name): in the log")
        }
        #expect(!visit.text.contains("<script>alert"), "\(name)")
    }

    /// - Returns: where the browser ended, and what must neither be on that page nor in the log.
    private func attack(
        _ place: ProviderDeployment, _ browser: Browser
    ) async throws -> (Visit, secrets: [String]) {
        let standIn = try place.standIn(kind)
        let page = try await browser.follow(
            browser.get(place.deployment.authorize(place.client, state: "the-state")))
        let going = try await standIn.press(on: page, in: browser)
        // The provider cannot be used: the user learns it before leaving.
        guard going.status == 200 else { return (going, []) }
        let address = try standIn.authorizationURL(on: going)
        let answer = try standIn.answer(to: address)
        let nonce = try WebAddress(address).query("nonce") ?? ""
        return (try await arrive(place, browser, answer), [answer.code, answer.state, nonce])
    }

    /// Whether nothing has come from the provider.
    private func isOutage(_ reason: String) -> Bool {
        ["_timed_out", "_unreachable", "_address_refused"].contains(where: reason.hasSuffix)
            || (reason.hasSuffix("_status") && status == 503)
    }

    /// The page has exactly one link, which leads to the sign-in page or, where the flow is not in the browser, to the client; or it
    /// is the sign-in page.
    private func expectWayOn(_ visit: Visit, in browser: Browser) async throws {
        guard visit.status != 200 else {
            #expect(try visit.page().form(with: "email") != nil, "\(name)")
            return
        }
        // The link on the brand leads home.
        let ways = try visit.page().links.filter { $0 != "/" }
        let isElsewhere = reason == "other_browser"
        #expect(ways.count == 1 && ways.first?.hasPrefix(isElsewhere ? "http" : "/sign-in") == true, "\(name): \(ways)")
        guard !isElsewhere else { return }
        let next = try await browser.follow(browser.click(ways.first, on: visit))
        // A flow that is over leads back to its client, all others to the form.
        let isOver = try next.status == 410 && next.page().links.contains { $0.hasPrefix("http") }
        #expect(try isOver || next.status == 200 && next.page().form(with: "email") != nil, "\(name)")
    }
}

extension ProviderDeployment {
    /// The reasons of all refused answers and unavailable providers, in order.
    var refusalReasons: [String] { Self.refusals(in: deployment.log.text).map(\.reason) }

    /// The refused answers and unavailable providers of these lines, in order.
    static func refusals(in log: String) -> [(event: String, reason: String)] {
        log.split(separator: "\n").compactMap { line in
            let event = ["provider_answer_refused", "provider_unavailable", "provider_faulty"].first {
                line.contains(" \($0) ")
            }
            guard let event, let match = line.firstMatch(of: #/"reason": ([a-z0-9_]+)/#) else { return nil }
            return (event, String(match.1))
        }
    }

    /// No user is signed in, and there is neither an account nor an identity.
    func expectNobody(_ comment: String) async throws {
        #expect(try await deployment.signedInSessions() == 0, "\(comment): a session")
        #expect(try await deployment.rows(of: "account") == 0, "\(comment): an account")
        #expect(try await deployment.rows(of: "account_identity") == 0, "\(comment): an identity")
        #expect(deployment.events("signed_in") == 0, "\(comment)")
    }

    /// Each provider signs a user with an address of their own in.
    func expectHonestSignIns(_ kinds: [Provider.Kind]) async throws {
        try heal()
        for kind in kinds {
            try standIn(kind).user.email = "\(kind.rawValue)@example.com"
            let complete = try await signIn(kind, in: deployment.browser(), state: "honest")
            #expect(try complete.token().hasPrefix("sst_"), "\(kind): an honest sign-in afterwards")
        }
        #expect(try await deployment.rows(of: "account") == kinds.count)
    }

    /// Makes every provider honest again, and lets what the IdP has fetched be out of date.
    func heal() throws {
        for standIn in standIns {
            for endpoint in StandInProvider.Endpoint.allCases {
                standIn.replace(endpoint, nil)
                standIn.alter(endpoint, nil)
            }
            standIn.idToken(nil)
            standIn.user = .init()
            if standIn.kind != .github { try standIn.rotateKeys(algorithm: .rs256) }
        }
        deployment.clock.advance(by: .hours(25))
    }
}
