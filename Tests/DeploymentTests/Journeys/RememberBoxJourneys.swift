import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("The box to stay signed in", .journey, .dependsOnMachine)
    struct RememberBox {
        @Test(
            "a tick on the code page goes along with a new email, whose button is described by no wait that is over",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func newEmail() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium()
                try await chromium.visit(pair.origin + "/sign-in")
                try await chromium.askForCode("ann@example.com")
                try await chromium.press("input[name=remember]:not([checked])")
                let waits = "button[data-wait]"
                _ = try await chromium.element("\(waits)[disabled][aria-describedby]")
                _ = try await chromium.run("const now = Date.now; Date.now = () => now() + 61000; return [];")
                _ = try await chromium.element("\(waits):not([disabled]):not([aria-describedby])")
                try await chromium.press(waits)
                _ = try await chromium.element("input[name=remember][checked]")
                // And back off again.
                try await chromium.press("input[name=remember]")
                _ = try await chromium.run("const now = Date.now; Date.now = () => now() + 61000; return [];")
                _ = try await chromium.element("\(waits):not([disabled])")
                try await chromium.press(waits)
                _ = try await chromium.element("input[name=remember]:not([checked])")
                try await chromium.quit()
            }
        }
    }
}
