import Foundation
import Testing

@testable import TestKit

/// Inputs of which an earlier version judged wrongly, each with what must and must not be said, from `verdicts.json`.
@Suite("wellknown as a program: rows of verdicts", .deployment)
struct VerdictRowsTests {
    struct Document: Decodable { let rows: [Row] }

    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        let id, title: String
        let runs: [Run]

        var testDescription: String { "\(id) \(title)" }
    }

    struct Run: Decodable, Sendable {
        let args: [String]
        let checks: [Check]
    }

    struct Check: Decodable, Sendable {
        enum Values: Decodable, Sendable {
            case codes([Int32]), texts([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let codes = try? container.decode([Int32].self) {
                    self = .codes(codes)
                } else {
                    self = .texts(try container.decode([String].self))
                }
            }
        }

        let on: String
        let `is`: Values?
        let has, lacks, ignoring, about, aboutMessage, fields, someHas, someHasOneOf, some, never, eachHas: [String]?
        let after, code, platform, subject, name: String?
        let atLeast: Int?
        let none, anyCase: Bool?
    }

    static let folder = TestVectors.folder.appending(path: "wellknown/verdicts")

    static let rows: [Row] = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = (try? Data(contentsOf: folder.appending(path: "verdicts.json"))) ?? Data()
        return (try? decoder.decode(Document.self, from: data))?.rows ?? []
    }()

    @Test("The file has all 42 rows") func count() { #expect(Self.rows.count == 42) }

    @Test("A row is judged as it must be", arguments: rows)
    func row(row: Row) async throws {
        for run in row.runs {
            let result = try await WellKnownRun.run(run.args, in: Self.folder.path)
            for check in run.checks {
                #expect(
                    VerdictCheck(check, result).holds, "\(row.id) \(check)\n\(result.output)\(result.errors)")
            }
        }
    }
}

/// One check of a run.
struct VerdictCheck {
    private let check: VerdictRowsTests.Check
    private let run: WellKnownRun

    init(_ check: VerdictRowsTests.Check, _ run: WellKnownRun) { (self.check, self.run) = (check, run) }

    var holds: Bool {
        switch check.on {
        case "exit": if case .codes(let codes)? = check.is, let code = run.code { codes.contains(code) } else { false }
        case "output": text(run.output + run.errors)
        case "first line": text(String(run.output.prefix { !$0.isNewline }))
        case "findings": findings
        case "line": line
        case "places": !(check.lacks ?? []).contains { values.contains($0) }
        case "readers": readers
        default: false
        }
    }

    private func words(_ text: String) -> String {
        let text = text.split(omittingEmptySubsequences: true, whereSeparator: \.isWhitespace).joined(separator: " ")
        return check.anyCase == true ? text.lowercased() : text
    }

    private func text(_ written: String) -> Bool {
        var text = words(written)
        if let after = check.after, let range = text.range(of: after, options: .backwards) {
            text = String(text[range.upperBound...])
        }
        for part in check.ignoring ?? [] { text = text.replacing(part, with: "") }
        return (check.has ?? []).allSatisfy(text.contains) && !(check.lacks ?? []).contains(where: text.contains)
    }

    private var document: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(run.output.utf8))) as? [String: Any] ?? [:]
    }

    // MARK: Findings

    private var findings: Bool {
        let files = document["files"] as? [[String: Any]] ?? []
        let all =
            (document["findings"] as? [[String: Any]] ?? [])
            + files.flatMap { $0["findings"] as? [[String: Any]] ?? [] }
        let meant = all.filter { finding in
            (check.code == "*" || finding["code"] as? String == check.code)
                && (check.about ?? []).allSatisfy { said(finding, Self.fields).contains($0.folded(check.anyCase)) }
                && (check.aboutMessage ?? []).allSatisfy {
                    said(finding, ["message"]).contains($0.folded(check.anyCase))
                }
        }
        let texts = meant.map { said($0, check.fields ?? Self.fields) }
        if let lacks = check.lacks, texts.contains(where: { text in lacks.contains(where: text.contains) }) {
            return false
        }
        if let some = check.someHas,
            !texts.contains(where: { text in some.allSatisfy { text.contains($0.folded(check.anyCase)) } })
        {
            return false
        }
        if let some = check.someHasOneOf, !texts.contains(where: { text in some.contains(where: text.contains) }) {
            return false
        }
        if let least = check.atLeast, meant.count < least { return false }
        return check.none != true || meant.isEmpty
    }

    private static let fields = ["message", "reason", "fix"]

    private func said(_ finding: [String: Any], _ fields: [String]) -> String {
        words(fields.compactMap { finding[$0] as? String }.joined(separator: " "))
    }

    // MARK: Lines

    private var lines: [[String: Any]] {
        (document["lines"] as? [[String: Any]] ?? []).filter {
            $0["platform"] as? String == check.platform && $0["subject"] as? String == check.subject
        }
    }

    private var line: Bool {
        let verdicts = lines.compactMap { $0["verdict"] as? String }
        if case .texts(let texts)? = check.is, verdicts != texts { return false }
        if let some = check.some, !some.contains(where: verdicts.contains) { return false }
        return !(check.never ?? []).contains(where: verdicts.contains)
    }

    private var values: String {
        lines.flatMap { $0["places"] as? [[String: Any]] ?? [] }.compactMap { $0["value"] as? String }
            .joined(separator: " ")
    }

    private var readers: Bool {
        let lines = run.output.split(whereSeparator: \.isNewline).map { words(String($0)) }
            .filter { $0.hasPrefix(check.name ?? "") }
        return lines.count >= check.atLeast ?? 0
            && lines.allSatisfy { line in (check.eachHas ?? []).allSatisfy(line.contains) }
    }
}

extension String {
    fileprivate func folded(_ anyCase: Bool?) -> String { anyCase == true ? lowercased() : self }
}
