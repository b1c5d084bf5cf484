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

    var bytes: [UInt8] { Array((text(indent: "") + "\n").utf8) }

    private func text(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .string(let value): return JSONText.string(value)
        case .bool(let value): return value ? "true" : "false"
        case .literal(let text): return text
        case .node(let node): return Self(node).text(indent: indent)
        case .array(let items): return Self.block("[", items.map { $0.text(indent: inner) }, "]", indent: indent)
        case .object(let members):
            let lines = members.map { "\(JSONText.string($0.0)): \($0.1.text(indent: inner))" }
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

    static func joined(_ objects: AssociationJSON...) -> AssociationJSON {
        .object(objects.reduce(into: []) { all, object in if case .object(let members) = object { all += members } })
    }

    /// An object of one member whose name is not known beforehand.
    static func member(_ name: String, _ value: AssociationJSON) -> AssociationJSON { .object([(name, value)]) }

    private static func block(_ open: String, _ lines: [String], _ close: String, indent: String) -> String {
        guard !lines.isEmpty else { return open + close }
        return open + "\n" + lines.map { "\(indent)  \($0)" }.joined(separator: ",\n") + "\n\(indent)\(close)"
    }
}

extension AssociationJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int) { self = .literal(String(number)) }
    init(booleanLiteral flag: Bool) { self = .bool(flag) }
    init(arrayLiteral items: AssociationJSON...) { self = .array(items) }
    init(dictionaryLiteral members: (String, AssociationJSON)...) { self = .object(members) }
}
