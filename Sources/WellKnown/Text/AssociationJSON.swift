import SSOShared

/// Serialises both files deterministically: members in the given order, two spaces per level, `/` not escaped, one line
/// break at the end. The ETag depends on the bytes, so the order must not depend on a dictionary.
indirect enum AssociationJSON: Sendable {
    case string(String)
    case bool(Bool)
    /// A value from a parsed file.
    case node(JSONNode)
    /// The text of a number or of null.
    case literal(String)
    case array([AssociationJSON])
    case object([(String, AssociationJSON)])

    /// The document in UTF-8.
    var bytes: [UInt8] { Array((text(indent: "") + "\n").utf8) }

    private func text(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .string(let value):
            return Self.quoted(value)
        case .bool(let value):
            return value ? "true" : "false"
        case .literal(let text):
            return text
        case .node(let node):
            return Self(node).text(indent: indent)
        case .array(let items):
            return Self.block("[", items.map { $0.text(indent: inner) }, "]", indent: indent)
        case .object(let members):
            let lines = members.map { "\(Self.quoted($0.0)): \($0.1.text(indent: inner))" }
            return Self.block("{", lines, "}", indent: indent)
        }
    }

    private init(_ node: JSONNode) {
        switch node.value {
        case .string(let text): self = .string(text)
        case .bool(let value): self = .bool(value)
        case .null: self = .literal("null")
        case .number(let digits): self = .literal(digits)
        case .array(let items): self = .array(items.map { .node($0) })
        case .object(let members): self = .object(members.map { ($0.key, .node($0.value)) })
        }
    }

    private static func block(_ open: String, _ lines: [String], _ close: String, indent: String) -> String {
        guard !lines.isEmpty else { return open + close }
        return open + "\n" + lines.map { "\(indent)  \($0)" }.joined(separator: ",\n") + "\n\(indent)\(close)"
    }

    /// RFC 8259 section 7: quotes, backslashes and control characters must be escaped, nothing else.
    static func quoted(_ value: String) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5c: text += "\\\(scalar)"
            case 0..<0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
