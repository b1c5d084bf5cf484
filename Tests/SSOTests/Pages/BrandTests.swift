import Foundation
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Names, colour and links of the pages", .program)
struct BrandTests {
    @Test(
        "a setting of the brand that cannot be used stops the start, and the error says what to do",
        arguments: [
            ("IDP_NAME", " ", "must not be empty"), ("IDP_NAME", String(repeating: "a", count: 81), "at most 80"),
            ("IDP_NAME", "Main\nApp", "on one line"), ("IDP_NAME", "\u{202e}ppA", "visible"),
            ("IDP_NAME", "\u{3164}", "visible"),
            ("IDP_NAME", "\"Shop\"", "has quotation marks around it"),
            ("IDP_NAME", "'Shop'", "has quotation marks around it"),
            ("SSO_CLIENT_NAME", "\"Shop\"", "has quotation marks around it"),
            ("IDP_NAME", "Sh\u{200b}op", "a zero-width space at position 3"),
            ("IDP_SUPPORT_URL", "javascript:alert(1)", "https://example.com/help"),
            ("IDP_SUPPORT_URL", "http://example.com/help", "https"), ("IDP_SUPPORT_URL", "/help", "https://"),
            ("IDP_SUPPORT_URL", "data:text/html,x", "https://"), ("IDP_SUPPORT_URL", "mailto:", "mailto:help@"),
            ("IDP_SUPPORT_URL", "mailto:a@x.example,b@x.example", "one email address"),
            ("IDP_SUPPORT_URL", "mailto:a@x.example?bcc=b@x.example", "one email address"),
            ("IDP_SUPPORT_URL", "https://ann:secret@example.com/", "IDP_SUPPORT_URL"),
            ("IDP_SUPPORT_URL", "https://hilfe.exümple.example/", "Write its host as hilfe.xn--exmple-4ya.example."),
            ("IDP_PUBLIC_URL", "https://exümple.example", "Write its host as xn--exmple-4ya.example."),
            ("IDP_PRIVACY_URL", "mailto:help@example.com", "https://"),
            ("IDP_PRIVACY_URL", "http://example.com/", "https"), ("IDP_PRIVACY_URL", "https://", "https://"),
        ])
    func wrongSettings(name: String, value: String, advice: String) {
        let problems = SettingsFixture.read(.idp, [name: value]).problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains(name) == true && problems.first?.contains(advice) == true, "\(problems)")
    }

    @Test(
        "a logo or a colour that cannot be used is a warning, and the program starts with the default",
        arguments: [
            ("IDP_ACCENT_COLOR", "blue", "#1f5fbf"), ("IDP_ACCENT_COLOR", "#abc", "#1f5fbf"),
            ("IDP_ACCENT_COLOR", "#1f5fbf;}", "#1f5fbf"), ("IDP_ACCENT_COLOR", "#ffff00", "4.5:1"),
            ("IDP_LOGO_FILE", "/nowhere/logo.svg", "/nowhere/logo.svg"),
        ])
    func decorations(name: String, value: String, advice: String) {
        let reader = SettingsFixture.read(.idp, [name: value])
        #expect(reader.problems == [])
        let warning = reader.warnings.first { $0.hasPrefix("\(name): ") }
        #expect(warning?.contains(advice) == true, "\(reader.warnings)")
        #expect(warning?.hasSuffix(". It is left out.") == true)
    }

    @Test("the same rule holds for the names that the relying party is given", arguments: ["RP_NAME", "RP_IDP_NAME"])
    func clientNames(setting: String) {
        for value in [" ", "\"Shop\"", "'Shop'", String(repeating: "a", count: 81), "a\nb", "\u{202e}a"] {
            let problems = SettingsFixture.read(.client, [setting: value]).problems
            #expect(problems.count == 1 && problems.first?.contains(setting) == true)
        }
        for value in ["A", "Zoë's & Søn", "محمد", String(repeating: "李", count: 80)] {
            #expect(SettingsFixture.read(.client, [setting: value]).problems.isEmpty)
            #expect(SettingsFixture.read(.idp, ["IDP_NAME": value]).problems.isEmpty)
        }
    }

    @Test("name, links and colour are on every page, escaped, and the style sheet is served")
    func shown() async throws {
        let name = "Zoë's <App> & \"Co\""
        let settings = [
            "IDP_NAME": name, "IDP_SUPPORT_URL": "mailto:help@example.com",
            "IDP_PRIVACY_URL": "https://example.com/privacy?a=b&c=d", "IDP_ACCENT_COLOR": "#8a1253",
        ]
        try await TestDeployment.open(settings: settings, clientSettings: ["RP_NAME": "A & B", "RP_IDP_NAME": name]) {
            deployment in
            let browser = deployment.browser()
            for path in ["/signed-out", "/sign-in", "/nowhere"] {
                let visit = try await browser.get(deployment.origin + path)
                let page = try visit.page()
                #expect(page.links.contains("mailto:help@example.com"))
                #expect(page.links.contains("https://example.com/privacy?a=b&c=d"))
                #expect(visit.text.contains("<bdi>Zoë&#39;s &lt;App&gt; &amp; &quot;Co&quot;</bdi>"))
                #expect(!visit.text.contains("<App>") && !visit.text.contains("Main App"))
                let sheets = page.tags.filter { $0.name == "link" && $0["rel"] == "stylesheet" }.compactMap {
                    $0["href"]
                }
                let accent = try #require(sheets.last)
                let css = try await browser.get(deployment.origin + accent)
                #expect(css.status == 200 && css.text.contains("--accent: #8a1253"))
            }
            let client = try await browser.get(deployment.client.origin + "/")
            #expect(client.text.contains("A &amp; B") && !client.text.contains("Partner service"))
            #expect(client.text.contains("Zoë&#39;s &lt;App&gt;") && !client.text.contains("Main App"))
        }
    }

    @Test("/favicon.ico is the icon of each program, and asking for it leaves no notice in the log")
    func favicon() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            for origin in [deployment.origin, deployment.client.origin] {
                let icon = try await browser.get(origin + "/favicon.ico")
                #expect(icon.status == 200 && icon.reply.header("content-type") == "image/svg+xml")
                #expect(icon.text.contains("<svg"))
                let page = try await browser.follow(browser.get(origin + "/")).page()
                let link = try #require(page.tags.first { $0.name == "link" && $0["rel"] == "icon" }?["href"])
                #expect(try await browser.get(origin + link).reply.body == icon.reply.body)
                let head = try await browser.send("HEAD", try WebAddress(origin + "/favicon.ico"))
                #expect(head.status == 200 && head.reply.body.isEmpty)
            }
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("favicon") }
            #expect(lines.allSatisfy { !$0.hasPrefix("notice") && !$0.hasPrefix("warning") && !$0.hasPrefix("error") })
            #expect(!deployment.log.contains("request_refused"))
        }
    }

    @Test("the browser's bars have the colour of the page's ground, light and dark, in each program")
    func themeColor() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            var seen: [[String]] = []
            for origin in [deployment.origin, deployment.client.origin] {
                let tags = try await browser.follow(browser.get(origin + "/")).page().tags
                let colours = tags.filter { $0.name == "meta" && $0["name"] == "theme-color" }
                #expect(
                    colours.map { $0["media"] } == ["(prefers-color-scheme: light)", "(prefers-color-scheme: dark)"])
                var grounds: [String] = []
                for sheet in tags.filter({ $0.name == "link" && $0["rel"] == "stylesheet" }) {
                    let css = try await browser.get(origin + (sheet["href"] ?? "")).text
                    let found = css.matches(of: #/--ground: (#[0-9a-f]{6});/#).map { String($0.1) }
                    if !found.isEmpty { grounds = found }
                }
                #expect(grounds.count == 2 && colours.map { $0["content"] } == grounds)
                seen.append(grounds)
            }
            #expect(Set(seen).count == 2, "each program has a ground of its own")
        }
    }

    @Test("the icon on a home screen is a PNG of 180 pixels, or the logo if it is a PNG, and no other brand's mark")
    func touchIcon() async throws {
        let folder = try TemporaryFolder()
        let svg = try folder.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "logo.svg")
        func fetched(_ browser: Browser, _ origin: String) async throws -> ProbeReply? {
            let tags = try await browser.follow(browser.get(origin + "/")).page().tags
            guard let link = tags.first(where: { $0["rel"] == "apple-touch-icon" })?["href"] else { return nil }
            return try await browser.get(origin + link).reply
        }
        try await TestDeployment.open { deployment in
            for origin in [deployment.origin, deployment.client.origin] {
                let icon = try #require(try await fetched(deployment.browser(), origin))
                #expect(icon.status == 200 && icon.header("content-type") == "image/png")
                #expect(icon.body.count < 2048 && icon.body[16..<24].elementsEqual([0, 0, 0, 180, 0, 0, 0, 180]))
            }
        }
        let png = TestVectors.repository.appending(path: "Sources/IdP/Server/touch-icon.png").path()
        for (path, type) in [(svg, nil), (png, "image/png")] {
            try await TestDeployment.open(settings: ["IDP_LOGO_FILE": path]) { deployment in
                let icon = try await fetched(deployment.browser(), deployment.origin)
                #expect(icon?.header("content-type") == type, "\(path)")
            }
        }
    }
}

