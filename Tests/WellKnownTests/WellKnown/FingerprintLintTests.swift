import Testing
import WellKnown

@testable import TestKit

/// Sources: the Digital Asset Links specification; AOSP's StatementService and Chromium, which compare the text.
@Suite("Linting fingerprints", .rules)
struct FingerprintLintTests {
    private static let good = AssetLinksProbe.fingerprint
    private static let debug = KnownFingerprints.publicDebugKey
    /// The same 32 octets in base64.
    private static let base64 = "2OMaC1x3kk9gvROuhSn0xg2b4TdSis8Uo35msF35KEE="

    @Test(
        "each defect of a fingerprint is reported, with the correct text if it is known",
        arguments: [
            (good, [], nil),
            (good.lowercased(), ["fp.lowercase"], good),
            (good.replacing(":", with: ""), ["fp.no-colons"], good),
            (good.replacing(":", with: "").lowercased(), ["fp.no-colons", "fp.lowercase"], good),
            (good.replacing(":", with: "-"), ["fp.no-colons"], good),
            (good.replacing(":", with: " "), ["fp.no-colons"], good),
            ("SHA256: " + good, ["fp.prefix-text"], good),
            ("SHA-256 Fingerprint=" + good, ["fp.prefix-text"], good),
            (" " + good + "\\n", ["fp.syntax"], good),
            (good + ":", ["fp.syntax"], good),
            (base64, ["fp.base64"], good),
            (
                "android:apk-key-hash:2OMaC1x3kk9gvROuhSn0xg2b4TdSis8Uo35msF35KEE", ["fp.base64"],
                good
            ),
            (String(good.prefix(59)), ["fp.sha1"], nil),
            (String(good.prefix(59)).lowercased(), ["fp.sha1"], nil),
            (String(good.prefix(47)), ["fp.sha1"], nil),
            (String(good.prefix(92)), ["fp.length"], nil),
            (good + ":AA", ["fp.length"], nil),
            (String(good.replacing(":", with: "").dropLast()), ["fp.no-colons", "fp.length"], nil),
            (String(good.dropFirst()), ["fp.first-octet"], nil),
            (String(good.dropLast()), ["fp.length"], nil),
            (String(debug.dropFirst()), ["fp.first-octet", "fp.known-public-debug-key"], nil),
            ("GG:HH:" + good.dropFirst(6), ["fp.syntax"], nil),
            ("B A D", ["fp.syntax"], nil),
            ("", ["fp.empty"], nil),
            ("FINGERPRINT_HERE", ["fp.placeholder"], nil),
            ("TODO:REPLACE_WITH_SHA256_FROM_EAS_CREDENTIALS", ["fp.placeholder"], nil),
            ("YOUR_SHA256_CERT_FINGERPRINT", ["fp.placeholder"], nil),
            ("REPLACE_WITH_YOUR_SHA256_FP", ["fp.placeholder"], nil),
            ("<MAUI_APP_SIGNING_SHA256>", ["fp.placeholder"], nil),
            ("AA:BB:CC:...", ["fp.placeholder"], nil),
            ("XX:XX:XX", ["fp.placeholder"], nil),
            ("{{ fingerprint }}", ["fp.placeholder"], nil),
            (Array(repeating: "00", count: 32).joined(separator: ":"), ["fp.repeating"], nil),
            (Array(repeating: "AB:CD", count: 16).joined(separator: ":"), ["fp.repeating"], nil),
            (
                (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":"),
                ["fp.repeating"], nil
            ),
            (debug, ["fp.known-public-debug-key"], nil),
            (debug.lowercased(), ["fp.lowercase", "fp.known-public-debug-key"], debug),
            (
                "5E:8F:16:06:2E:A3:CD:2C:4A:0D:54:78:76:BA:A6:F3:8C:AB:F6:25",
                ["fp.sha1", "fp.known-public-debug-key"], nil
            ),
            (KnownFingerprints.documentationSample, ["fp.google-doc-sample"], nil),
        ] as [(String, [String], String?)])
    func shapes(text: String, codes: [String], corrected: String?) {
        let probe = AssetLinksProbe.app(fingerprints: "[\"\(text)\"]")
        #expect(probe.codes == codes)
        if let corrected, let first = codes.first {
            #expect(probe.finding(first)?.fix == "Write \"\(corrected)\".")
        }
        for finding in probe.findings where codes.contains(finding.code) {
            #expect(finding.pointer == "/0/target/sha256_cert_fingerprints/0")
        }
    }

