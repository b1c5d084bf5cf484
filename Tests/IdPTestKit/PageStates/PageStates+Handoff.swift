import SSOShared
import SSOWeb

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: The handoff to an app

    static let handoff: [PageState] = [
        PageState("native-start", mark: "#native-start button") { studio in
            try await studio.browser().get(studio.deployment.app().start)
        },
        PageState("native-sign-in", mark: "form[action='/sign-in'] input[name=email]") { studio in
            try await studio.deployment.app().begin(in: studio.browser())
        },
        PageState("native-code", mark: "a[href^='/sign-in/cancel']") { studio in
            let browser = studio.browser()
            return try await browser.ask(for: studio.address, on: studio.deployment.app().begin(in: browser))
        },
        PageState("native-confirm", mark: "form[action='/auth/native/complete'] button") { studio in
            try await studio.deployment.app().begin(in: studio.signedIn())
        },
        PageState("native-continue", mark: "#continue[href*='code=']") { studio in
            // The gallery knows this address, so that the page stays.
            let app = try studio.deployment.app(HandoffApp.localRedirect)
            return try await studio.deployment.handOff(app, in: studio.browser(), as: studio.address)
        },
        PageState("native-unknown-app", 400) { studio in
            try await studio.browser().get(studio.deployment.app("com.example.unknown:/callback").start)
        },
        PageState("native-over", 410) { studio in
            let browser = studio.browser()
            let page = try await studio.deployment.app().begin(in: browser)
            studio.deployment.clock.advance(by: .minutes(11))
            return try await studio.deployment.enterCode(page, in: browser, as: studio.address)
        },
        PageState("native-code-rejected", 400, mark: "main a[href='/sign-in']") { studio in
            let app = try studio.deployment.app()
            return try await app.present("shc_x", in: studio.browser().twin(userAgent: Browser.shellUserAgent))
        },
    ]
}
