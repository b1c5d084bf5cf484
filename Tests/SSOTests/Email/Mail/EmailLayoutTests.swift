import Foundation
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// What mail programs lay out (caniemail.com: Outlook for Windows, Gmail, Apple Mail), over every kind of email that the program
/// sends.
@Suite("The HTML of the emails", .program, .alsoOnPostgres)
struct EmailLayoutTests {
    /// One of each kind, as the outbox has it.
    private static func emails(
        language: Language, settings: [String: String] = [:]
    ) async throws -> [(subject: String, html: String, message: String)] {
        var found: [(subject: String, html: String, message: String)] = []
        try await ProviderDeployment.open([.oidc], settings: ReplySettings.all.merging(settings) { $1 }) { place in
            let deployment = place.deployment
            _ = try await deployment.invite("new@example.com", language: language)
            let browser = deployment.browser(language: language.rawValue)
            _ = try await browser.signIn(at: place.client, of: deployment, as: "ann@example.com")
            try place.standIn(.oidc).user.email = "ann@elsewhere.example"
            _ = try await place.add(.oidc, in: browser)
            for _ in 0..<3 {
                deployment.clock.advance(by: .seconds(61))
                _ = try await deployment.waiting(
                    for: "max@example.com", by: deployment.browser(language: language.rawValue))
            }
            let outbox = OutboxMailer(folder: deployment.mailbox.folder)
            let kinds = Set(["/invitation/", "/sign-in/link/", "/sign-in/browser/", "/sessions"])
            try await eventually("an email of each kind, and one more code") {
                let all = outbox.items().map(\.item.html)
                return all.count >= 5 && kinds.allSatisfy { kind in all.contains { $0.contains(kind) } } ? () : nil
            }
            for (name, item) in outbox.items() {
                // It is written after the item.
                let message = try await eventually("the email \(name)") {
                    FileManager.default.contents(atPath: "\(outbox.folder)/\(name).eml")
                }
                found.append((item.subject, item.html, String(decoding: message, as: UTF8.self)))
            }
        }
        #expect(found.count >= 5)
        return found
    }

    @Test(
        "is laid out by tables, widths and inline styles, follows the dark mode, and loads nothing",
        arguments: Language.builtIn)
    func layout(language: Language) async throws {
        for (subject, html, _) in try await Self.emails(language: language) {
            #expect(html.contains("<html lang=\"\(language.rawValue)\">"), "\(subject)")
            #expect(html.contains("<meta name=\"color-scheme\" content=\"light dark\">"), "\(subject)")
            #expect(html.contains("<meta name=\"viewport\""), "\(subject)")
            #expect(html.contains("@media (prefers-color-scheme: dark)"), "\(subject)")
            #expect(html.utf8.count < 100 << 10, "Gmail cuts longer ones off: \(subject)")
            // What one of the mail programs does not have.
            for word in [
                "flex", "grid", "position:", "float", "<div", "<svg", "<form", "<script", "<link", "url(", "var(",
                "calc(",
                "<button", "rgb(", "rem;", "background-image", "<video", "<input", "javascript:",
            ] { #expect(!html.contains(word), "\(subject): \(word)") }
            #expect(!html.contains("src=\"http"), "nothing is loaded from elsewhere: \(subject)")
            let tags = try ScannedTag.scan(html)
            let tables = tags.filter { $0.name == "table" }
            #expect(tables.count >= 2)
            for table in tables {
                #expect(table["role"] == "presentation" && table["width"] != nil, "\(subject)")
                #expect(
                    table["cellpadding"] == "0" && table["cellspacing"] == "0" && table["border"] == "0", "\(subject)")
            }
            // The layout does not need the style element, which some mail programs drop: it only has what dark mode changes.
            for cell in tags where cell.name == "td" {
                #expect(cell["style"] != nil && cell["align"] != nil, "\(subject)")
            }
            let start = try #require(html.range(of: "<style>")?.upperBound)
            let end = try #require(html.range(of: "</style>")?.lowerBound)
            for rule in html[start..<end].split(separator: "\n") where rule.hasPrefix(".") {
                #expect(
                    rule.contains(
                        #/^\.[a-z]+ \{( (background-color|border-color|color): #[0-9a-f]{6} !important;)+ \}$/#),
                    "\(subject): \(rule)")
            }
        }
    }

    @Test("no email has an image without a logo, and with one exactly the part that it shows")
    func logo() async throws {
        for (subject, html, message) in try await Self.emails(language: .english) {
            #expect(!html.contains("<img") && !message.contains("Content-ID"), "\(subject)")
        }
        let folder = try TemporaryFolder()
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 4\"><path d=\"M0 0h4v4z\"/></svg>"
        for (name, content, isShown) in [
            ("logo.png", Data(TestImages.png(64, 32)), true), ("logo.svg", Data(svg.utf8), false),
        ] {
            let path = folder.path(of: name)
            try content.write(to: URL(fileURLWithPath: path))
            for (subject, html, message) in try await Self.emails(
                language: .english, settings: ["IDP_LOGO_FILE": path])
            {
                let images = try ScannedTag.scan(html).filter { $0.name == "img" }
                #expect(images.count == (isShown ? 1 : 0), "\(name), \(subject)")
                for image in images {
                    #expect(image["src"] == "cid:logo" && image["alt"] == "Main App" && image["height"] == "32")
                }
                #expect(message.components(separatedBy: "Content-ID: <logo>").count == (isShown ? 2 : 1), "\(subject)")
            }
        }
        withExtendedLifetime(folder) {}
    }
}
