import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// Passkeys in a real browser with a virtual authenticator.
@Suite(
    "Passkeys in a browser", .smoke, .dependsOnMachine,
    .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
struct PasskeyBrowserTests {
    /// Signs in by email and adds a passkey.
    private static func add(in chromium: Chromium, of pair: ProcessDeployment) async throws {
        try await chromium.visit(pair.origin + "/passkeys/add")
        let earlier = pair.mailbox.all(to: "ann@example.com").count
        try await chromium.askForCode("ann@example.com")
        try await chromium.enterCode(pair.mailbox.code(to: "ann@example.com", count: earlier + 1))
        try await chromium.press("form[action='/passkeys/add'] button")
        try await chromium.arrive("the list with the passkey") { $0.hasSuffix("/passkeys?added") }
    }

    private static func signOut(in chromium: Chromium, of pair: ProcessDeployment) async throws {
        try await chromium.visit(pair.origin + "/")
        try await chromium.press("form[action='/sign-out'] button")
        _ = try await eventually("signed out") {
            try await chromium.elements("form[action='/sign-out']").isEmpty ? true : nil
        }
    }

    @Test(
        "a user adds a passkey of this device or of a security key, and enters a client with it",
        arguments: [Chromium.Authenticator(), .securityKey])
    func whole(authenticator: Chromium.Authenticator) async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium()
            let id = try await chromium.add(authenticator)
            try await Self.add(in: chromium, of: pair)
            #expect(try await chromium.passkeys(of: id) == 1)
            try await Self.signOut(in: chromium, of: pair)

            try await chromium.visit(pair.client.origin + "/")
            try await chromium.press("a[href*='/auth/sso/authorize']")
            // That of the device answers the autofill as soon as the page asks, before a button could be pressed.
            if authenticator.transport == "usb" { try await chromium.press("form[action='/sign-in/passkey'] button") }
            try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
            _ = try await chromium.element("form[action$='/sign-out']")
            #expect(try await chromium.text().contains("ann"))
            try await chromium.quit()
        }
    }

    @Test("a cancelled dialog is said on the page, which stays as it was, and so is a passkey that is there already")
    func refused() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium()
            try await chromium.add(.securityKey)
            try await Self.add(in: chromium, of: pair)
            try await chromium.visit(pair.origin + "/passkeys/add")
            // An account with a passkey adds another one with it.
            try await chromium.arrive("the sign-in page") { $0.contains("/sign-in") }
            try await chromium.press("form[action='/sign-in/passkey'] button")
            try await chromium.arrive("the page that adds") { $0.contains("/passkeys/add") }
            try await chromium.press("form[action='/passkeys/add'] button")
            _ = try await chromium.element("[data-passkey-error=InvalidStateError]:not([hidden])")
            try await chromium.quit()
        }
    }

    @Test("without JavaScript no page shows a button for passkeys, and a code signs in")
    func noScript() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium(javaScript: false)
            try await chromium.visit(pair.origin + "/sign-in")
            #expect(try await !chromium.text().contains("passkey"))
            try await chromium.signIn(at: pair.client, of: pair, as: "ann@example.com")
            try await chromium.visit(pair.origin + "/passkeys/add")
            #expect(try await chromium.text().contains("cannot create a passkey"))
            try await chromium.quit()
        }
    }
}
