import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite(
        "Pages in a document that Turbo keeps", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct TurboPages {
        /// What Turbo does from one page to the next: it replaces the body, runs no script of the head again, and sends these
        /// events.
        private static let nextPage = """
            document.dispatchEvent(new Event('turbo:before-render'));
            document.body.replaceWith(document.body.cloneNode(true));
            document.dispatchEvent(new Event('turbo:render'));
            """

        @Test("the page for the code has its script there too: it sends the code at its sixth digit")
        func scripts() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium()
                let home = pair.client.origin + "/"
                try await chromium.visit(home)
                try await chromium.press("a[href*='/auth/sso/authorize']")
                try await chromium.askForCode("ann@example.com")
                _ = try await chromium.element("input[name=code]")
                let code = try await pair.mailbox.code(to: "ann@example.com")
                _ = try await chromium.run(Self.nextPage)
                // No press: only the script sends it.
                try await chromium.type(code, into: "input[name=code]")
                try await chromium.arrive("the client's page") { $0 == home }
                try await chromium.quit()
            }
        }

        @Test("the button for passkeys works there too")
        func passkeys() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium()
                let button = "[data-passkey]:not([hidden]) button"
                try await chromium.visit(pair.origin + "/sign-in")
                _ = try await chromium.element(button)
                let next = "document.querySelectorAll('[data-passkey]').forEach((place) => { place.hidden = true; });"
                _ = try await chromium.run(next + Self.nextPage)
                // The next page shows it as that script does, and a browser without passkeys of this site says so.
                _ = try await chromium.element(button)
                _ = try await chromium.run("navigator.credentials.get = () => Promise.reject(new Error('none'))")
                try await chromium.press(button)
                _ = try await chromium.element("[data-passkey-error='']:not([hidden])")
                try await chromium.quit()
            }
        }
    }
}
