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
    private static func add(
        as address: String = "ann@example.com", in chromium: Chromium, of pair: ProcessDeployment
    ) async throws {
        try await openPage(as: address, in: chromium, of: pair)
        try await chromium.press("form[action='/passkeys/add'] button")
        try await chromium.arrive("the list with the passkey") { $0.hasSuffix("/passkeys?added") }
    }

    /// Signs in by email, to the page that adds a passkey.
    private static func openPage(
        as address: String, in chromium: Chromium, of pair: ProcessDeployment
    ) async throws {
        try await chromium.visit(pair.origin + "/passkeys/add")
        let earlier = pair.mailbox.all(to: address).count
        try await chromium.askForCode(address)
        try await chromium.enterCode(pair.mailbox.code(to: address, count: earlier + 1))
        _ = try await chromium.element("form[action='/passkeys/add']:not([hidden]) button")
    }

    /// Presses the button of the sign-in page.
    private static func usePasskey(in chromium: Chromium, of pair: ProcessDeployment) async throws {
        try await chromium.visit(pair.origin + "/sign-in")
        try await chromium.press("form[action='/sign-in/passkey'] button")
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

    @Test("a faulty key, one that has changed and one without a PIN are refused, and a key with two accounts signs in")
    func faults() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium()
            var trait = Chromium.Authenticator.securityKey
            trait.isBackupEligible = true
            let key = try await chromium.add(trait)
            try await Self.add(in: chromium, of: pair)
            try await Self.signOut(in: chromium, of: pair)
            try await Self.refuseFaults(of: key, in: chromium, of: pair)
            try await Self.signOut(in: chromium, of: pair)
            try await Self.keepTwoAccounts(on: key, in: chromium, of: pair)
            try await chromium.remove(key)
            try await Self.signOut(in: chromium, of: pair)

            var bare = Chromium.Authenticator.securityKey
            bare.hasUserVerification = false
            try await chromium.add(bare)
            try await Self.openPage(as: "cem@example.com", in: chromium, of: pair)
            try await chromium.press("form[action='/passkeys/add'] button")
            _ = try await chromium.element("[data-passkey-error=NotAllowedError]:not([hidden])")
            try await chromium.quit()
        }
    }

    /// Ends with a sign-in by the sound key.
    private static func refuseFaults(
        of key: String, in chromium: Chromium, of pair: ProcessDeployment
    ) async throws {
        for fault in ["isBogusSignature", "isBadUV", "isBadUP"] {
            try await chromium.set(key, fault: fault)
            try await usePasskey(in: chromium, of: pair)
            _ = try await chromium.element("#passkey-error")
        }
        try await chromium.set(key, fault: nil)
        try await chromium.setPasskey(of: key, eligible: false, backedUp: false)
        try await usePasskey(in: chromium, of: pair)
        _ = try await chromium.element("#passkey-error")
        #expect(try await chromium.text().contains("stored in another way"))
        // Whether there is a copy may change. Whether there may be one does not.
        try await chromium.setPasskey(of: key, eligible: true, backedUp: false)
        try await usePasskey(in: chromium, of: pair)
        try await chromium.arrive("home") { $0 == pair.origin + "/" }
    }

    /// A second account on the key. A passkey that is removed on the page is forgotten by the key, as the page asks.
    private static func keepTwoAccounts(
        on key: String, in chromium: Chromium, of pair: ProcessDeployment
    ) async throws {
        try await add(as: "ben@example.com", in: chromium, of: pair)
        #expect(try await chromium.passkeys(of: key) == 2)
        try await signOut(in: chromium, of: pair)
        try await usePasskey(in: chromium, of: pair)
        try await chromium.arrive("home") { $0 == pair.origin + "/" }
        try await chromium.visit(pair.origin + "/passkeys")
        _ = try await chromium.run("document.querySelector(\"form[action='/passkeys/remove']\").requestSubmit()")
        try await chromium.arrive("the list without it") { $0.hasSuffix("/passkeys?removed") }
        try await eventually("the key has forgotten it") {
            try await chromium.passkeys(of: key) == 1 ? () : nil
        }
    }

    @Test("a user who is not verified signs nobody in, and the autofill waits for a touch that comes late")
    func verification() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium()
            let device = try await chromium.add()
            try await Self.add(in: chromium, of: pair)
            try await Self.signOut(in: chromium, of: pair)
            try await chromium.set(device, verified: false)
            try await Self.usePasskey(in: chromium, of: pair)
            _ = try await chromium.element("[data-passkey-error=NotAllowedError]:not([hidden])")
            #expect(try await chromium.address() == pair.origin + "/sign-in")

            try await chromium.set(device, verified: true)
            try await chromium.set(device, touches: false)
            try await chromium.visit(pair.origin + "/sign-in")
            _ = try await chromium.element("form[action='/sign-in/passkey']:not([hidden]) button")
            #expect(try await chromium.address() == pair.origin + "/sign-in")
            try await chromium.set(device, touches: true)
            try await chromium.reload()
            try await chromium.arrive("home") { $0 == pair.origin + "/" }
            try await chromium.quit()
        }
    }

    @Test("the device learns a new name of its user, as the page asks")
    func renamed() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium()
            let device = try await chromium.add()
            try await Self.add(in: chromium, of: pair)
            #expect(try await chromium.names(of: device) == ["ann"])
            try await chromium.visit(pair.origin + "/")
            _ = try await chromium.run(
                """
                const form = document.querySelector("form[action='/name']");
                form.querySelector("[name=name]").value = "Ann Miller";
                form.requestSubmit();
                """)
            try await eventually("the device has the new name") {
                try await chromium.names(of: device) == ["Ann Miller"] ? () : nil
            }
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
