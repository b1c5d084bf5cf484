import SSOShared

/// A part of an address as a rule reads it.
struct LinkText: Sendable {
    let bytes: [UInt8]
    let lower: Int
    let upper: Int
    /// A byte is a character.
    let isASCII: Bool

    init(_ bytes: [UInt8], _ range: Range<Int>, isASCII: Bool) {
        self.bytes = bytes
        lower = range.lowerBound
        upper = range.upperBound
        self.isASCII = isASCII
    }

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count, isASCII: bytes.allSatisfy { $0 < 0x80 }) }

    static let empty = LinkText([], 0..<0, isASCII: true)

    var count: Int { upper - lower }
    var slice: ArraySlice<UInt8> { bytes[lower..<upper] }
    var string: String { String(decoding: slice, as: UTF8.self) }

    /// The first eight bytes, the first one lowest, zeros behind the end.
    var head: UInt64 {
        var head: UInt64 = 0
        var index = Swift.min(upper, lower + 8)
        while index > lower {
            index -= 1
            head = head << 8 | UInt64(bytes[index])
        }
        return head
    }

    var withoutOuterSlashes: LinkText {
        var lower = lower
        var upper = upper
        while lower < upper, bytes[lower] == 0x2f { lower += 1 }
        while upper > lower, bytes[upper - 1] == 0x2f { upper -= 1 }
        return LinkText(bytes, lower..<upper, isASCII: isASCII)
    }

    /// In lower case as far as ASCII goes; itself when it is already.
    var folded: LinkText {
        guard slice.contains(where: { $0 >= 0x41 && $0 <= 0x5a }) else { return self }
        return LinkText(slice.map(\.asciiLowercased), 0..<count, isASCII: isASCII)
    }

    /// Without escapes; itself when there are none, or when what they mean is no UTF-8.
    func decoded(keepsSlashes: Bool = false) -> LinkText {
        guard slice.contains(0x25), let bytes = PercentEncoding.decoded(slice, keepsSlashes: keepsSlashes) else {
            return self
        }
        return LinkText(bytes)
    }
}

/// How much work a decision may still take. A budget, because a file is written by others: no file makes matching slow.
struct MatchEffort: Sendable {
    /// Steps of a nanosecond or two each; ordinary decisions take less than a thousand.
    var left = 2_500_000

    var isSpent: Bool { left < 0 }
}