    @Test(
        "errors of the list are reported",
        arguments: [
            ("[]", "fp.empty", "/0/target/sha256_cert_fingerprints"),
            (#""\#(good)""#, "fp.type", "/0/target/sha256_cert_fingerprints"),
            ("null", "fp.type", "/0/target/sha256_cert_fingerprints"),
            (#"["\#(good)", 5]"#, "fp.type", "/0/target/sha256_cert_fingerprints/1"),
            (#"["\#(good)", "\#(good)"]"#, "fp.duplicate", "/0/target/sha256_cert_fingerprints/1"),
        ])
    func list(value: String, code: String, pointer: String) {
        let probe = AssetLinksProbe.app(fingerprints: value)
        #expect(probe.codes == [code])
        #expect(probe.finding(code)?.pointer == pointer)
    }

    @Test("a missing list is reported")
    func missing() {
        let probe = AssetLinksProbe(
            #"[{"relation": ["\#(AssetLinksProbe.links)"], "target": {"namespace": "android_app", "package_name": "com.house.app"}}]"#
        )
        #expect(probe.codes == ["fp.missing"])
        #expect(probe.finding("fp.missing")?.pointer == "/0/target")
    }

    @Test("the message contains the complete fingerprint, so that it can be searched for")
    func wholeText() {
        let message = AssetLinksProbe.app(fingerprints: #"["\#(Self.debug)"]"#).finding("fp.known-public-debug-key")?
            .message
        #expect(message?.contains(Self.debug) == true)
    }

    @Test("the package name distinguishes debug builds from releases")
    func debugAndRelease() {
        func list(_ packages: [(String, String)]) -> AssetLinksProbe {
            let statements = packages.map {
                AssetLinksProbe.statementText(
                    #"["\#(AssetLinksProbe.links)"]"#, #""android_app""#, "\"\($0.0)\"", "[\"\($0.1)\"]")
            }
            return AssetLinksProbe("[\(statements.joined(separator: ","))]")
        }
        let same = list([("com.house.app", Self.good), ("com.house.app.debug", Self.good)])
        #expect(same.codes == ["fp.same-for-debug-and-release"])
        #expect(same.finding("fp.same-for-debug-and-release")?.severity == .warning)
        #expect(list([("com.house.app", Self.good), ("com.house.app.debug", AssetLinksProbe.second)]).codes == [])
        #expect(list([("com.house.app", Self.good), ("com.house.debugger", Self.good)]).codes == [])
        #expect(list([("com.house.app.debug", Self.good)]).codes == ["fp.android-studio-debug"])
        #expect(list([("com.house.app.debug", Self.good)]).finding("fp.play-signing") == nil)
    }

    @Test("one fingerprint results in a note about Play App Signing, two do not")
    func playSigning() {
        #expect(AssetLinksProbe.app().finding("fp.play-signing") != nil)
        let two = AssetLinksProbe.app(fingerprints: #"["\#(Self.good)", "\#(AssetLinksProbe.second)"]"#)
        #expect(two.finding("fp.play-signing") == nil)
    }

    @Test(
        "known fingerprints are recognized in any notation",
        arguments: [
            (KnownFingerprints.publicDebugKey, KnownFingerprints.Owner.publicDebugKey),
            (KnownFingerprints.publicDebugKey.lowercased().replacing(":", with: ""), .publicDebugKey),
            (KnownFingerprints.documentationSample, .documentationSample),
            (good, nil),
            ("", nil),
        ] as [(String, KnownFingerprints.Owner?)])
    func owners(text: String, owner: KnownFingerprints.Owner?) {
        #expect(KnownFingerprints.owner(of: text) == owner)
    }
}
