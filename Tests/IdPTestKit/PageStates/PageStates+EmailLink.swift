import SSOWeb

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: The link in the email

    private static let button = "form[action='/sign-in/link'] button"
    private static let withoutForm = "main:not(:has(form))"

    static let emailLink: [PageState] = [
        PageState("link", mark: button) { try await $0.askingForLink().open() },
        PageState("link-client", mark: button) { studio in
            let browser = studio.browser()
            return try await studio.askingForLink(by: browser, on: browser.beginSignIn(at: studio.client)).open()
        },
        PageState("link-known-browser", mark: "main:has(code) " + button) { studio in
            let asking = try await studio.asking()
            _ = try await asking.browser.enter(asking.code, on: asking.waiting)
            try await asking.browser.signOut(of: studio.deployment)
            studio.deployment.clock.advance(by: .seconds(61))
            return try await studio.askingForLink().open(in: asking.browser)
        },
        PageState("link-elsewhere", mark: "\(withoutForm) code") { studio in
            let browser = studio.browser()
            let asking = try await studio.askingForLink(by: browser, on: browser.beginSignIn(at: studio.client))
            return try await asking.open(in: studio.browser())
        },
        PageState("link-elsewhere-no-code", mark: "\(withoutForm):not(:has(code)) .notice") { studio in
            let asking = try await studio.askingForLink()
            for _ in 1...5 {
                let form = try asking.waiting.page().form(with: "code")
                _ = try await asking.browser.submit(form, on: asking.waiting, ["code": "000000"])
            }
            return try await asking.open(in: studio.browser())
        },
        PageState("link-expired", 410, mark: "form[action='/sign-in'] button") { studio in
            let asking = try await studio.askingForLink()
            studio.deployment.clock.advance(by: .minutes(11))
            return try await asking.open()
        },
        PageState("link-used", 410, mark: "main a.button[href='/sign-in']") { studio in
            let asking = try await studio.askingForLink()
            _ = try await asking.signIn()
            return try await asking.open(in: studio.browser())
        },
        PageState("link-used-signed-in", 410, mark: "main a.button[href='/']") { studio in
            let asking = try await studio.askingForLink()
            _ = try await asking.signIn()
            return try await asking.open()
        },
        PageState("link-damaged", 410, mark: "main a.button[href='/sign-in']") { studio in
            let browser = studio.browser()
            return try await browser.follow(browser.get(studio.origin + "/sign-in/link/x"))
        },
        PageState("link-no-cookie", 410, mark: "main a.button[href='/sign-in']") { try await $0.open("/sign-in/link") },
    ]
}

extension PageStudio {
    /// A browser that has asked for an email, and the link in it.
    func askingForLink(by browser: Browser? = nil, on form: Visit? = nil) async throws -> PendingLink {
        try await (browser ?? self.browser()).askForLink(address, of: deployment, on: form)
    }
}
