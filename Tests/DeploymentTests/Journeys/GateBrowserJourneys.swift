import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite(
        "A service behind the gate in a browser", .journey, .dependsOnMachine,
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
    struct GateInBrowser {
        /// Over the sign-in here to the page that was asked for.
        private static func enter(_ wiki: GatedService, at path: String, in chromium: Chromium) async throws {
            try await chromium.visit(wiki.origin + path)
            try await chromium.askForCode("ann@example.com")
            try await chromium.enterCode(wiki.pair.mailbox.code(to: "ann@example.com"))
            try await chromium.arrive("the page of the service") { $0 == wiki.origin + path }
            #expect(try await chromium.text(of: chromium.element("#user")) == "ann")
        }

        @Test(
            "a user lands on the page that was asked for, sends a form, signs out, and is told what became of a late form",
            arguments: ProxyProcess.Kind.gates, [true, false])
        func whole(_ kind: ProxyProcess.Kind, javaScript: Bool) async throws {
            try await GatedService.running(kind) { wiki in
                let chromium = try await Chromium(javaScript: javaScript)
                let path = "/" + String(repeating: "a", count: 3_000) + "?b=%20&c=1"
                try await Self.enter(wiki, at: path, in: chromium)
                try await Self.save("first", in: chromium)
                try await chromium.arrive("the saved page") { $0.hasSuffix("/note") }
                #expect(try await chromium.text(of: chromium.element("#note")) == "note=first")

                // A second tab signs out, and the first one still shows its form.
                let first = try await chromium.tab()
                let second = try await chromium.openTab()
                try await chromium.visit(wiki.origin + "/second")
                try await chromium.press("form[action='/.sso/sign-out'] button")
                _ = try await chromium.element("a[href='\(wiki.pair.origin)/']")
                try await chromium.switchTo(first)
                try await Self.save("late", in: chromium)
                _ = try await chromium.element("a[href^='\(wiki.origin)/.sso/start']")
                #expect(wiki.arrived("/note").allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("late") })

                // The session at the identity provider holds, so that this tab needs no code. The first sends its form again.
                try await chromium.switchTo(second)
                try await chromium.visit(wiki.origin + "/again")
                try await chromium.arrive("the page of the service") { $0 == wiki.origin + "/again" }
                try await chromium.switchTo(first)
                try await chromium.back()
                try await Self.save("again", in: chromium)
                _ = try await eventually("the note is saved") {
                    try await chromium.text().contains("note=again") ? true : nil
                }
                try await chromium.quit()
            }
        }

        private static func save(_ note: String, in chromium: Chromium) async throws {
            try await chromium.clear("input[name=note]")
            try await chromium.type(note, into: "input[name=note]")
            try await chromium.press("form[action='/note'] button")
        }
    }
}
