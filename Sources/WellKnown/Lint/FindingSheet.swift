import SSOShared

/// Gathers the findings of one file: turns bytes into lines, columns and pointers, and stops listing a code that occurs
/// without end.
struct FindingSheet {
    let document: JSONDocument
    let file: String?
    private(set) var findings: [Finding] = []
    private(set) var omitted: [String: Int] = [:]
    private var counts: [String: Int] = [:]

    /// Nobody reads more of one kind, and a hostile file has a million.
    static let mostOfOneCode = 200

    init(_ document: JSONDocument, file: String?) {
        self.document = document
        self.file = file
    }

    /// What concerns the whole file.
    mutating func add(
        _ rule: LintRule, _ message: @autoclosure () -> String, severity: Severity? = nil,
        fix: @autoclosure () -> String? = nil
    ) {
        guard mayList(rule.code) else { return }
        findings.append(Finding(rule, Self.sentence(message()), severity: severity, fix: fix(), file: file))
    }

    /// At a byte of the document. The words are made only when they are listed.
    mutating func add(
        _ rule: LintRule, at offset: Int, _ message: @autoclosure () -> String, severity: Severity? = nil,
        fix: @autoclosure () -> String? = nil
    ) {
        guard mayList(rule.code) else { return }
        findings.append(
            Finding(
                rule, Self.sentence(message()), severity: severity, fix: fix(), file: file,
                position: document.position(at: offset),
                pointer: document.root == nil ? nil : document.pointer(at: offset)))
    }

    /// At a value.
    mutating func add(
        _ rule: LintRule, at node: JSONNode, _ message: @autoclosure () -> String, severity: Severity? = nil,
        fix: @autoclosure () -> String? = nil
    ) {
        add(rule, at: node.range.lowerBound, message(), severity: severity, fix: fix())
    }

    /// At a key.
    mutating func add(
        _ rule: LintRule, at member: JSONMember, _ message: @autoclosure () -> String, severity: Severity? = nil,
        fix: @autoclosure () -> String? = nil
    ) {
        add(rule, at: member.keyRange.lowerBound, message(), severity: severity, fix: fix())
    }

    func count(_ rule: LintRule) -> Int { counts[rule.code, default: 0] }

    /// No more of these are listed: what only finds words for them may be left out.
    func isFull(_ rule: LintRule) -> Bool { counts[rule.code, default: 0] >= Self.mostOfOneCode }

    private static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }

    /// Findings of another linter, up to the same limit.
    mutating func limited(_ findings: [Finding]) -> [Finding] { findings.filter { mayList($0.code) } }

    /// What another linter left out.
    mutating func omit(_ counts: [String: Int]) { omitted.merge(counts, uniquingKeysWith: &+) }

    private mutating func mayList(_ code: String) -> Bool {
        counts[code, default: 0] += 1
        guard counts[code, default: 0] > Self.mostOfOneCode else { return true }
        omitted[code, default: 0] += 1
        return false
    }
}
