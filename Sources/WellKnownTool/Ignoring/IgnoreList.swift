import Foundation
import WellKnown

/// What is left out: codes of the command line, entries of the file, and findings that the baseline has.
struct IgnoreList {
    private let codes: Set<String>
    private let file: IgnoreFile?
    private let baseline: Baseline
    private var used: Set<Int> = []

    init(codes: [String]) { (self.codes, file, baseline) = (Set(codes), nil, Baseline()) }

    /// - Throws: ``YAMLFile/ReadError`` if the baseline cannot be read.
    init(codes: [String], file: IgnoreFile) throws(YAMLFile.ReadError) {
        (self.codes, self.file) = (Set(codes), file)
        let folder = file.name.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        baseline =
            try file.baseline.map { name throws(YAMLFile.ReadError) in
                try Baseline(reading: folder.isEmpty || name.hasPrefix("/") ? name : "\(folder)/\(name)")
            } ?? Baseline()
    }

    /// The findings that are left, and how many are left out.
    mutating func kept(_ findings: [Finding], in name: String) -> (findings: [Finding], ignored: Int) {
        var left: [Finding] = []
        for finding in findings {
            let entries = file?.entries ?? []
            let matching = entries.indices.filter { entries[$0].matches(finding, in: name) }
            used.formUnion(matching)
            if matching.isEmpty, !codes.contains(finding.code), !baseline.has(finding, in: name) {
                left.append(finding)
            }
        }
        return (left, findings.count - left.count)
    }

    /// One remark for each entry that matched nothing.
    var remarks: [String] {
        guard let file else { return [] }
        return file.entries.indices.filter { !used.contains($0) }.map {
            "\(file.name.printable):\(file.entries[$0].line): remark: the entry for \(file.entries[$0].code) matches nothing"
        }
    }

    /// Says that no rule has the code, with the nearest one. `nil` if one has it.
    static func unknown(_ code: String) -> String? {
        guard LintRule.named(code) == nil else { return nil }
        let near = LintCatalogue.nearest(to: code)
        return "there is no code \(code.printable)"
            + (near.isEmpty ? "" : ": did you mean \(near.joined(separator: " or "))?")
    }
}

/// Findings that were there when the baseline was written. They are known by code and JSON Pointer, not by line.
struct Baseline: Codable {
    struct Entry: Codable, Hashable { let file, code, pointer: String }

    private let findings: Set<Entry>

    init() { findings = [] }

    init(_ files: [(name: String, findings: [Finding])]) {
        findings = Set(files.flatMap { file in file.findings.map { Self.entry($0, in: file.name) } })
    }

    init(reading name: String) throws(YAMLFile.ReadError) {
        do throws(InputError) {
            guard let read = try Self.read(name) else {
                throw InputError(
                    description: "it is not a baseline; write it with wellknown lint --write-baseline FILE")
            }
            self = read
        } catch {
            throw YAMLFile.ReadError(lines: ["\(name.printable): \(error)"])
        }
    }

    /// Nil for a file that is something else.
    private static func read(_ name: String) throws(InputError) -> Baseline? {
        let data = try InputBytes.read(name, limit: 64 << 20)
        return try? JSONDecoder().decode(Baseline.self, from: data)
    }

    /// Replaces an older baseline as a whole. Any other file stays: a forgotten name must not cost an association file.
    static func replace(_ name: String, with text: String) throws(InputError) {
        let place = URL(fileURLWithPath: name)
        if FileManager.default.fileExists(atPath: name), try read(name) == nil {
            throw InputError(description: "it is no baseline, and stays as it is; give the name of a new file")
        }
        do { try Data(text.utf8).write(to: place, options: .atomic) } catch {
            throw InputError(description: "it cannot be written")
        }
    }

    func has(_ finding: Finding, in name: String) -> Bool { findings.contains(Self.entry(finding, in: name)) }

    private static func entry(_ finding: Finding, in name: String) -> Entry {
        Entry(file: finding.file ?? name, code: finding.code, pointer: finding.pointer ?? "")
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let sorted = findings.sorted { ($0.file, $0.pointer, $0.code) < ($1.file, $1.pointer, $1.code) }
        try container.encode(sorted, forKey: .findings)
    }

    private enum CodingKeys: String, CodingKey { case findings }
}
