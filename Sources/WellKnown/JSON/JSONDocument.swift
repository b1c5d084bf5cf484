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
    /// How many code points begin before each block of 256 bytes: a file of one long line with a finding on every
    /// value would take quadratic time to place otherwise.
    private let codePoints: [Int]
    private static let block = 256

    init(text: [UInt8], root: JSONNode?, faults: [JSONFault]) {
        self.text = text
        self.root = root
        self.faults = faults
        var starts = [0]
        var points: [Int] = []
        var point = 0
        for (index, byte) in text.enumerated() {
            if index % Self.block == 0 { points.append(point) }
            // A byte that continues a code point begins with the bits 10.
            if byte & 0xc0 != 0x80 { point += 1 }
            let isCarriageReturn = byte == 0x0d && (index + 1 == text.count || text[index + 1] != 0x0a)
            if byte == 0x0a || isCarriageReturn { starts.append(index + 1) }
        }
        points.append(point)
        lineStarts = starts
        codePoints = points
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
        return SourcePosition(
            line: low + 1, column: codePoints(before: offset) - codePoints(before: lineStarts[low]) + 1)
    }

    private func codePoints(before offset: Int) -> Int {
        // Past the last full block stands the total, which is right at the very end only.
        if offset == text.count { return codePoints[codePoints.count - 1] }
        let start = offset / Self.block * Self.block
        return text[start..<offset].reduce(codePoints[offset / Self.block]) { $0 + ($1 & 0xc0 != 0x80 ? 1 : 0) }
    }

    /// The JSON Pointer (RFC 6901) of the innermost value or member at a byte of ``text``; "" is the root.
    public func pointer(at offset: Int) -> String {
        var pointer = ""
        var node = root
        while let current = node {
            node = nil
            switch current.value {
            case .array(let items):
                if let index = Self.last(of: items.count, startingAtOrBefore: offset, { items[$0].range.lowerBound }),
                    items[index].range.contains(offset)
                {
                    pointer += "/\(index)"
                    node = items[index]
                }
            case .object(let members):
                if let index = Self.last(
                    of: members.count, startingAtOrBefore: offset, { members[$0].keyRange.lowerBound }),
                    offset < members[index].value.range.upperBound
                {
                    let member = members[index]
                    pointer += "/" + Self.escaped(member.key)
                    node = member.value.range.contains(offset) ? member.value : nil
                }
            default: break
            }
        }
        return pointer
    }

    /// The last of several parts in the order of the text that begins at a place or before it.
    private static func last(of count: Int, startingAtOrBefore offset: Int, _ start: (Int) -> Int) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if start(middle) <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }

    /// RFC 6901 section 3: `~` and `/` are written `~0` and `~1`.
    static func escaped(_ key: String) -> String {
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
