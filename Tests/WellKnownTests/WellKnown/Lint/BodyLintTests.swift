import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Linting bodies that are not valid JSON", .rules)
struct BodyLintTests {
    static let sound = BodyRules.sound

    struct Case: Sendable, CustomTestStringConvertible {
        let code: String
        let body: [UInt8]
        let kind: AssociationKind
        var testDescription: String { code }

        init(_ code: String, _ text: String, _ kind: AssociationKind = .aasa) {
            self.init(code, Array(text.utf8), kind)
        }

        init(_ code: String, _ body: [UInt8], _ kind: AssociationKind = .aasa) {
            self.code = code
            self.body = body
            self.kind = kind
        }
    }

    static func codes(_ body: [UInt8], _ kind: AssociationKind?) -> [String] {
        AssociationLint.lint(body: body, as: kind).findings.map(\.code)
    }

    static let utf16: [UInt8] =
        [0xff, 0xfe] + sound.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xff), UInt8(unit >> 8)] }
    static let app = "4J6K8M2N9P.com.acme.shop"
    static func credentials(_ list: String) -> String { "{\"webcredentials\": {\"apps\": [\(list)]}}\n" }

    @Test(
        "each body that is another file has exactly one finding per cause",
        arguments: [
            Case("body.empty", ""), Case("body.empty", " \r\n\t"), Case("body.empty", "\u{feff}\n"),
            Case("body.html", "<!doctype html><title>x</title>"), Case("body.html", "\n<?xml version='1.0'?><Error/>"),
            Case("body.html", "<html>", .assetlinks),
            Case("body.symlink", "../apple-app-site-association"),
            Case("body.symlink", "assetlinks.json\n", .assetlinks),
            Case("body.rtf", "{\\rtf1 {}}"), Case("body.lfs-pointer", "version https://git-lfs.github.com/spec/v1\n"),
            Case("body.merge-conflict", "{\n<<<<<<< HEAD\n\"a\":1\n=======\n>>>>>>> b\n}"),
            Case("body.front-matter", "---\nlayout: null\n---\n{}"), Case("body.js-module", "module.exports = {}"),
            Case("body.double-encoded", "\"[]\"", .assetlinks), Case("body.swapped", "[{\"relation\": []}]"),
            Case("body.swapped", sound, .assetlinks), Case("http.encoding", [0x1f, 0x8b, 8, 0]),
            Case("json.invalid", "test"), Case("json.invalid", "[1 2]"), Case("json.invalid", "[\"\\ud800\"]"),
            Case("json.invalid", credentials("'\(app)'")), Case("json.invalid", sound + "\u{0}"),
            Case("json.trailing-comma", credentials("\"\(app)\",")), Case("json.comment", sound + "// end"),
            Case("json.smart-quotes", credentials("\u{201c}\(app)\u{201d}")),
            Case("json.smart-quotes", credentials("\"\(app)\u{201d}, \"B\"")),
            Case("json.invisible", sound.replacing("\n", with: "\n\u{a0}")),
            Case("json.bom", "\u{feff}" + sound), Case("json.encoding", utf16),
            Case("json.encoding", Array("{\"é".utf8.prefix(2)) + [0xe9] + Array("\":1}".utf8)),
            Case(
                "json.duplicate-key",
                sound.replacing(
                    "\"webcredentials\":", with: "\"webcredentials\": {\"apps\": [\"\(app)\"]}, \"webcredentials\":")),
            Case("json.deep", String(repeating: "[", count: 600)), Case("json.root", "[]"), Case("json.root", "1"),
            Case("json.root", "\"\""), Case("json.root", "{\"relation\": []}", .assetlinks),
        ])
    func one(row: Case) {
        let report = AssociationLint.lint(body: row.body, as: row.kind)
        #expect(report.findings.map(\.code) == [row.code])
        #expect(report.findings.allSatisfy { !$0.message.contains("\n") && $0.message.count < 300 })
    }

    @Test("a valid file has no findings with any line ending")
    func none() {
        #expect(Self.codes(Array(Self.sound.utf8), .aasa) == [])
        #expect(Self.codes(Array(Self.sound.replacing("\n", with: "\r\n").utf8), nil) == [])
        #expect(Self.codes(Array(Self.sound.utf8.dropLast()), .aasa) == [])
    }

    @Test("a trailing comma is an error for Google's parsers, and disputed for Apple's")
    func trailingComma() {
        let aasa = AssociationLint.lint(body: Array(Self.credentials("\"\(Self.app)\",").utf8), as: .aasa)
        #expect(aasa.findings.map(\.severity) == [.warning])
        #expect(aasa.findings[0].message.contains("is said to let it pass"))
        #expect(aasa.findings[0].position == SourcePosition(line: 1, column: 56))
        let google = AssociationLint.lint(body: Array("[{},]".utf8), as: .assetlinks)
        #expect(google.findings.first { $0.code == "json.trailing-comma" }?.severity == .error)
    }

    @Test("a missing final line break is reported only on request")
    func finalNewline() {
        var options = LintOptions()
        options.mindsFinalNewline = true
        let body = Array(Self.sound.utf8)
        #expect(AssociationLint.lint(body: body, options: options).findings.isEmpty)
        let report = AssociationLint.lint(body: body.dropLast(), options: options)
        #expect(report.findings.map(\.code) == ["json.no-final-newline"])
    }

    @Test(
        "a file of the maximum size is close to the limit, one byte more is too large",
        arguments: AssociationKind.allCases)
    func size(kind: AssociationKind) {
        let most = kind.maximumBytes
        let text = kind == .aasa ? Self.sound : "[]"
        for (count, code) in [
            (most / 4 * 3, nil), (most / 4 * 3 + 1, "http.near-limit"), (most, "http.near-limit"),
            (most + 1, "http.too-large"),
        ] {
            let body = Array(text.utf8) + Array(repeating: 0x20, count: count - text.utf8.count)
            #expect(Self.codes(body, kind).first { $0.hasPrefix("http") } == code)
        }
    }

    @Test("the kind of file is detected by its name first, then by its content")
    func kinds() {
        #expect(AssociationKind.guess(fileName: "/x/.well-known/assetlinks.json", body: Self.sound.utf8) == .assetlinks)
        #expect(AssociationKind.guess(fileName: "https://a.test/apple-app-site-association", body: "[]".utf8) == .aasa)
        #expect(AssociationKind.guess(fileName: "x.json", body: "[]".utf8) == .assetlinks)
        #expect(AssociationKind.guess(body: Self.sound.utf8) == .aasa)
        #expect(AssociationKind.guess(body: "{\"target\": {}}".utf8) == .assetlinks)
        #expect(AssociationKind.guess(body: "x".utf8) == nil)
    }

    @Test("findings of one code are listed up to a limit, and the others are counted")
    func omitted() {
        let text = "{" + String(repeating: "\"a\":1,", count: 1000) + "\"a\":1}"
        let report = AssociationLint.lint(body: Array(text.utf8), as: .aasa)
        #expect(report.findings.count { $0.code == "json.duplicate-key" } == FindingCollector.mostOfOneCode)
        #expect(report.omitted["json.duplicate-key"] == 1000 - FindingCollector.mostOfOneCode)
    }
}
