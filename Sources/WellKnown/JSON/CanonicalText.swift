import SSOShared

/// Bytes as a key of a dictionary, hashed as a whole: an array hashes byte by byte.
struct CanonicalText: Hashable, Sendable {
    var bytes: [UInt8] = []

    var isEmpty: Bool { bytes.isEmpty }

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension JSONNode {
    /// The same text for values that are equal as JSON, and for no others: members sorted by key, of duplicates the
    /// last. A key for dictionaries, where comparing every pair would take quadratic time.
    var canonicalText: CanonicalText {
        var text = CanonicalText()
        write(to: &text)
        return text
    }

    /// Adds what ``canonicalText`` is.
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
            // A stable order: of equal keys the last comes last.
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

    /// The length first, so that no text can look like structure.
    private static func write(_ string: String, to text: inout [UInt8]) {
        text += "\"\(string.utf8.count):".utf8
        text += string.utf8
    }
}
