import SSOShared

/// Writes findings with their places while a linter walks through a document.
struct FindingPen {
    let document: JSONDocument
    private var notes: [(offset: Int, finding: Finding)] = []
    private var counts: [String: Int] = [:]
    /// How many more lists of rules may be compared as languages: that is the one thing that is not fast.
    var comparisonsLeft = 2

    init(_ document: JSONDocument) { self.document = document }

    /// At a value.
    mutating func note(
        _ rule: LintRule, _ message: @autoclosure () -> String, at node: JSONNode, severity: Severity? = nil,
        fix: @autoclosure () -> String? = nil
    ) {
        guard mayNote(rule.code) else { return }
        add(rule, message(), offset: node.range.lowerBound, severity: severity, fix: fix())
    }

    /// At a key.
    mutating func note(
        _ rule: LintRule, _ message: @autoclosure () -> String, atKey member: JSONMember, severity: Severity? = nil,
        fix: @autoclosure () -> String? = nil
    ) {
        guard mayNote(rule.code) else { return }
        add(rule, message(), offset: member.keyRange.lowerBound, severity: severity, fix: fix())
    }

    /// A file of a hundred thousand equal faults is told from the first hundreds.
    private mutating func mayNote(_ code: String) -> Bool {
        counts[code, default: 0] += 1
        return counts[code, default: 0] <= FindingSheet.mostOfOneCode
    }

    private mutating func add(_ rule: LintRule, _ message: String, offset: Int, severity: Severity?, fix: String?) {
        let finding = Finding(
            rule, message, severity: severity, fix: fix, position: document.position(at: offset),
            pointer: document.pointer(at: offset))
        notes.append((offset, finding))
    }

    /// In the order of the file; what stands at one place in the order it was noted.
    var findings: [Finding] {
        notes.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
            .map(\.element.finding)
    }

    /// How many more of a code there are than ``findings`` has.
    var omitted: [String: Int] {
        counts.compactMapValues { $0 > FindingSheet.mostOfOneCode ? $0 - FindingSheet.mostOfOneCode : nil }
    }
}
