import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: Sessions and sign-out at clients

    static let sessions: [PageState] = [
        PageState("sessions", mark: "form[action='/sign-out'] button") { studio in
            let browser = try await studio.signedIn()
            return try await browser.get(studio.origin + "/sessions")
        },
        PageState("sessions-others", mark: "form[action='/sessions/end-others'] button") { studio in
            let browser = try await studio.signedIn()
            for _ in 1...2 { _ = try await studio.deployment.furtherBrowser(of: studio.address) }
            let list = try await browser.get(studio.origin + "/sessions")
            return try await browser.follow(browser.submit(list.page().form(to: "/sessions/end"), on: list))
        },
        PageState("sessions-remembered", mark: "main .about + .about time") { studio in
            let asking = try await studio.asking()
            try await asking.guess(asking.code, remembering: true)
            return try await asking.browser.get(studio.origin + "/sessions")
        },
        PageState("sessions-receipts", mark: "main h2") { studio in
            let browser = try await studio.signedIn()
            let other = try await studio.deployment.furtherBrowser(of: studio.address)
            try await studio.addReceipts()
            _ = try await other.get(studio.origin + "/")
            return try await browser.get(studio.origin + "/sessions")
        },
        PageState("activity", mark: "main ul li") { studio in
            try await studio.signedIn().get(studio.origin + "/activity")
        },
        PageState("client-sign-out", mark: "input[name=stay]") { studio in
            try await studio.signedIn().get(studio.deployment.signOutPage(of: studio.client))
        },
    ]
}

extension PageStudio {
    /// Ends of sign-ins at clients in every state of a message.
    fileprivate func addReceipts() async throws {
        let now = Timestamp(milliseconds: deployment.clock.now.milliseconds)
        let states: [(client: String, settled: Bool, delivered: Bool, error: String?)] = [
            ("delivered", true, true, nil), ("waiting", false, false, "timed_out"), ("trying", false, false, nil),
            ("given-up", true, false, "timed_out"), ("not-told", true, true, nil),
        ]
        let account = try await deployment.stored.accounts.of(address).ids()[0]
        for state in states {
            let session = "ses_\(state.client)-\(address)"
            try await deployment.stored.clientSignIns.addEnded(
                session, at: state.client, of: account, "signed_out", now: now)
            guard state.client != "not-told" else { continue }
            // Far ahead, so that the sender leaves it alone.
            try await deployment.stored.signOutMessages.addTried(
                session, at: state.client, of: account, at: now, next: now + .hours(20), error: state.error,
                isSettled: state.settled, isDelivered: state.delivered)
        }
    }
}
