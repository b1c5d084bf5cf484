/// Writes findings with their places while a linter walks through a document.
struct FindingPen {
    let document: JSONDocument
    private var notes: [(offset: Int, finding: Finding)] = []

    init(_ document: JSONDocument) { self.document = document }

    /// At a value.
    mutating func note(
        _ rule: LintRule, _ message: String, at node: JSONNode, severity: Severity? = nil, fix: String? = nil
    ) {
        add(rule, message, offset: node.range.lowerBound, severity: severity, fix: fix)
    }

    /// At a key.
    mutating func note(
        _ rule: LintRule, _ message: String, atKey member: JSONMember, severity: Severity? = nil, fix: String? = nil
    ) {
        add(rule, message, offset: member.keyRange.lowerBound, severity: severity, fix: fix)
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
}

extension String {
    /// In quotation marks, on one line and no longer than 100 characters: for messages.
    var quoted: String {
        var text = ""
        for scalar in unicodeScalars.prefix(100) {
            let isUnseen =
                scalar.value < 0x20 || (0x7f...0xa0).contains(scalar.value)
                || scalar.properties.isDefaultIgnorableCodePoint
            text += isUnseen ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
        }
        return "\"" + text + (unicodeScalars.count > 100 ? "…\"" : "\"")
    }
}
