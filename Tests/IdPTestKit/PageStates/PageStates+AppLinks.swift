@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

extension PageStates {
    // MARK: The link of a provider from an app

    static let appIdentities: [PageState] = [
        PageState("link-ask", mark: "form[action='/auth/native/work'] input[name=ticket]") { studio in
            let app = try await studio.linkingApp()
            return try await studio.browser().get(app.start(app.ticket("work"), "work"))
        },
        PageState("link-done", mark: "#continue[href*='code=']") { studio in
            try await studio.park(isAllowed: true)
        },
        PageState("link-none", mark: "#continue[href*='error=']") { studio in
            try await studio.park(isAllowed: false)
        },
        PageState("link-over", 410, mark: "main a[href*='error=']") { studio in
            let app = try await studio.linkingApp()
            let ticket = try await app.ticket("work")
            _ = try await app.begin(ticket, "work", in: studio.browser())
            return try await studio.browser().get(app.start(ticket, "work"))
        },
    ]
}

extension PageStudio {
    /// The gallery knows the address of this app, so that the page that goes on to it stays.
    fileprivate func linkingApp() async throws -> LinkingApp {
        LinkingApp(
            native: try await deployment.signedInApp(as: address),
            handoff: try deployment.app(HandoffApp.localRedirect))
    }

    fileprivate func park(isAllowed: Bool) async throws -> Visit {
        let (app, browser) = (try await linkingApp(), self.browser())
        let page = try await app.begin(app.ticket("work"), "work", in: browser)
        let standIn = try deployment.standIn(.oidc)
        let answer = try standIn.answer(to: standIn.authorizationURL(on: page), isAllowed: isAllowed)
        return try await browser.follow(browser.bring(answer))
    }
}
