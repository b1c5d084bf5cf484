import SSOShared

/// The parts of one URL in the forms that the rules of a file need. Each form is made on first use.
struct AppleTexts {
    private let url: LinkURL
    private let assumptions: MatchingAssumptions
    /// The path as sent, without outer slashes.
    let path: LinkText
    /// Other readings of the path, the query and the fragment: four of each.
    private var others: [LinkText?] = []
    /// The beginnings of the path in its four readings. Each is computed on first use.
    private var heads = SIMD4<UInt64>()
    private var knownHeads: UInt8 = 0

    init(_ url: LinkURL, _ assumptions: MatchingAssumptions) {
        self.url = url
        self.assumptions = assumptions
        let sent = LinkText(url.bytes, url.pathRange, isASCII: true)
        if assumptions.resolvesDots || assumptions.collapsesSlashes {
            path = LinkText(Self.tidied(sent.slice, assumptions)).withoutOuterSlashes
        } else {
            path = sent.withoutOuterSlashes
        }
    }

    mutating func path(_ reading: LinkReading) -> LinkText {
        reading.isEmpty ? path : other(Int(reading.rawValue), reading, path)
    }

    /// The first eight bytes of ``path(_:)`` in the form of ``LinkText/head``.
    mutating func head(_ reading: LinkReading) -> UInt64 {
        let slot = Int(reading.rawValue & 3)
        if knownHeads & 1 << reading.rawValue == 0 {
            heads[slot] = path(reading).head
            knownHeads |= 1 << reading.rawValue
        }
        return heads[slot]
    }

    mutating func pathWithSlash(_ reading: LinkReading) -> LinkText {
        let text = path(reading)
        return LinkText([0x2f] + text.slice, 0..<text.count + 1, isASCII: text.isASCII)
    }

    /// The query, or the empty text without a query.
    mutating func query(_ reading: LinkReading) -> LinkText { part(4, url.queryRange, reading) }

    /// The fragment, or the empty text without a fragment.
    mutating func fragment(_ reading: LinkReading) -> LinkText { part(8, url.fragmentRange, reading) }

    private mutating func part(_ slot: Int, _ range: Range<Int>?, _ reading: LinkReading) -> LinkText {
        let text = range.map { LinkText(url.bytes, $0, isASCII: true) } ?? .empty
        return reading.isEmpty ? text : other(slot + Int(reading.rawValue), reading, text)
    }

    /// The values of all items with that name, in the order of the query. An item without `=` has an empty value.
    mutating func values(of name: [UInt8], _ reading: LinkReading, _ effort: inout MatchEffort) -> [LinkText] {
        guard let range = url.queryRange else { return [] }
        // Folding does not change the positions of bytes.
        let decodes = reading.contains(.decoded) && assumptions.decodesItems
        let source = reading == .folded ? query(.folded) : LinkText(url.bytes, range, isASCII: true)
        let foldsNames = reading.contains(.folded) && assumptions.foldsItemNames
        effort.left -= range.count / 4
        var values: [LinkText] = []
        var start = range.lowerBound
        while start <= range.upperBound {
            let end = url.bytes[start..<range.upperBound].firstIndex(of: 0x26) ?? range.upperBound
            let equals = url.bytes[start..<end].firstIndex(of: 0x3d) ?? end
            var itemName = LinkText(url.bytes, start..<equals, isASCII: true)
            if decodes { itemName = itemName.decoded() }
            let isNamed =
                foldsNames
                ? itemName.slice.map(\.asciiLowercased) == name.map(\.asciiLowercased)
                : itemName.slice.elementsEqual(name)
            if isNamed {
                let shift = source.lower - range.lowerBound
                let value = min(equals + 1, end)
                values.append(
                    read(LinkText(source.bytes, value + shift..<end + shift, isASCII: true), decodes, reading))
            }
            start = end + 1
        }
        return values
    }

    private func read(_ value: LinkText, _ decodes: Bool, _ reading: LinkReading) -> LinkText {
        guard !reading.isEmpty, reading != .folded else { return value }
        return finished(decodes ? value.decoded() : value, reading)
    }

    private mutating func other(_ slot: Int, _ reading: LinkReading, _ text: LinkText) -> LinkText {
        if others.isEmpty { others = Array(repeating: nil, count: 12) }
        if let known = others[slot] { return known }
        var text = text
        if reading.contains(.decoded) { text = text.decoded(keepsSlashes: slot < 4) }
        text = finished(text, reading)
        others[slot] = text
        return text
    }

    private func finished(_ text: LinkText, _ reading: LinkReading) -> LinkText {
        var text = text
        if reading.contains(.folded) {
            text = assumptions.foldsUnicode ? LinkText(Array(text.string.lowercased().utf8)) : text.folded
        }
        return assumptions.countsBytes ? LinkText(text.bytes, text.lower..<text.upper, isASCII: true) : text
    }

    private static func tidied(_ path: ArraySlice<UInt8>, _ assumptions: MatchingAssumptions) -> [UInt8] {
        var segments: [ArraySlice<UInt8>] = []
        for segment in path.split(separator: 0x2f, omittingEmptySubsequences: assumptions.collapsesSlashes) {
            if assumptions.resolvesDots, segment.elementsEqual([0x2e]) { continue }
            if assumptions.resolvesDots, segment.elementsEqual([0x2e, 0x2e]) {
                _ = segments.popLast()
            } else {
                segments.append(segment)
            }
        }
        return Array(segments.joined(separator: [0x2f]))
    }
}
