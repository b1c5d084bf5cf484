import ProbeKit
import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPProviderSignIn
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Answers of `form_post` are kept until their browser comes for them. Anybody with a pending attempt can send one.
@Suite("Parked answers of providers", .program, .alsoOnPostgres)
struct ParkedAnswerTests {
    private static let settings = ["IDP_TRUSTED_PROXIES": "192.0.2.0/24", "IDP_LIMIT_CODE_POSTS": "3"]

    private static func begin(_ place: ProviderDeployment, in browser: Browser) async throws -> StandInAnswer {
        let page = try await browser.get(place.deployment.origin + "/sign-in")
        return try await place.standIn(.oidc).visit(from: page, in: browser)
    }

    private static func open(
        _ settings: [String: String] = [:], _ body: (ProviderDeployment) async throws -> Void
    ) async throws {
        try await ProviderDeployment.open([.oidc], lines: ["response_mode: form_post"], settings: settings, body)
    }

    /// The bytes of all answers that are kept.
    private static func keptBytes(_ place: ProviderDeployment) async throws -> Int {
        try await place.deployment.stored.providerAttempts.answerBytes()
    }

    private static func store(_ place: ProviderDeployment) -> ProviderAttemptStore {
        ProviderAttemptStore(database: place.deployment.database, clock: place.deployment.clock.clock)
    }

    @Test("each field and all together are bounded, and a code of 4000 characters signs in")
    func sizes() async throws {
        try await Self.open { place in
            let standIn = try place.standIn(.oidc)
            func long(_ count: Int) -> String { String(repeating: "a", count: count) }
            let refused: [[String: String?]] = [
                ["code": long(4097)], ["iss": long(1025)], ["user": long(2049)], ["state": long(1025)],
                ["code": nil, "error": long(1025)], ["code": long(4096), "iss": long(1024)],
                ["code": long(4000), "user": long(2000)], ["user": String(repeating: "\u{1}", count: 2048)],
            ]
            for changes in refused {
                let answer = try await Self.begin(place, in: place.deployment.browser())
                let visit = try await place.deployment.browser().postFromOtherSite(answer.with(changes))
                #expect(visit.status == 400)
                #expect(try await Self.keptBytes(place) == 0)
            }
            #expect(place.refusals("malformed_answer") == refused.count)
            let browser = place.deployment.browser()
            let answer = try await Self.begin(place, in: browser)
            let code = long(4000)
            standIn.state.withLock { $0.grants[code] = $0.grants[answer.code] }
            let parked = try await browser.postFromOtherSite(answer.with(["code": code]))
            #expect(try await (4000...ParkedAnswers.maximumBytes + 64).contains(Self.keptBytes(place)))
            #expect(try await browser.get(parked.location()).status == 303)
            #expect(try await Self.keptBytes(place) == 0)
            #expect(try await place.deployment.signedInSessions() == 1)
        }
    }

    @Test("an answer nobody comes for goes with the attempt's ten minutes, and its browser is told that it is late")
    func late() async throws {
        try await Self.open { place in
            let browser = place.deployment.browser()
            let answer = try await Self.begin(place, in: browser)
            let parked = try await browser.postFromOtherSite(answer)
            _ = try await Self.store(place).purge(limit: 100)
            #expect(try await Self.keptBytes(place) > 0)
            place.deployment.clock.advance(by: .minutes(10))
            #expect(try await Self.store(place).purge(limit: 100) == 1)
            #expect(try await Self.keptBytes(place) == 0)
            #expect(try await place.deployment.rows(of: "provider_attempt") == 1)
            #expect(try await browser.get(parked.location()).status == 400)
            #expect(place.refusals("attempt_expired") == 1)
            place.deployment.clock.advance(by: .hours(1))
            _ = try await Self.store(place).purge(limit: 100)
            #expect(try await place.deployment.rows(of: "provider_attempt") == 0)
        }
    }

    @Test("answers that nobody comes for keep no other browser of the network out, and one session has eight at most")
    func network() async throws {
        try await Self.open(Self.settings) { place in
            let visitor = place.deployment.browser(from: "127.0.0.7")
            for _ in 1...12 {
                #expect(try await visitor.postFromOtherSite(Self.begin(place, in: visitor)).status == 303)
            }
            #expect(try await place.deployment.rows(of: "provider_attempt") == 8)
            for number in 1...6 {
                try place.standIn(.oidc).user = .init(subject: "s\(number)", email: "user-\(number)@example.com")
                let browser = place.deployment.browser(from: "127.0.0.7")
                #expect(try await browser.bring(Self.begin(place, in: browser)).status == 303)
            }
            #expect(try await place.deployment.signedInSessions() == 6)
        }
    }

    @Test("an attempt has one answer, the first")
    func once() async throws {
        try await Self.open(Self.settings) { place in
            let browser = place.deployment.browser()
            let answer = try await Self.begin(place, in: browser)
            for expected in [303, 400, 400, 400, 400] {
                #expect(try await browser.postFromOtherSite(answer).status == expected)
            }
        }
    }

    @Test("a session begins thirty sign-ins at providers a minute, and another session of its network goes on")
    func starts() async throws {
        try await Self.open(Self.settings) { place in
            let visitor = place.deployment.browser(from: "127.0.0.7")
            let page = try await visitor.get(place.deployment.origin + "/sign-in")
            let form = try page.page().form(to: ProviderStart.prefix + Provider.Kind.oidc.testID)
            for _ in 1...30 { #expect(try await visitor.submit(form, on: page).status == 303) }
            #expect(try await visitor.submit(form, on: page).status == 429)
            #expect(try await place.deployment.rows(of: "provider_attempt") == 8)
            let other = place.deployment.browser(from: "127.0.0.7")
            #expect(try await other.bring(Self.begin(place, in: other)).status == 303)
            place.deployment.clock.advance(by: .minutes(2))
            #expect(try await visitor.submit(form, on: page).status == 303)
        }
    }
}
