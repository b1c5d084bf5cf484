import SSOShared
import Testing
import WellKnown

@testable import TestKit

/// Sources: AOSP StatementService; Chromium, digital_asset_links_handler.cc; Mozilla, StatementApi.kt; DuckDuckGo,
/// AssetLinksLoader.kt; the Digital Asset Links compatibility suite for Google's service.
@Suite("Readers of asset links", .rules)
struct AssetLinksReadersTests {
    private static let fingerprint = AssetLinksProbe.fingerprint
    private static let second = AssetLinksProbe.second
    private static let app = AssetLinksProbe.statementText()

    /// The outcomes in the order of the readers: w works, x does not work, v list void, - not asked.
    private static func outcomes(
        _ body: String, fingerprint: String = fingerprint, relation: String = AssetLinksProbe.links
    ) -> String {
        AssetLinksReaders(JSONReader.read(body.utf8))
            .verdicts(package: "com.house.app", fingerprint: fingerprint, relation: relation)
            .map { verdict in
                switch verdict.outcome {
                case .works: "w"
                case .refused: "x"
                case .listVoid: "v"
                case .notAsked: "-"
                }
            }.joined()
    }

    private static func other(_ fingerprint: String) -> String {
        AssetLinksProbe.statementText(
            #"["\#(AssetLinksProbe.links)"]"#, #""android_app""#, #""com.house.app""#, #"["\#(fingerprint)"]"#)
    }

    @Test(
        "each reader has its own result: Google, Android 11, Android 12, Chrome, Firefox, DuckDuckGo",
        arguments: [
            ("[\(app)]", "wwwwww"),
            ("[]", "xxxxxx"),
            ("{}", "vvvvvv"),
            ("[\(app),]", "vvvvvv"),
            ("[\(app)] // ours", "vwwvwv"),
            ("[// ours\n\(app)]", "vvvvwv"),
            // What Android's parser reads without being lenient.
            ("[\(app)] x", "vwwvvv"),
            ("[\(app.replacing("android_app", with: "android\\_app"))]", "vwwvvv"),
            ("[\(app.dropLast()), \"_note\": \"a\tb\\ud800\"}]", "vwwvvv"),
            ("[\(app.dropLast()), \"_flag\": TRUE}]", "vvwvvv"),
            ("[\(app.dropLast()), \"_flag\": TRUTH}]", "vvvvvv"),
            // An element that is not a statement.
            ("[\(app), 5]", "wvvwvv"),
            ("[\(app), {}]", "wwwwvv"),
            (#"[\#(app), {"relation": "\#(AssetLinksProbe.links)", "target": {}}]"#, "wwwwvv"),
            (#"[\#(app), {"relation": ["a/b"], "target": []}]"#, "wwwwwv"),
            (#"[\#(app), {"relation": ["\#(AssetLinksProbe.links)"]}]"#, "wwwwvv"),
            // A misspelled key of another app's statement.
            (
                #"[\#(app), {"relation": ["\#(AssetLinksProbe.links)"], "target": {"namespace": "android_app", "package_name": "b.c"}}]"#,
                "wwvwvw"
            ),
            (#"[\#(app), {"include": "https://a.example/x.json"}]"#, "wwwwwv"),
            // The same package twice.
            ("[\(app), \(other(second))]", "wwwwwx"),
            ("[\(other(second)), \(app)]", "wwwwww"),
            // The notation of the fingerprint.
            ("[\(other(fingerprint.lowercased()))]", "xxxxxx"),
            // Chrome ignores the namespace.
            ("[\(app.replacing("android_app", with: "my_app"))]", "xxvwxx"),
            // One invalid fingerprint next to a valid one.
            ("[\(app.replacing("[\"\(fingerprint)\"]", with: "[\"\(fingerprint)\", \"TODO\"]"))]", "xwwwww"),
            ("[\(app.replacing("[\"\(fingerprint)\"]", with: "[\"\(fingerprint)\", 7]"))]", "xwwwww"),
        ])
    func table(body: String, outcomes: String) {
        #expect(Self.outcomes(body) == outcomes)
    }

    /// A second statement with one odd value, whatever its key, and what it does to the first.
    @Test(
        "Android's parser takes few types of value, and throws for the others",
        arguments: [
            (#""_version": 1"#, "vv", true), (#""_note": null"#, "vv", true), (#""_flag": true"#, "vw", false),
            (#""_list": ["a", 1]"#, "ww", true), (#""_list": [true]"#, "vv", true),
            (#""_list": [{"a": "b"}]"#, "vw", false),
            (#""_list": [{"a": 1}]"#, "vv", true), (#""_in": {"a": {"b": 1}}"#, "vv", true),
            (#""_in": {"a": "b"}"#, "ww", true),
            (#""_a": "x", "_a": "y""#, "vw", false),
        ])
    func values(member: String, outcomes: String, isSure: Bool) throws {
        let odd = Self.app.replacing("com.house.app", with: "com.house.odd").dropLast() + ", \(member)}"
        let verdicts = AssetLinksReaders(JSONReader.read("[\(Self.app), \(odd)]".utf8))
            .verdicts(package: "com.house.app", fingerprint: Self.fingerprint)
        let android = verdicts.filter { [.android11, .android12].contains($0.reader) }
        #expect(android.map { $0.outcome == .works ? "w" : "v" }.joined() == outcomes)
        #expect(android.last?.isSure == isSure)
    }

    @Test("What the classes throw skips the statement on Android 11, and voids the list on Android 12")
    func thrown() {
        let changes = [
            (#""android_app""#, #""android""#), (#""android_app""#, "\"\""), (#""com.house.odd""#, "\"\""),
            (#"["\#(Self.fingerprint)"]"#, "[]"), (#"["\#(Self.fingerprint)"]"#, "\"\(Self.fingerprint)\""),
        ]
        for (text, replacement) in changes {
            let odd = Self.app.replacing("com.house.app", with: "com.house.odd").replacing(text, with: replacement)
            let outcomes = Self.outcomes("[\(Self.app), \(odd)]")
            #expect(outcomes.dropFirst().prefix(2) == "wv", "\(replacement): \(outcomes)")
        }
    }

    @Test("A text that Android's parser alone reads may work there, and the finding names Google's service")
    func unlikeGoogle() throws {
        for body in ["[\(Self.app)] x", "[\(Self.app.replacing("android_app", with: "android\\_app"))]"] {
            let row = try #require(AssetLinksReaders(JSONReader.read(body.utf8)).table().first)
            #expect(row.verdicts.map(\.outcome) == [.listVoid, .works, .works, .listVoid, .listVoid, .listVoid])
            #expect(row.verdicts.map(\.isSure) == [true, false, false, true, true, true])
            let reason = AssociationLint.lint(body: Array(body.utf8), as: .assetlinks).findings.first?.reason ?? ""
            #expect(reason.contains("Google's service") && reason.contains("may read it"), "\(reason)")
        }
        let reason = AssociationLint.lint(body: Array("[1 2]".utf8), as: .assetlinks).findings.first?.reason ?? ""
        #expect(reason.contains("Google's service and Android's verifier take the list for none"))
    }

    @Test("Every relation of a package is a row, and DuckDuckGo's cause is its last statement")
    func relationsOfStatements() {
        let second = Self.app.replacing(AssetLinksProbe.links, with: AssetLinksProbe.credentials)
        let rows = AssetLinksReaders(JSONReader.read("[\(Self.app), \(second)]".utf8)).table()
        #expect(rows.map(\.relation) == [AssetLinksProbe.links, AssetLinksProbe.credentials])
        let last = rows[0].verdicts.last
        #expect(last?.outcome == .refused && last?.reason.contains("last statement") == true)
    }

    @Test(
        "readers use only the relations that they know",
        arguments: [
            (AssetLinksProbe.credentials, "w----w"),
            ("delegate_permission/common.use_as_origin", "w--ww-"),
            ("delegate_permission/common.share_login_creds", "w-----"),
        ])
    func relations(relation: String, outcomes: String) {
        let statement = AssetLinksProbe.statementText(#"["\#(relation)"]"#)
        #expect(Self.outcomes("[\(statement)]", relation: relation) == outcomes)
    }

    @Test("a different certificate or package is not linked")
    func others() {
        #expect(Self.outcomes("[\(Self.app)]", fingerprint: Self.second) == "xxxxxx")
        #expect(Self.outcomes("[\(Self.app.replacing("com.house.app", with: "com.house.other"))]") == "xxxxxx")
    }

    @Test("a verdict names the statement with the error")
    func fault() throws {
        let verdicts = AssetLinksReaders(JSONReader.read("[\(Self.app), 5]".utf8))
            .verdicts(package: "com.house.app", fingerprint: Self.fingerprint)
        let android = try #require(verdicts.first { $0.reader == .android12 })
        #expect(android.statement == 1)
        #expect(android.pointer == "/1")
        #expect(!android.isSure)
        #expect(try #require(verdicts.first { $0.reader == .google }).statement == 0)
    }

    @Test("the table has one row per app and fingerprint, in the notation of devices")
    func rows() {
        let body = "[\(Self.app), \(Self.other(Self.second.lowercased())), \(Self.app)]"
        let rows = AssetLinksReaders(JSONReader.read(body.utf8)).table()
        #expect(rows.map(\.fingerprint) == [Self.fingerprint, Self.second])
        #expect(rows.allSatisfy { $0.verdicts.map(\.reader) == AssetLinksReader.allCases })
        #expect(AssetLinksReaders(JSONReader.read(body.utf8)).table(limit: 1).count == 1)
    }

    @Test("a statement that breaks the links of other apps is a finding, one that breaks only its own is not")
    func findings() throws {
        let body = "[\(Self.app), 5]"
        let finding = try #require(AssetLinksReaders(JSONReader.read(body.utf8)).findings.first)
        #expect(finding.code == "dal.readers-differ")
        #expect(finding.message.contains("Android 11 and older, Android 12 and later, Firefox, DuckDuckGo"))
        #expect(finding.pointer == "/1")
        #expect(AssetLinksReaders(JSONReader.read("[5]".utf8)).findings.isEmpty)
        #expect(AssetLinksReaders(JSONReader.read("[\(Self.app)]".utf8)).findings.isEmpty)
        // An include has a finding of its own.
        let including = #"[\#(Self.app), {"include": "https://a.example/x.json"}]"#
        #expect(AssetLinksReaders(JSONReader.read(including.utf8)).findings.isEmpty)
    }
}
