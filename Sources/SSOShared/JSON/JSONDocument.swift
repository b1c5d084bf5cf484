/// The result of reading a text as JSON: the values with their places, and all errors.
public struct JSONDocument: Sendable {
    /// The text as UTF-8 without a byte-order mark. UTF-16 has been converted.
    public let text: [UInt8]
    /// `nil` when reading stopped before the end of the text.
    public let root: JSONNode?
    /// In the order of the text. If there is no root, the last error is the reason.
    public let errors: [JSONError]

    /// The byte offset of each line.
    private let lineStarts: [Int]
    /// How many code points begin before each block of 256 bytes. Without it, finding the columns of many values in one
    /// long line takes quadratic time.
    private let codePoints: [Int]
    private static let block = 256

    public init(text: [UInt8], root: JSONNode?, errors: [JSONError]) {
        self.text = text
        self.root = root
        self.errors = errors
        var starts = [0]
        var points: [Int] = []
        var point = 0
        for (index, byte) in text.enumerated() {
            if index % Self.block == 0 { points.append(point) }
            // Continuation bytes of UTF-8 begin with the bits 10.
            if byte & 0xc0 != 0x80 { point += 1 }
            let isLoneReturn = byte == 0x0d && (index + 1 == text.count || text[index + 1] != 0x0a)
            if byte == 0x0a || isLoneReturn { starts.append(index + 1) }
        }
        points.append(point)
        lineStarts = starts
        codePoints = points
    }

    /// Line and column of a byte of ``text``. An offset past the end gives the end.
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
        // The last entry is the total, which is right only at the end of the text.
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

    /// The last of several parts, sorted by position, that begins at `offset` or before.
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
    package static func escaped(_ key: String) -> String {
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

/// A line and a column, as editors show them.
public struct SourcePosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Starts at 1. A line ends at LF, CR or CR LF.
    public let line: Int
    /// Starts at 1. Counts Unicode code points.
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// `LINE:COLUMN`.
    public var description: String { "\(line):\(column)" }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
