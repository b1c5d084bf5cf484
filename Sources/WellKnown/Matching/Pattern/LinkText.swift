import SSOShared

/// A part of a URL as a rule reads it.
struct LinkText: Sendable {
    let bytes: [UInt8]
    let lower: Int
    let upper: Int
    /// Whether every byte is a character.
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

    /// The first eight bytes, the first one in the lowest bits, with zeros after the end.
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

    /// The text with ASCII letters in lower case.
    var folded: LinkText {
        guard slice.contains(where: { $0 >= 0x41 && $0 <= 0x5a }) else { return self }
        return LinkText(slice.map(\.asciiLowercased), 0..<count, isASCII: isASCII)
    }

    /// The text with its escapes decoded. Unchanged without escapes, and if the result is not UTF-8.
    func decoded(keepsSlashes: Bool = false) -> LinkText {
        guard slice.contains(0x25) else { return self }
        let bytes = PercentCoding.decodeLeniently(slice, keepsSlashes: keepsSlashes)
        guard String(validating: bytes, as: UTF8.self) != nil else { return self }
        return LinkText(bytes)
    }
}

/// The remaining work for a decision. The limit keeps hostile files from making matching slow.
struct MatchEffort: Sendable {
    /// Steps of one or two nanoseconds. Ordinary decisions take less than a thousand.
    var left = 2_500_000

    var isSpent: Bool { left < 0 }
}

/// The values of a variable as alternatives. Plain values are in a trie, so that 631 languages take no more time than
/// three. Values with wildcards are tried one by one. Combinations of variables are never expanded.
struct ValueList: Sendable {
    /// The byte, the first child, the next sibling (0 if absent), and whether a value ends there. Node 0 is the root.
    struct Node: Sendable {
        let byte: UInt8
        var child: Int32 = 0
        var sibling: Int32 = 0
        var isEnd = false
    }

    private(set) var nodes: [Node] = [Node(byte: 0)]
    /// Codes of ``LinkPattern``, without variables.
    let wild: [[PatternCode]]
    /// The size of the shortest value in bytes, or `nil` without values.
    let shortest: Int?
    /// The work of one use of the values with wildcards, in steps.
    let wildCount: Int

    init(_ values: [[PatternCode]]) {
        var plain: [[UInt8]] = []
        var wild: [[PatternCode]] = []
        for value in values {
            let bytes = value.compactMap(\.literal)
            if bytes.count == value.count { plain.append(bytes) } else { wild.append(value) }
        }
        self.wild = wild
        wildCount = wild.reduce(0) { $0 + $1.count }
        shortest = values.map { $0.count { $0 != .star } }.min()
        plain.sort { $0.lexicographicallyPrecedes($1) }
        // Each sorted value shares its beginning with the previous one, so only the last child of a node is extended.
        var path: [Int] = [0]
        var before: [UInt8] = []
        for value in plain {
            let shared = zip(value, before).prefix { $0 == $1 }.count
            var previous: Int? = path.count > shared + 1 ? path[shared + 1] : nil
            path.removeSubrange((shared + 1)...)
            for byte in value[shared...] {
                let node = nodes.count
                nodes.append(Node(byte: byte))
                if let sibling = previous {
                    nodes[sibling].sibling = Int32(node)
                } else {
                    nodes[path[path.count - 1]].child = Int32(node)
                }
                previous = nil
                path.append(node)
            }
            nodes[path[path.count - 1]].isEnd = true
            before = value
        }
    }

    /// The child of a node for a byte, or `nil` if there is none.
    @inline(__always) func child(of node: Int, _ byte: UInt8) -> Int? {
        var child = Int(nodes[node].child)
        while child != 0 {
            if nodes[child].byte == byte { return child }
            child = Int(nodes[child].sibling)
        }
        return nil
    }
}
