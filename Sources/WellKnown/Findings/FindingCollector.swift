import SSOShared

/// Collects the findings of one file. Adds line, column and JSON Pointer to each, and limits the findings of one code.
struct FindingCollector {
    let document: JSONDocument
    let file: String?
    private(set) var findings: [Finding] = []
    /// The number of findings of each code that were not listed.
    private(set) var omitted: [String: Int] = [:]
    private var counts: [String: Int] = [:]
    /// The remaining budget for comparisons of regular languages, the only slow check.
    var comparisonsLeft = 2

    /// The maximum number of findings of one code. A hostile file can cause millions of findings.
    static let mostOfOneCode = 200

    init(_ document: JSONDocument, file: String? = nil) {
        self.document = document
        self.file = file
    }

    /// Adds a finding about the whole file.
    mutating func add(
        _ rule: LintRule, _ message: @autoclosure () -> String, severity: Severity? = nil
    ) {
        guard mayList(rule.code) else { return }
        findings.append(Finding(rule, Self.sentence(message()), severity: severity, file: file))
    }

    /// Adds a finding at a byte of the document. The message is created only if the finding is listed.
    mutating func add(
        _ rule: LintRule, at offset: Int, _ message: @autoclosure () -> String, severity: Severity? = nil,
        reason: String? = nil, fix: @autoclosure () -> FindingFix? = nil
    ) {
        guard mayList(rule.code) else { return }
        let fix = fix()
        findings.append(
            Finding(
                rule, Self.sentence(message()), severity: severity, reason: reason, fix: fix?.words,
                edits: fix.map { document.edits($0.changes) } ?? [], file: file,
                position: document.position(at: offset),
                pointer: document.root == nil ? nil : document.pointer(at: offset)))
    }

    mutating func add(
        _ rule: LintRule, at node: JSONNode, _ message: @autoclosure () -> String, severity: Severity? = nil,
        reason: String? = nil, fix: @autoclosure () -> FindingFix? = nil
    ) {
        add(rule, at: node.range.lowerBound, message(), severity: severity, reason: reason, fix: fix())
    }

    mutating func add(
        _ rule: LintRule, at member: JSONMember, _ message: @autoclosure () -> String, severity: Severity? = nil,
        reason: String? = nil, fix: @autoclosure () -> FindingFix? = nil
    ) {
        add(rule, at: member.keyRange.lowerBound, message(), severity: severity, reason: reason, fix: fix())
    }

    /// Adds a finding about a value of a wrong type.
    mutating func add(
        _ rule: LintRule, _ name: @autoclosure () -> String, _ node: JSONNode, mustBe right: String,
        fix: @autoclosure () -> FindingFix? = nil
    ) {
        add(rule, at: node, "\(name()) is \(node.typeName); it must be \(right)", fix: fix())
    }

    /// The findings in the order of the file. Findings about the whole file come first. Findings at one position keep
    /// the order in which they were added.
    var sorted: [Finding] {
        let start = SourcePosition(line: 0, column: 0)
        return findings.enumerated().sorted { left, right in
            let places = (left.element.position ?? start, right.element.position ?? start)
            return places.0 == places.1 ? left.offset < right.offset : places.0 < places.1
        }.map(\.element)
    }

    func count(_ rule: LintRule) -> Int { counts[rule.code, default: 0] }

    /// Whether further findings of this rule are only counted. Work that prepares their messages can then be skipped.
    func isFull(_ rule: LintRule) -> Bool { counts[rule.code, default: 0] >= Self.mostOfOneCode }

    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }

    private mutating func mayList(_ code: String) -> Bool {
        counts[code, default: 0] += 1
        guard counts[code, default: 0] > Self.mostOfOneCode else { return true }
        omitted[code, default: 0] += 1
        return false
    }
}
