import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// The edits that findings carry. Text, JSON, SARIF and `lint --fix` are made from the same ones.
@Suite("The edits of findings", .rules)
struct FindingFixTests {
    private static let app = "K7Q2M9X4TB.com.acme.shop"
    private static let print = SampleFiles.fingerprint

    /// A key in the wrong case, or a misspelled relation, hides what it means. With the right one, that is seen for the
    /// first time.
    private static let uncovering = [
        "aasa.key-case": ["pat.login-links"], "dal.relation-syntax": ["dal.missing-login-creds"],
    ]

    @Test("An edit removes its finding and brings no other one", arguments: LintFixture.all)
    func applied(fixture: LintFixture) {
        let report = fixture.lint()
        for finding in report.findings where !finding.edits.isEmpty {
            let body = AssociationFix.apply(finding.edits, to: report.document.text, of: fixture.body)
            let before = Self.counts(report.findings)
            let after = Self.counts(fixture.lint(body).findings)
            #expect(after[finding.code, default: 0] < before[finding.code, default: 0], "\(finding)")
            let new = after.filter { $0.value > before[$0.key, default: 0] }.keys.sorted()
            #expect(
                new.allSatisfy { Self.uncovering[finding.code]?.contains($0) == true },
                "\(finding.code) \(finding.fix ?? ""): \(new)")
        }
    }

    private static func counts(_ findings: [Finding]) -> [String: Int] {
        Dictionary(findings.map { ($0.code, 1) }, uniquingKeysWith: +)
    }

    /// Whether the finding says that something has no effect. With its edit made, it has one, and links move.
    private static func moves(_ finding: Finding) -> Bool {
        let silent: Set<String> = ["pat.percent-lower", "dal.relation-unknown", "dal.unknown-key"]
        return finding.severity == .error || silent.contains(finding.code)
    }

    @Test(
        "A file with all edits made has none left, and only findings that say so move links", arguments: LintFixture.all
    )
    func whole(fixture: LintFixture) throws {
        let fix = AssociationFix(fixture.body, as: fixture.kind)
        guard AssociationFix.untouched(fixture.body, as: fixture.kind) == nil else {
            #expect(fix.body == fixture.body && fix.fixed.isEmpty)
            return
        }
        #expect(fixture.lint(fix.body).findings.allSatisfy { $0.edits.isEmpty })
        guard !fix.fixed.contains(where: Self.moves) else { return }
        #expect(try Self.moved(fixture.body, fix.body, fixture.kind) == [], "\(fix.fixed.map(\.code))")
    }

    /// The apps and links of which the two files decide differently.
    private static func moved(_ old: [UInt8], _ new: [UInt8], _ kind: AssociationKind) throws -> [String] {
        let diff: LinkDiff
        switch kind {
        case .aasa:
            diff = LinkDiff.between(
                AppleMatcher(try #require(AASAFile(reading: old))), AppleMatcher(try #require(AASAFile(reading: new))))
        case .assetlinks:
            diff = LinkDiff.between(
                AndroidMatcher(try #require(AssetLinksFile(reading: old))),
                AndroidMatcher(try #require(AssetLinksFile(reading: new))))
        }
        return diff.addedApps + diff.removedApps + diff.changedCertificates + diff.changes.map { "\($0.witness)" }
    }

    static let aasa: [(String, String)] = [
        // Upper and lower case, white space, a comma, a duplicate; everything else stays as it is.
        (
            "{\"webcredentials\" :\n\t{ \"apps\":[\"k7q2m9x4tb.com.acme.shop\"]}}",
            "{\"webcredentials\" :\n\t{ \"apps\":[\"\(app)\"]}}"
        ),
        (
            "{\"webcredentials\": {\"apps\": [\" \(app)\\n\",]}}\r\n",
            "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}\r\n"
        ),
        ("\u{feff}{\"webcredentials\": {\"apps\": [\"\(app)\"]}}", "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}"),
        (
            "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\", \"\(app)\"], \"components\": [{\"\\/\": \"\\/shop\\/* \"}]}]}}",
            "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"\\/\": \"\\/shop\\/*\"}]}]}}"
        ),
        (
            "{\"applinks\": {\"details\": [{\"appIds\": [\"\(app)\"], \"components\": [{\"/\": \"/a\", \"caseSensitive\": \"FALSE\"}, {\"/\": \"/b%c3%a4\"}]}]}}",
            "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/a\", \"caseSensitive\": false}, {\"/\": \"/b%C3%A4\"}]}]}}"
        ),
    ]
    /// Advice in words that a program can follow: spelling, NOT, the slash.
    static let advice: [(AssociationKind, String, String)] = [
        (
            .aasa, paths(#""not /a", "!/b", "NOT c", "NOT", "d", "*""#),
            paths(#""NOT /a", "NOT /b", "NOT /c", "/d", "*""#)
        ),
        (
            .aasa, components(#"{"/": "NOT /a"}, {"/": "/b", "excludes": true}, {"/": "*"}"#),
            components(#"{"/": "/a", "exclude": true}, {"/": "/b", "exclude": true}, {"/": "*"}"#)
        ),
        (
            .aasa, components(##"{"/": "/a", "?": {"?id": "1"}, "#": "#top"}"##),
            components(##"{"/": "/a", "?": {"id": "1"}, "#": "top"}"##)
        ),
        (.assetlinks, statement(print).replacing("relation", with: "relations"), statement(print)),
        (.assetlinks, statement(print).replacing("handle_all_urls", with: "handle_all_url"), statement(print)),
        (.assetlinks, statement(print).replacing("package_name", with: "packageName"), statement(print)),
    ]

    private static func paths(_ items: String) -> String {
        "{\"applinks\": {\"apps\": [], \"details\": [{\"appID\": \"\(app)\", \"paths\": [\(items)]}]}}"
    }

    private static func components(_ items: String) -> String {
        "{\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [\(items)]}]}}"
    }

    static let assetLinks: [(String, String)] = [
        (statement(print.lowercased()), statement(print)),
        (statement(print.replacing(":", with: "")), statement(print)),
        (statement("SHA256: \(print) "), statement(print)),
        (statement("\(print)\", \"\(print)"), statement(print)),
    ]

    private static func statement(_ print: String) -> String {
        "[ {\"relation\": [\"delegate_permission/common.handle_all_urls\"], \"target\": {\"namespace\": \"android_app\",\n"
            + "  \"package_name\": \"com.acme.shop\", \"sha256_cert_fingerprints\": [\"\(print)\"]}}]"
    }

    @Test(
        "Only the bytes of the edits change",
        arguments: aasa.map { (AssociationKind.aasa, $0.0, $0.1) } + assetLinks.map { (.assetlinks, $0.0, $0.1) }
            + advice)
    func bytes(kind: AssociationKind, input: String, expected: String) {
        let fix = AssociationFix(Array(input.utf8), as: kind)
        #expect(String(decoding: fix.body, as: UTF8.self) == expected)
        #expect(!fix.fixed.isEmpty)
    }

    static let untouched: [(String, String)] = [
        ("{\"webcredentials\": {\"apps\": [\" \(app)\" }", "it cannot be parsed"),
        ("{\"scripts\": [1,]}", "it is no association file"), ("[1,]", "it is no association file"),
        ("<html></html>", "it cannot be parsed"),
    ]

    @Test("A file that cannot be parsed or is not an association file stays as it is", arguments: untouched)
    func refused(input: String, reason: String) {
        let body = Array(input.utf8)
        #expect(AssociationFix.untouched(body, as: .aasa) == reason)
        #expect(AssociationFix(body, as: .aasa).body == body)
    }

    @Test("A file with more findings than a report lists is mended, too")
    func many() {
        let apps = (0..<450).map { "\"k7q2m9x4tb.com.acme.shop\($0)\"" }.joined(separator: ",")
        let fix = AssociationFix(Array("{\"webcredentials\":{\"apps\":[\(apps)]}}".utf8), as: .aasa)
        #expect(fix.fixed.count == 450)
        #expect(AssociationLint.lint(body: fix.body, as: .aasa).findings.isEmpty)
    }

    @Test("UTF-16 stays as it is")
    func encoded() {
        let text = "{\"webcredentials\": {\"apps\": [\"\(Self.app)\",]}}"
        let body: [UInt8] = [0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(AssociationFix.untouched(body, as: .aasa) == "it is not plain UTF-8 text")
        #expect(AssociationFix(body, as: .aasa).body == body)
    }
}
