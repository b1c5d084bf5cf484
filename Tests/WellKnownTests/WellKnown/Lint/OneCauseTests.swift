import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// A finding is true for its file, names one cause, and leads to no other finding.
@Suite("One cause, one finding", .rules)
struct OneCauseTests {
    private static let advice: Set<String> = ["fp.play-signing", "dal.missing-login-creds", "pat.login-links"]

    private static func findings(_ text: String, _ kind: AssociationKind) -> [Finding] {
        AssociationLint.lint(body: Array(text.utf8), as: kind).findings.filter { !advice.contains($0.code) }
    }

    private static func apple(_ id: String) -> String {
        #"{"applinks": {"details": [{"appIDs": ["\#(id)"], "components": [{"/": "/a"}]}]}}"#
    }

    private static let sha1 = "5E:8F:16:06:2E:A3:CD:2C:4A:0D:54:78:76:BA:A6:F3:8C:AB:F6:26"

    @Test(
        "An identifier of a template is a placeholder, and a real word is not",
        arguments: [
            ("TODO", true), ("undefined.com.acme.shop", true), ("K7Q2M9X4TB.undefined", true),
            ("K7Q2M9X4TB.null", true),
            ("K7Q2M9X4TB.TODO", true), ("K7Q2M9X4TB.com.acme.FIXME", true), ("%TEAM%.com.acme.shop", true),
            ("K7Q2M9X4TB.your.bundle.id", true), ("REPLACE_ME.com.acme", true), ("K7Q2M9X4TB.com.todo.app", false),
            ("K7Q2M9X4TB.com.acme.todo", false), ("K7Q2M9X4TB.com.acme.replacements", false),
            ("K7Q2M9X4TB.com.tbd.app", false),
        ])
    func placeholders(id: String, isOne: Bool) {
        #expect(Self.findings(Self.apple(id), .aasa).map(\.code) == (isOne ? ["id.placeholder"] : []))
    }

    @Test(
        "A fingerprint has one finding for one cause",
        arguments: [
            ("SHA1: \(sha1)", ["fp.sha1"]), ("sha1/\(sha1.lowercased())", ["fp.sha1"]),
            (
                "android:apk-key-hash:O34QUpxB0KpfYhPolAe8bSH1OA7JdkqyHeNYkK8Ea8c", ["fp.base64"]
            ), ("undefined", ["fp.placeholder"]), ("null", ["fp.placeholder"]),
            (AssetLinksProbe.fingerprint.replacing(":", with: ": "), ["fp.no-colons"]),
            (AssetLinksProbe.fingerprint.replacing(":", with: "："), ["fp.no-colons"]),
            ("\u{200b}" + AssetLinksProbe.fingerprint, ["json.invisible"]),
            ("0x" + AssetLinksProbe.fingerprint.replacing(":", with: ""), ["fp.prefix-text", "fp.no-colons"]),
        ])
    func fingerprints(text: String, codes: [String]) {
        let list = "[\(AssetLinksProbe.statementText().replacing(AssetLinksProbe.fingerprint, with: text))]"
        #expect(Self.findings(list, .assetlinks).map(\.code) == codes)
    }

    @Test(
        "A body that cannot be read speaks of its own format alone",
        arguments: ["null", "5", "\"x\"", "[]", "{}", "{\"error\": 1}", "", "<html></html>", "{", "test", "[1"])
    func formats(body: String) {
        for (kind, foreign) in [
            (AssociationKind.aasa, ["Google", "Android", "statement"]), (.assetlinks, ["Apple", "applinks", "iOS"]),
        ] {
            for finding in Self.findings(body, kind) {
                let words = [finding.message, finding.reason, finding.fix ?? ""].joined(separator: " ")
                #expect(!foreign.contains(where: words.contains), "\(words)")
            }
        }
    }

    @Test(
        "What no address has is found, with the same name in both files",
        arguments: [
            (#"{"?": {"?id": "?*"}}"#, "pat.query-syntax"), (#"{"?": {"utm_*": "?*"}}"#, "pat.query-syntax"),
            (#"{"?": {"a=b": "x"}}"#, "pat.query-syntax"), (#"{"?": {"a": "b&c"}}"#, "pat.query-syntax"),
            (##"{"#": "#top"}"##, "pat.query-syntax"), (#"{"/": "/a?b=c"}"#, "pat.query-in-path"),
            (##"{"/": "/a#b"}"##, "pat.fragment-in-path"), (#"{"/": "/a/:id"}"#, "pat.route-syntax"),
            (#"{"/": "/a/{id}"}"#, "pat.route-syntax"), (#"{"/": "NOT /a"}"#, "pat.not-keyword"),
            (#"{"/": "https://acme.com/a"}"#, "pat.url-in-path"), (#"{"/": "/a "}"#, "pat.non-ascii"),
            (#"{"/": "/<id>"}"#, "pat.placeholder-text"),
        ])
    func bothFiles(rule: String, code: String) {
        let ios = #"{"applinks": {"details": [{"appIDs": ["K7Q2M9X4TB.com.acme.shop"], "components": [\#(rule)]}]}}"#
        #expect(Self.findings(ios, .aasa).map(\.code) == [code])
        let android = AssetLinksProbe.dynamic("[\(rule), {\"/\": \"*\"}]")
        #expect(android.codes == [code])
        let words = android.findings.map { "\($0.reason) \($0.fix ?? "")" }
        #expect(!words.contains { $0.contains("legacy") })
    }

    @Test(
        "A key in the wrong object is said to be there, and a note may stay",
        arguments: [
            (#", "package_name": "com.acme.shop""#, "belongs into target"), (#", "fingerprints": []"#, "Unknown key"),
            (#", "_comment": "ours""#, "It can stay"), (#", "description": "ours""#, "It can stay"),
        ])
    func keys(member: String, words: String) {
        let list = "[\(AssetLinksProbe.statementText().dropLast())\(member)}]"
        let found = Self.findings(list, .assetlinks)
        #expect(found.count == 1 && found[0].code == "dal.unknown-key", "\(found.map(\.code))")
        let said = "\(found.first?.message ?? "") \(found.first?.fix ?? "")"
        #expect(said.contains(words))
        let flat =
            #"[{"relation": ["\#(AssetLinksProbe.links)"], "namespace": "android_app", "package_name": "com.acme.shop"}]"#
        #expect(Self.findings(flat, .assetlinks).map(\.code) == ["dal.no-target"])
    }

    @Test("An application id of an example is said to be one")
    func example() {
        let list = "[\(AssetLinksProbe.statementText().replacing("com.house.app", with: "com.example.app"))]"
        let found = Self.findings(list, .assetlinks)
        #expect(found.map(\.code) == ["dal.package-syntax"] && found[0].severity == .info)
    }
}
