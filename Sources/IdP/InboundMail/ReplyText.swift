import SSOShared

/// Separates what the author of a reply wrote from what is quoted.
enum ReplyText {
    /// The lines of new text.
    ///
    /// Ends at a signature, at the header of a quoted or forwarded message, and at a line such as "On … wrote:". Lines with
    /// `>` are quoted and do not end it, nor does "On … wrote:" before them: some programs put the cursor below the
    /// quotation.
    static func newLines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        let raw = text.split(separator: 0x0a, omittingEmptySubsequences: false)
        let lines = raw.map(bare)
        var found: [ArraySlice<UInt8>] = []
        var index = 0
        while index < lines.count {
            let line = lines[index]
            if isSignature(line) || isMessageHeader(line) || isDivider(line) { break }
            if let last = attributionEnd(lines, from: index) {
                guard isFollowedByQuote(lines, last) else { break }
                index = last
            } else if line.first != UInt8(ascii: ">") {
                found.append(line)
            }
            index += 1
        }
        return found
    }

    /// The line without white space at its ends, no-break spaces and byte order marks included.
    private static func bare(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let invisible: [[UInt8]] = [[0xc2, 0xa0], [0xe2, 0x80, 0x8b], [0xef, 0xbb, 0xbf]]
        var rest = line.trimmed
        while true {
            if let mark = invisible.first(where: rest.starts) {
                rest = rest.dropFirst(mark.count).trimmed
            } else if let mark = invisible.first(where: { rest.suffix($0.count).elementsEqual($0) }) {
                rest = rest.dropLast(mark.count).trimmed
            } else {
                return rest
            }
        }
    }

    /// `-- ` (RFC 3676 4.3), also without the space, which some programs remove.
    private static func isSignature(_ line: ArraySlice<UInt8>) -> Bool { line.elementsEqual("--".utf8) }

    private static let labels = [
        "from:", "sent:", "von:", "gesendet:", "de:", "de :", "de\u{a0}:", "envoy\u{e9} :", "envoy\u{e9}\u{a0}:",
        "enviado:", "da:",
        "inviato:", "van:", "verzonden:",
    ]

    /// The first line of a quoted header as Outlook and GMX write it, in plain text or with the stars of bold text.
    private static func isMessageHeader(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop { $0 == UInt8(ascii: "*") }.map(\.asciiLowercased)
        return labels.contains { text.starts(with: $0.utf8) }
    }

    private static let forwards = ["begin forwarded message:", "anfang der weitergeleiteten nachricht:"]

    /// `-----Original Message-----` in any language, and what Apple Mail writes above a forwarded message.
    private static func isDivider(_ line: ArraySlice<UInt8>) -> Bool {
        let dashes = Array("---".utf8)
        if line.starts(with: dashes), line.suffix(3).elementsEqual(dashes) {
            return line.contains { $0 != UInt8(ascii: "-") }
        }
        let text = line.map(\.asciiLowercased)
        return forwards.contains { text.elementsEqual($0.utf8) }
    }

    /// How "On … wrote:" begins and which word it has: English, German, French, Spanish, Italian, Dutch, Portuguese.
    private static let attributions: [(start: String, word: StaticString)] = [
        ("on ", " wrote:"), ("am ", "schrieb"), ("le ", "crit"), ("el ", "escribi"), ("il ", "ha scritto"),
        ("op ", "schreef"), ("em ", "escreveu"),
    ]
    /// Over how many lines it may be wrapped: a reply address is long.
    private static let attributionLines = 4

    /// The last line of "On … wrote:" if it begins here, or nil.
    private static func attributionEnd(_ lines: [ArraySlice<UInt8>], from start: Int) -> Int? {
        var joined: [UInt8] = []
        for index in start..<min(start + attributionLines, lines.count) {
            let line = lines[index].map(\.asciiLowercased)
            // A wrapped line has neither empty lines nor a second beginning in it.
            if index > start, line.isEmpty || line.first == UInt8(ascii: ">") || beginsAttribution(line) { return nil }
            joined += (index > start ? [0x20] : []) + line
            for (beginning, word) in attributions where joined.starts(with: beginning.utf8) {
                if let end = joined[...].end(of: word), joined[(end - 1)...].contains(UInt8(ascii: ":")) {
                    return index
                }
            }
            guard beginsAttribution(joined) else { break }
        }
        // In any other language: a line that ends in a colon, right above the quotation.
        let line = lines[start]
        return line.last == UInt8(ascii: ":") && line.first != UInt8(ascii: ">") && isFollowedByQuote(lines, start)
            ? start : nil
    }

    private static func beginsAttribution(_ line: [UInt8]) -> Bool {
        attributions.contains { line.starts(with: $0.start.utf8) }
    }

    /// Whether the next line that is not empty is quoted.
    private static func isFollowedByQuote(_ lines: [ArraySlice<UInt8>], _ index: Int) -> Bool {
        lines[(index + 1)...].first { !$0.isEmpty }?.first == UInt8(ascii: ">")
    }
}
