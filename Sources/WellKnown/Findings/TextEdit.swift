public import SSOShared

/// Some bytes of a file, and the text that replaces them.
public struct TextEdit: Sendable, Hashable {
    /// The bytes of ``JSONDocument/text`` that are replaced. Empty if the text is inserted.
    public let range: Range<Int>
    public let text: String
    /// The positions of both ends of the range.
    public let start, end: SourcePosition

    /// The edit that removes the byte-order mark. ``JSONDocument/text`` does not have it, so the edit changes no byte of it.
    var isByteOrderMark: Bool { range == 0..<0 && text.isEmpty }
}

/// How a finding is mended: in words, and as changes of the file if a program can make them.
struct FindingFix: ExpressibleByStringInterpolation {
    enum Change {
        /// Replaces bytes by JSON text.
        case json(Range<Int>, String)
        /// Replaces a string by another one.
        case string(Range<Int>, String)
        /// Gives a member another name, unless its object has that name already.
        case rename(JSONMember, String)
        /// Removes the element or the member that begins at the offset, with its comma.
        case remove(Int)
        /// Adds a member at the beginning of an object.
        case insert(key: String, value: String, JSONNode)
    }

    /// `nil` for the words of the rule.
    var words: String?
    var changes: [Change] = []

    init(stringLiteral words: String) { self.words = words }

    init(words: String? = nil, _ changes: [Change] = []) { (self.words, self.changes) = (words, changes) }

    /// Writes another text in place of a string.
    static func write(_ text: String, over range: Range<Int>) -> FindingFix {
        FindingFix(words: "Write \(text.quoted).", [.string(range, text)])
    }

    static func write(_ text: String, at node: JSONNode) -> FindingFix { write(text, over: node.range) }

    /// Puts a value into a list.
    static func list(_ node: JSONNode) -> [Change] {
        let (start, end) = (node.range.lowerBound, node.range.upperBound)
        return [.json(start..<start, "["), .json(end..<end, "]")]
    }

    static func rename(_ member: JSONMember, to name: String) -> FindingFix {
        FindingFix(words: "Write \(name.quoted).", [.rename(member, name)])
    }

    /// Writes `true` or `false` for the same word in quotation marks. `nil` for any other value.
    static func unquote(_ node: JSONNode, words: String) -> FindingFix? {
        guard let word = node.string?.lowercased(), word == "true" || word == "false" else { return nil }
        return FindingFix(words: words, [.json(node.range, word)])
    }

    /// Removes what begins at the offset, with the words of the rule or others.
    static func remove(at offset: Int, words: String? = nil) -> FindingFix {
        FindingFix(words: words, [.remove(offset)])
    }
}

extension JSONDocument {
    /// The edits that make the changes, or none if one of them is not possible. Only bytes that differ are replaced.
    func edits(_ changes: [FindingFix.Change]) -> [TextEdit] {
        var edits: [TextEdit] = []
        for change in changes {
            guard let (range, bytes) = replacement(change) else { return [] }
            edits.append(edit(range, bytes))
        }
        return edits
    }

    private func replacement(_ change: FindingFix.Change) -> (Range<Int>, [UInt8])? {
        switch change {
        case .json(let range, let json): return (range, Array(json.utf8))
        case .string(let range, let text): return (range, quoted(text, like: range))
        case .rename(let member, let name):
            let siblings = container(of: member.keyRange.lowerBound)?.node.object ?? []
            return siblings.contains { $0.key == name } ? nil : (member.keyRange, quoted(name, like: member.keyRange))
        case .remove(let offset): return removal(of: offset).map { ($0, []) }
        case .insert(let key, let value, let node):
            guard let first = node.object?.first?.keyRange.lowerBound else { return nil }
            let blank = text[(node.range.lowerBound + 1)..<first]
            return (first..<first, Array("\"\(key)\": \"\(value)\",".utf8) + blank)
        }
    }

    /// The text as a JSON string. Slashes are escaped if they are in the string that it replaces.
    private func quoted(_ text: String, like range: Range<Int>) -> [UInt8] {
        let json = JSONText.string(text)
        let isEscaped = self.text[range].firstRange(of: Array("\\/".utf8)) != nil
        return Array((isEscaped ? json.replacing("/", with: "\\/") : json).utf8)
    }

    /// The edit without the bytes that both texts have at their ends.
    private func edit(_ range: Range<Int>, _ bytes: [UInt8]) -> TextEdit {
        func isBoundary(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.first.map { $0 & 0xc0 != 0x80 } ?? true }
        var (old, new) = (text[range], bytes[...])
        while let first = old.first, first == new.first { (old, new) = (old.dropFirst(), new.dropFirst()) }
        while old.startIndex > range.lowerBound, !isBoundary(old) || !isBoundary(new) {
            (old, new) = (text[(old.startIndex - 1)..<old.endIndex], bytes[(new.startIndex - 1)...])
        }
        while let last = old.last, last < 0x80, last == new.last { (old, new) = (old.dropLast(), new.dropLast()) }
        return TextEdit(
            range: old.startIndex..<old.endIndex, text: String(decoding: new, as: UTF8.self),
            start: position(at: old.startIndex), end: position(at: old.endIndex))
    }

    /// The array or object that has an element or a member beginning at the offset.
    private func container(of offset: Int) -> JSONParts? {
        var node = root
        while let parts = node.map(JSONParts.init) {
            guard let index = parts.index(at: offset) else { return nil }
            if parts[index].start == offset { return parts }
            node = parts[index].value
        }
        return nil
    }

    /// An element or member with the comma and the white space that separate it from its neighbour.
    private func removal(of offset: Int) -> Range<Int>? {
        guard let parts = container(of: offset), let index = parts.index(at: offset) else { return nil }
        let end = parts[index].value.range.upperBound
        if index > 0 { return parts[index - 1].value.range.upperBound..<end }
        return offset..<(parts.count > 1 ? parts[1].start : end)
    }

    /// Whether the member that begins at the offset has the value that the other members of its name have.
    func isRepeatedMember(at offset: Int) -> Bool {
        guard let parts = container(of: offset), let index = parts.index(at: offset), let members = parts.node.object
        else { return false }
        let member = members[index]
        return members.allSatisfy { !$0.key.utf8.elementsEqual(member.key.utf8) || $0.value == member.value }
    }
}

/// The elements of an array or the members of an object. A hostile file has a hundred thousand of them.
private struct JSONParts {
    let node: JSONNode

    var count: Int { node.array?.count ?? node.object?.count ?? 0 }

    /// The first byte of an element or of a member's key, and the value.
    subscript(index: Int) -> (start: Int, value: JSONNode) {
        if case .object(let members) = node.value { return (members[index].keyRange.lowerBound, members[index].value) }
        if case .array(let items) = node.value { return (items[index].range.lowerBound, items[index]) }
        return (node.range.lowerBound, node)
    }

    /// The part that has the byte.
    func index(at offset: Int) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 && offset < self[low - 1].value.range.upperBound ? low - 1 : nil
    }
}