/// WCAG 2.2, 1.4.3.
@Suite("The colour of IDP_ACCENT_COLOR", .program)
struct AccentColorTests {
    private static func channels(_ hex: String) throws -> [Double] {
        try #require(Hex.decode(String(hex.dropFirst()))).map(Double.init)
    }

    @Test(
        "the contrast is that of WCAG 2.2",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1.0), ("#777777", "#ffffff", 4.48),
            ("#767676", "#ffffff", 4.54), ("#ff0000", "#ffffff", 4.0), ("#0000ff", "#ffffff", 8.59),
            ("#00ff00", "#000000", 15.3),
        ])
    func contrast(one: String, other: String, ratio: Double) throws {
        let (first, second) = (try Self.channels(one), try Self.channels(other))
        #expect(abs(AccentColor.contrast(first, second) - ratio) < 0.01)
        #expect(AccentColor.contrast(first, second) == AccentColor.contrast(second, first))
    }

    @Test("a colour that can be read on white is accepted", arguments: ["#1f5fbf", "#767676", "#000000", "#A8480F"])
    func readable(text: String) throws { _ = try AccentColor(text) }

    @Test(
        "another one is refused, and the colour that the error suggests is accepted",
        arguments: ["#777777", "#ffffff", "#ffff00", "#00ff00", "#ff8800", "#8fb8ff", "#f0f0f1"])
    func suggestion(text: String) throws {
        let error = #expect(throws: SettingError.self) { _ = try AccentColor(text) }
        let words = "\(try #require(error))"
        let suggested = try #require(words.matches(of: #/#[0-9a-f]{6}/#).last).0
        #expect(String(suggested) != text)
        _ = try AccentColor(String(suggested))
    }

    @Test(
        "a text that is not six hex digits after # is refused",
        arguments: ["", "#", "1f5fbf", "#1f5fb", "#1f5fbff", "#gggggg", "#1f5fb\u{301}", "rgb(0,0,0)", "#00000;"])
    func malformed(text: String) { #expect(throws: SettingError.self) { _ = try AccentColor(text) } }

    @Test(
        "on dark pages a lighter shade is used, which can be read there, also with black text on it",
        arguments: ["#000000", "#1f5fbf", "#0000ff", "#8a1253", "#767676"])
    func dark(text: String) throws {
        let sheet = try AccentColor(text).styleSheet
        let (light, dark) = (
            try #require(sheet.components(separatedBy: "@media").first), sheet.components(separatedBy: "@media")
        )
        #expect(light.contains("--accent: \(text)") && dark.count == 2)
        // `--surface` of dark pages in base.css.
        let css = try #require(String(validating: PackageFiles.baseCSS(), as: UTF8.self))
        let surface = try #require(css.matches(of: #/--surface: (#[0-9a-f]{6})/#).last).1
        for name in ["--accent", "--accent-strong"] {
            let shade = try #require(dark[1].firstMatch(of: try Regex("\(name): (#[0-9a-f]{6})"))?.output[1].substring)
            #expect(AccentColor.contrast(try Self.channels(String(shade)), try Self.channels(String(surface))) >= 4.5)
            #expect(AccentColor.contrast(try Self.channels(String(shade)), [0, 0, 0]) >= 4.5)
            #expect(AccentColor.contrast(try Self.channels(text), [255, 255, 255]) >= 4.5)
        }
    }

    private enum PackageFiles {
        static func baseCSS() throws -> [UInt8] {
            [UInt8](
                try Data(contentsOf: TestVectors.repository.appending(path: "Sources/SSOWeb/Pages/base.css")))
        }
    }
}
