extension JSONNode {
    /// The same text for values that are equal as JSON, and for no others: members sorted by key, of duplicates the
    /// last. A key for dictionaries, where comparing every pair would take quadratic time.
    var canonicalText: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }

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
            let last = Dictionary(members.map { (Array($0.key.utf8), $0) }) { $1 }
            text.append(UInt8(ascii: "{"))
            for (_, member) in last.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                Self.write(member.key, to: &text)
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// The length first, so that no text can look like structure.
    private static func write(_ string: String, to text: inout [UInt8]) {
        text += "\"\(string.utf8.count):".utf8
        text += string.utf8
    }
}
