public import SSOShared

/// A member of an object: absent, of the wrong type, or present.
///
/// Devices treat the three cases differently and do not report the case, so the model distinguishes them.
public enum JSONField<Value: Sendable>: Sendable {
    case absent
    /// Present, but with a value of a wrong type.
    case wrongType(JSONMember)
    /// Present with the right type. The value may be empty.
    case present(Value, JSONMember)

    /// The value, or `nil` if it is absent or of the wrong type.
    public var value: Value? { if case .present(let value, _) = self { value } else { nil } }

    /// The key and its raw value, or `nil` if it is absent.
    public var member: JSONMember? {
        switch self {
        case .absent: nil
        case .wrongType(let member), .present(_, let member): member
        }
    }

    public var isAbsent: Bool { if case .absent = self { true } else { false } }
    public var isWrongType: Bool { wrongMember != nil }
    var wrongMember: JSONMember? { if case .wrongType(let member) = self { member } else { nil } }

    /// Finds a member by its exact, case-sensitive name and reads it. The last of duplicates counts.
    init(_ key: StaticString, in members: [JSONMember], as read: (JSONNode) -> Value?) {
        guard let member = members.last(where: { member in key.withUTF8Buffer { member.key.utf8.elementsEqual($0) } })
        else {
            self = .absent
            return
        }
        if let value = read(member.value) { self = .present(value, member) } else { self = .wrongType(member) }
    }
}

extension [JSONMember] {
    /// The members whose keys the format does not define.
    func unknown(besides known: [String]) -> [JSONMember] {
        filter { member in !known.contains { $0.utf8.elementsEqual(member.key.utf8) } }
    }
}

/// Bytes as a key of a dictionary. They are hashed in one step, while an array is hashed byte by byte.
struct CanonicalText: Hashable, Sendable {
    var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension JSONNode {
    /// A text that is equal for values that are equal as JSON, and only for those. Members are sorted by key, and the
    /// last of duplicates counts. It is a key of dictionaries, because comparing all pairs takes quadratic time.
    var canonicalText: CanonicalText {
        var text = CanonicalText()
        write(to: &text)
        return text
    }

    func write(to text: inout CanonicalText) { write(to: &text.bytes) }

    private func write(to text: inout [UInt8]) {
        switch value {
        case .null: text += "null".utf8
        case .bool(let flag): text += (flag ? "true" : "false").utf8
        case .number(let digits): text += digits.utf8
        case .string(let string): Self.write(string, to: &text)
        case .array(let items):
            text.append(UInt8(ascii: "["))
            for item in items {
                item.write(to: &text)
                text.append(UInt8(ascii: ","))
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            // The sort is stable, so the last of equal keys stays last.
            let sorted = members.count < 2 ? members : Self.sorted(members)
            for (index, member) in sorted.enumerated() {
                if index + 1 < sorted.count, sorted[index + 1].key.utf8.elementsEqual(member.key.utf8) { continue }
                Self.write(member.key, to: &text)
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func sorted(_ members: [JSONMember]) -> [JSONMember] {
        let order = members.indices.sorted { left, right in
            let (one, other) = (members[left].key.utf8, members[right].key.utf8)
            if one.lexicographicallyPrecedes(other) { return true }
            return left < right && one.elementsEqual(other)
        }
        return order.map { members[$0] }
    }

    /// Writes the length before the string, so that a string cannot imitate structure.
    private static func write(_ string: String, to text: inout [UInt8]) {
        text += "\"\(string.utf8.count):".utf8
        text += string.utf8
    }
}

/// The value of the key `?` in a rule of one of the two files.
public enum QueryPattern: Sendable {
    /// A pattern for the whole query.
    case whole(String)
    /// Patterns for named items. Each must match. Other items are ignored.
    case items([(name: String, pattern: String, member: JSONMember)])

    /// - Returns: `nil` for any other value. One that is not a string makes the system ignore the whole dictionary.
    init?(_ node: JSONNode) {
        switch node.value {
        case .string(let pattern): self = .whole(pattern)
        case .object(let members):
            var items: [(name: String, pattern: String, member: JSONMember)] = []
            for member in members {
                guard let pattern = member.value.string else { return nil }
                items.append((member.key, pattern, member))
            }
            self = .items(items)
        default: return nil
        }
    }
}
