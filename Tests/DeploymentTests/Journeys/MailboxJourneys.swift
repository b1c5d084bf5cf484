import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite(
        "The mailbox of a trial", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct TrialMailbox {
        private static let submit = Chromium.submit

        /// The address of the mailbox that the program has printed.
        private static func mailbox(_ pair: ProcessDeployment) throws -> String {
            let line = try #require(pair.idp.output.split(separator: "\n").first { $0.hasPrefix("Mailbox: ") })
            return String(line.dropFirst("Mailbox: ".count))
        }

        @Test(
            "a link clicked in the frame of the email signs in in a new tab, with and without JavaScript",
            arguments: [true, false])
        func linkInFrame(javaScript: Bool) async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium(javaScript: javaScript)
                try await chromium.visit(pair.client.origin + "/")
                try await chromium.press("a[href*='\(SSOPath.authorize)']")
                try await chromium.askForCode("ann@example.com")
                _ = try await pair.mailbox.email(to: "ann@example.com")
                let waiting = try await chromium.tab()
                _ = try await chromium.openTab()
                try await chromium.visit(Self.mailbox(pair))
                #expect(try await chromium.text().contains(" UTC to sign in to \(pair.client.name)"))
                let before = try await chromium.tabs()
                try await chromium.inFrame("iframe") {
                    #expect(try await chromium.text().contains("Requested on "))
                    try await chromium.press("a[href*='/sign-in/link/']")
                }
                let opened = try await eventually("the tab of the link") {
                    try await chromium.tabs().first { !before.contains($0) }
                }
                try await chromium.switchTo(opened)
                try await chromium.press("form[action='/sign-in/link'] \(Self.submit)")
                try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
                #expect(try await chromium.text().contains("ann"))
                #expect(waiting != opened)
                try await chromium.quit()
            }
        }

        @Test("the copy button copies the code, and without a script there is no button and the code stands there")
        func copy() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium()
                try await chromium.visit(pair.origin + "/sign-in")
                try await chromium.askForCode("ann@example.com")
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let waiting = try await chromium.tab()
                _ = try await chromium.openTab()
                try await chromium.visit(Self.mailbox(pair))
                try await chromium.press("button[data-copy]")
                _ = try await eventually("the button says so") {
                    try await chromium.text().contains("Copied") ? true : nil
                }
                try await chromium.switchTo(waiting)
                // As the keys Control and V do.
                try await chromium.type("\u{e009}v", into: "input[name=code]")
                try await chromium.arrive("the home page") { $0 == pair.origin + "/" }
                try await chromium.quit()

                let plain = try await Chromium(javaScript: false)
                try await plain.visit(Self.mailbox(pair))
                let text = try await plain.text()
                #expect(text.contains(code) && !text.contains("Copy the code"))
                try await plain.quit()
            }
        }

        @Test(
            "the code page cuts what is pasted down to its six digits and sends them, and the field takes a pasted address",
            arguments: [("Your code: ", UInt32(0x30)), ("", 0xff10), ("„", 0x660), ("\u{200e}", 0x966)])
        func pasted(before: String, zero: UInt32) async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium()
                try await chromium.visit(pair.origin + "/sign-in")
                try await chromium.askForCode("Ann Example <ann@example.com>\u{200b}")
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let digits = code.unicodeScalars.compactMap { Unicode.Scalar($0.value - 0x30 + zero) }.map(String.init)
                try await chromium.type(before + digits.joined(), into: "input[name=code]")
                try await chromium.arrive("the home page") { $0 == pair.origin + "/" }
                try await chromium.quit()
            }
        }
    }

    @Suite(
        "The switch of the language", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct LanguageSwitch {
        @Test(
            "without JavaScript it keeps the pending sign-in, and all pages that follow have the language, at the client too"
        )
        func withoutJavaScript() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let chromium = try await Chromium(javaScript: false, width: 320, height: 640)
                try await chromium.visit(pair.client.origin + "/")
                try await chromium.press("a[href*='\(SSOPath.authorize)']")
                _ = try await chromium.element("input[name=email]")
                let form = try await chromium.address()
                #expect(try await chromium.attribute("lang", of: "html") == "en")
                try await chromium.press(".languages a[hreflang=de]")
                _ = try await chromium.element("html[lang=de] input[name=email]")
                #expect(try await chromium.address() == form)
                try await chromium.askForCode("ann@example.com")
                let waiting = try await chromium.address()
                try await chromium.press(".languages a[hreflang=en]")
                _ = try await chromium.element("html[lang=en] input[name=code]")
                #expect(try await chromium.address() == waiting)
                try await chromium.press(".languages a[hreflang=de]")
                _ = try await chromium.element("html[lang=de] input[name=code]")
                try await chromium.enterCode(pair.mailbox.code(to: "ann@example.com"))
                try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
                #expect(try await chromium.text().contains("ann"))
                try await chromium.quit()
            }
        }
    }
}
