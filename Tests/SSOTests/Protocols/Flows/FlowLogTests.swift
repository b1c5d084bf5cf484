import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The flow in the log", .program, .alsoOnPostgres)
struct FlowLogTests {
    /// What a sign-in can be for, with the first page of its sign-in, the path that it ends at, and its own events.
    enum Purpose: CaseIterable, Sendable {
        case client, app, accountChange

        func begin(in browser: Browser, of place: ProviderDeployment) async throws -> Visit {
            let deployment = place.deployment
            switch self {
            case .client:
                return try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            case .app: return try await deployment.app().begin(in: browser)
            case .accountChange:
                // The account has one provider already, so the other one is added.
                let home = try await browser.home(of: deployment)
                return try await browser.follow(browser.pressAdd("google", on: home))
            }
        }

        var end: String {
            switch self {
            case .client: SSOPath.authorize
            case .app: "/auth/native/complete"
            case .accountChange: "/identities/confirm"
            }
        }

        var events: [String] {
            switch self {
            case .client: ["sign_in_requested", "token_issued"]
            case .app: ["handoff_started", "handoff_code_issued"]
            case .accountChange: ["account_change_waits"]
            }
        }
    }

    @Test(
        "every event of a sign-in carries one flow, whatever it is for: client, app or change to the account",
        arguments: Purpose.allCases, [TestedMethod.emailCode, .emailLink, .openID])
    func oneFlow(purpose: Purpose, method: TestedMethod) async throws {
        let settings = HandoffApp.settings.merging(ReplySettings.all) { $1 }
        try await ProviderDeployment.open([.oidc, .google], settings: settings) { place in
            let deployment = place.deployment
            let isChange = purpose == .accountChange
            let browser = isChange ? try await place.owner(adding: .oidc) : deployment.browser()
            deployment.clock.advance(by: .minutes(30))
            if isChange { try await deployment.forgetEmails(to: "ann@example.com") }
            let before = deployment.log.count
            let page = try await purpose.begin(in: browser, of: place)
            let proof = try await deployment.begin(method, on: page, in: browser)
            let end = try await browser.follow(proof.prove(in: browser))
            #expect(end.address.path == purpose.end, "\(end.text)")
            // The email's worker logs after the answer.
            let lines = deployment.log.text(after: before).split(separator: "\n")
            let flows = Set(lines.compactMap { $0.firstMatch(of: #/"flow": ([^,\]]+)/#)?.output.1 })
            #expect(flows.count == 1 && flows.first?.count == 12, "\(flows)")
            let first = method == .openID ? "provider_sign_in_started" : "mail_queued"
            for event in purpose.events + ["signed_in", first] {
                let line = try #require(lines.first { $0.contains(" \(event) ") }, "\(event)")
                #expect(line.contains("\"flow\": "), "\(line)")
            }
        }
    }
}
