import SSOShared

/// The page of a rule in docs/findings, generated from the catalogue.
public struct FindingPage: Sendable {
    public let rule: LintRule

    public init(_ rule: LintRule) { self.rule = rule }

    /// The page as Markdown, with a line break at the end.
    public var text: String {
        let word = rule.severity == .info ? "Information" : rule.severity.rawValue.capitalizedFirst
        var parts = ["# \(rule.code)", "**\(word)** · \(rule.title)."]
        parts.append("## What fails\n\n\(rule.reason)")
        parts.append("## What to do\n\n\(rule.fix)")
        if let wrong = rule.shownWrong { parts.append("## Wrong\n\n" + Self.block(wrong)) }
        if let right = rule.shownRight { parts.append("## Right\n\n" + Self.block(right)) }
        if let recipes = ServingRecipes.section(for: rule.code) { parts.append(recipes) }
        parts.append("## Source\n\n\(rule.source)")
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func block(_ example: LintExample) -> String {
        let with = example.minimumIOS.map { ", with \($0) as the oldest iOS" } ?? ""
        let seen = example.text.unicodeScalars.map(Self.visible).joined()
        let cut = seen.count > 1200 ? String(seen.prefix(200)) + "…" : seen
        let end = cut.hasSuffix("\n") ? "" : "\n"
        return "\(example.kind.fileName)\(with):\n\n```\n\(cut)\(end)```"
    }

    /// Writes an invisible character as its code point.
    private static func visible(_ scalar: Unicode.Scalar) -> String {
        JSONReader.isInvisible(scalar) ? "⟨U+\(JSONError.hex(scalar.value))⟩" : String(scalar)
    }
}

extension FindingPage {
    public static func index(_ rules: [LintRule]) -> String {
        var text =
            "# Findings\n\nEvery code that `wellknown` reports. `wellknown finding CODE` prints its page. Codes are added, never renamed and "
            + "never used again.\n"
        var group = ""
        for rule in rules {
            let name = String(rule.code.prefix { $0 != "." })
            if name != group {
                group = name
                text += "\n## \(name)\n\n| code | severity | |\n| --- | --- | --- |\n"
            }
            text += "| [\(rule.code)](\(rule.code).md) | \(rule.severity.rawValue) | \(rule.title) |\n"
        }
        return text
    }
}

extension LintRule {
    /// The rule's own example of the error, or the one from ``AssetLinksExample``.
    var shownWrong: LintExample? { wrong ?? AssetLinksExample.wrong[code].map { .assetlinks($0) } }
    /// A sound file, if the rule has no file of its own.
    var shownRight: LintExample? {
        right ?? AssetLinksExample.wrong[code].map { _ in .assetlinks(AssetLinksExample.right(code)) }
            ?? wrong.map { _ in .aasa(BodyRules.sound) }
    }
}
