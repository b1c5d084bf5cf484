/// A text that was read as JSON: what it says, where, and what is wrong with it.
public struct JSONDocument: Sendable {
    /// The text as UTF-8, without a byte-order mark; of a UTF-16 body, its translation.
    public let text: [UInt8]
    /// `nil` when the text could not be read to its end.
    public let root: JSONNode?
    /// In the order of the text. The last one is why there is no root, when there is none.
    public let faults: [JSONFault]

    /// Where each line begins, in bytes.
    private let lineStarts: [Int]

    init(text: [UInt8], root: JSONNode?, faults: [JSONFault]) {
        self.text = text
        self.root = root
        self.faults = faults
        var starts = [0]
        for (index, byte) in text.enumerated() {
            let isCarriageReturn = byte == 0x0d && (index + 1 == text.count || text[index + 1] != 0x0a)
            if byte == 0x0a || isCarriageReturn { starts.append(index + 1) }
        }
        lineStarts = starts
    }

    /// Line and column of a byte of ``text``; past the end, the end.
    public func position(at offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), text.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        // A byte that continues a code point begins with the bits 10.
        let column = text[lineStarts[low]..<offset].reduce(1) { $0 + ($1 & 0xc0 != 0x80 ? 1 : 0) }
        return SourcePosition(line: low + 1, column: column)
    }

    /// The JSON Pointer (RFC 6901) of the innermost value or member at a byte of ``text``; "" is the root.
    public func pointer(at offset: Int) -> String {
        var pointer = ""
        var node = root
        while let current = node {
            node = nil
            switch current.value {
            case .array(let items):
                if let index = items.firstIndex(where: { $0.range.contains(offset) }) {
                    pointer += "/\(index)"
                    node = items[index]
                }
            case .object(let members):
                if let member = members.first(where: {
                    ($0.keyRange.lowerBound..<$0.value.range.upperBound).contains(offset)
                }) {
                    pointer += "/" + Self.escaped(member.key)
                    node = member.value.range.contains(offset) ? member.value : nil
                }
            default: break
            }
        }
        return pointer
    }

    /// RFC 6901 section 3: `~` and `/` are written `~0` and `~1`.
    private static func escaped(_ key: String) -> String {
        var text = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
