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
            if line.isEmpty {
                index += 1
                continue
            }
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
        var rest = line.trimmed
        while let last = rest.last, rest[rest.startIndex] >= 0x80 || last >= 0x80 {
            if let mark = invisible.first(where: rest.starts) {
                rest = rest.dropFirst(mark.count).trimmed
            } else if let mark = invisible.first(where: { rest.suffix($0.count).elementsEqual($0) }) {
                rest = rest.dropLast(mark.count).trimmed
            } else {
                return rest
            }
        }
        return rest
    }

    /// No-break space, zero width space, byte order mark.
    private static let invisible: [[UInt8]] = [[0xc2, 0xa0], [0xe2, 0x80, 0x8b], [0xef, 0xbb, 0xbf]]

    /// `-- ` (RFC 3676 4.3), also without the space, which some programs remove.
    private static func isSignature(_ line: ArraySlice<UInt8>) -> Bool { line.elementsEqual("--".utf8) }

    private static let labels = [
        "from:", "sent:", "von:", "gesendet:", "de:", "de :", "de\u{a0}:", "envoy\u{e9} :", "envoy\u{e9}\u{a0}:",
        "enviado:", "da:",
        "inviato:", "van:", "verzonden:",
    ]

    /// The first line of a quoted header as Outlook and GMX write it, in plain text or with the stars of bold text.
    private static func isMessageHeader(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.drop { $0 == UInt8(ascii: "*") }
        return labels.contains { begins(text, $0) }
    }

    private static let forwards = ["begin forwarded message:", "anfang der weitergeleiteten nachricht:"]

    /// `-----Original Message-----` in any language, and what Apple Mail writes above a forwarded message.
    private static func isDivider(_ line: ArraySlice<UInt8>) -> Bool {
        let dashes = Array("---".utf8)
        if line.starts(with: dashes), line.suffix(3).elementsEqual(dashes) {
            return line.contains { $0 != UInt8(ascii: "-") }
        }
        return forwards.contains { begins(line, $0) }
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
        let line = lines[start]
        guard let (_, word) = attribution(line) else {
            // In any other language: a line that ends in a colon, right above the quotation.
            let isAbove = line.last == UInt8(ascii: ":") && line.first != UInt8(ascii: ">")
            return isAbove && isFollowedByQuote(lines, start) ? start : nil
        }
        var joined: [UInt8] = []
        for index in start..<min(start + attributionLines, lines.count) {
            let line = lines[index]
            // A wrapped line has neither empty lines nor a second beginning in it.
            if index > start, line.isEmpty || line.first == UInt8(ascii: ">") || attribution(line) != nil { return nil }
            joined += (index > start ? [0x20] : []) + line.map(\.asciiLowercased)
            if let end = joined[...].end(of: word), joined[(end - 1)...].contains(UInt8(ascii: ":")) { return index }
        }
        return nil
    }

    private static func attribution(_ line: ArraySlice<UInt8>) -> (start: String, word: StaticString)? {
        attributions.first { begins(line, $0.start) }
    }

    /// Whether the line begins with a text in lower case, in any case.
    private static func begins(_ line: ArraySlice<UInt8>, _ text: String) -> Bool {
        line.count >= text.utf8.count && zip(line, text.utf8).allSatisfy { $0.asciiLowercased == $1 }
    }

    /// Whether the next line that is not empty is quoted.
    private static func isFollowedByQuote(_ lines: [ArraySlice<UInt8>], _ index: Int) -> Bool {
        lines[(index + 1)...].first { !$0.isEmpty }?.first == UInt8(ascii: ">")
    }
}
