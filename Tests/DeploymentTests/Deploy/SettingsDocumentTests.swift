import Foundation
import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPServer
@testable import RelyingParty
@testable import TestKit

/// The two documents that list every setting are made of the settings themselves.
///
/// After a change `SSO_TEST_WRITE=1 script/test --filter SettingsDocumentTests` writes them.
@Suite("The documents that list the settings", .deployment)
struct SettingsDocumentTests {
    private struct Group: Sendable {
        let heading: String
        /// The first cell of the table.
        let column: String
        let settings: [SettingDescription]
    }

    private static let groups = [
        Group(heading: "The identity provider (idp)", column: "identity provider", settings: IdPSettings.table),
        Group(
            heading: "The sample relying party (relying-party)", column: "relying party",
            settings: RelyingPartySettings.table),
        Group(heading: "Both", column: "both", settings: CommonSettings.all),
    ]

    @Test("deploy/example.env has every setting with its explanation, its default and an example")
    func exampleFile() throws {
        let file = DeployFiles.folder.appending(path: "example.env")
        let introduction = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n# ----")[0]
        var lines = introduction.components(separatedBy: "\n")
        for group in Self.groups {
            let heading = "# ---- \(group.heading) "
            lines.append(heading + String(repeating: "-", count: 120 - heading.count))
            lines.append("")
            for setting in group.settings { lines += Self.lines(of: setting) + [""] }
        }
        try WrittenDocument.expect(file, lines.dropLast().joined(separator: "\n") + "\n")
    }

    @Test("docs/openid.md has every key of a client of OpenID Connect, as its declaration has it")
    func openIDKeys() throws {
        let file = TestVectors.repository.appending(path: "docs/openid.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        let first = try #require(page.range(of: "| key | default | meaning |\n| --- | --- | --- |\n")?.upperBound)
        let last = try #require(page.range(of: "\n\n", range: first..<page.endIndex)?.lowerBound)
        page.replaceSubrange(first..<last, with: OIDCSettings.keys.map(\.row).joined(separator: "\n"))
        try WrittenDocument.expect(file, page)
    }

    private static func lines(of setting: SettingDescription) -> [String] {
        let before = setting.fallback == "required" ? "Required. " : ""
        let after = ["required", "none"].contains(setting.fallback) ? "" : " Default: \(setting.fallback)"
        var lines: [String] = []
        for word in (before + setting.explanation + after).split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= 118 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append("# \(word)")
            }
        }
        let file = setting.name.lowercased().replacing("_", with: "-")
        let example =
            setting.isSecret
            ? "\(setting.name)_FILE=/etc/swift-sso/secrets/\(file)" : "\(setting.name)=\(setting.example)"
        return lines + ["#\(example)"]
    }

    @Test("the tables of docs/settings.md have every setting with its default and its explanation")
    func tables() throws {
        let file = TestVectors.repository.appending(path: "docs/settings.md")
        var page = try String(contentsOf: file, encoding: .utf8)
        for group in Self.groups {
            let head = "| \(group.column) | default | meaning |\n| --- | --- | --- |\n"
            let start = try #require(page.range(of: head), "\(group.column)")
            let end = try #require(page.range(of: "\n\n", range: start.upperBound..<page.endIndex))
            let rows = group.settings.map { setting in
                let isText = setting.defaultValue == nil && setting.fallback != "RP_IDP_URL"
                let fallback = isText ? setting.fallback : "`\(setting.fallback)`"
                return "| `\(setting.name)` | \(fallback) | \(setting.explanation.replacing("|", with: "\\|")) |"
            }
            page.replaceSubrange(start.upperBound..<end.lowerBound, with: rows.joined(separator: "\n"))
        }
        try WrittenDocument.expect(file, page)
    }
}
