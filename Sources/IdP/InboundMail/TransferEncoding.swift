import SSOShared

/// The transfer encodings of RFC 2045 section 6. Their content is decoded strictly, or with the repairs of that standard: what
/// two programs repair differently is rejected.
enum TransferEncoding: String {
    /// `7bit`, `8bit` and `binary`: the bytes as they are.
    case identity
    case quotedPrintable
    case base64
    case unknown

    /// By the values of Content-Transfer-Encoding: none is `7bit`, and several must say the same.
    ///
    /// - Returns: nil for several that differ.
    init?(_ values: [ArraySlice<UInt8>]) {
        let found = Set(values.map(Self.named))
        guard found.count < 2 else { return nil }
        self = found.first ?? .identity
    }

    /// The encoding of a field by the grammar of MIME, in any case, with comments, white space and folded lines (RFC 2045 6.1).
    ///
    /// Nearly legal forms with one reading are taken: signs around it, parameters, `8-bit`, nothing, and several in one field
    /// that say the same.
    private static func named(_ value: ArraySlice<UInt8>) -> Self {
        var scanner = FieldScanner(value)
        // Items between commas, of words.
        var items: [[[UInt8]]] = [[]]
        while true {
            guard scanner.skipBlanksAndComments() != nil else { return .unknown }
            guard let next = scanner.next, next != UInt8(ascii: ";") else { break }
            if scanner.take(",") {
                items.append([])
            } else if next == UInt8(ascii: "\"") {
                guard let text = scanner.quotedString() else { return .unknown }
                items[items.count - 1].append(text)
            } else {
                items[items.count - 1].append(Array(scanner.take { !$0.isBlank && !"\"(;,".utf8.contains($0) }))
            }
        }
        // `8 bit` is one word, `8bit 8bit` are two.
        let found = Set(
            items.filter { !$0.isEmpty }.flatMap { words in
                let whole = encoding(words.flatMap(\.self))
                return whole == .unknown ? words.map(encoding) : [whole]
            })
        return found.count < 2 ? found.first ?? .identity : .unknown
    }

    private static func encoding(_ word: [UInt8]) -> Self {
        switch word.filter({ $0.isASCIILetter || $0.isASCIIDigit })[...].lowercasedText {
        case "", "7bit", "8bit", "binary", "7bits", "8bits", "none": .identity
        case "quotedprintable": .quotedPrintable
        case "base64": .base64
        default: .unknown
        }
    }

    /// What becomes of damage.
    enum Damage {
        /// Nothing is decoded.
        case refused
        /// An `=` that begins no escape and an 8-bit byte become ``mark``.
        case marked
        /// As RFC 2045 6.7 and 6.8 say: only such an `=` becomes ``mark``, and white space between the digits of base64 is ignored.
        case repaired
    }

    /// SUB of ASCII, which is the same byte in nearly every character set.
    static let mark: UInt8 = 0x1a

    /// - Parameter body: with lines that end in LF.
    func decode(_ body: ArraySlice<UInt8>, damage: Damage = .refused) throws(ReplyMessageError) -> [UInt8] {
        let decoded: [UInt8]? =
            switch self {
            case .identity: Array(body)
            case .quotedPrintable: Self.quotedPrintable(body, damage)
            case .base64: Self.base64(body, damage)
            case .unknown: nil
            }
        guard let decoded else { throw .transferEncoding }
        return decoded
    }

    /// RFC 2045 6.7. White space at the end of a line was added on the way and is removed.
    private static func quotedPrintable(_ body: ArraySlice<UInt8>, _ damage: Damage) -> [UInt8]? {
        var result: [UInt8] = []
        var continues = true
        for line in body.split(separator: 0x0a, omittingEmptySubsequences: false) {
            if !continues { result.append(0x0a) }
            var rest = line
            while rest.last?.isBlank == true { rest.removeLast() }
            continues = rest.last == UInt8(ascii: "=")
            if continues { rest.removeLast() }
            guard let decoded = escapes(rest, damage) else { return nil }
            result += decoded
        }
        return result
    }

    /// `=3D` is `=`.
    private static func escapes(_ line: ArraySlice<UInt8>, _ damage: Damage) -> [UInt8]? {
        var result: [UInt8] = []
        var position = line.startIndex
        while position < line.endIndex {
            let byte = line[position]
            let isEscape = byte == UInt8(ascii: "=")
            if isEscape, position + 2 < line.endIndex, let high = Hex.value(of: line[position + 1]),
                let low = Hex.value(of: line[position + 2])
            {
                result.append(high << 4 | low)
                position += 3
            } else {
                let isSound = !isEscape && byte < 0x80
                guard isSound || damage != .refused else { return nil }
                result.append(isEscape || (!isSound && damage == .marked) ? mark : byte)
                position += 1
            }
        }
        return result
    }

    /// RFC 2045 6.8 and RFC 4648 section 4. Line ends, with white space before them, may stand between the digits, and padding
    /// only at the end.
    private static func base64(_ body: ArraySlice<UInt8>, _ damage: Damage) -> [UInt8]? {
        var digits =
            damage == .repaired
            ? body.filter { $0 != 0x0a && !$0.isBlank } : body.split(separator: 0x0a).flatMap(\.trimmed)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let padding = digits.suffix(2).count { $0 == UInt8(ascii: "=") }
        digits.removeLast(padding)
        var (result, buffer, bits): ([UInt8], Int, Int) = ([], 0, 0)
        for digit in digits {
            guard let value = base64Value(digit) else { return nil }
            buffer = (buffer << 6 | value) & 0xffff
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return buffer & (1 << bits - 1) == 0 ? result : nil
    }

    private static func base64Value(_ digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
