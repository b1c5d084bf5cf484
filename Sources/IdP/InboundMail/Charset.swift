import Glibc
import SSOShared

/// Text in any character set that iconv of the system knows, as UTF-8.
///
/// The bytes are never searched before: in ISO-2022-JP or GB 18030 a byte that looks like a digit need not be one.
struct Charset: Hashable {
    /// A text with more bytes in UTF-8 is not read on. No character set makes more than four times the bytes of a reply that
    /// is mostly letters.
    static let maximumBytes = 4 * InboundMailLimits.messageBytes

    /// iconv's name, or one of those that need no table: ``plain`` and ``ascii``.
    private let table: String

    /// - Parameter name: as the message gives it, in either case; nil where it gives none (RFC 2045 5.2: US-ASCII).
    /// - Returns: nil for a name that neither iconv nor ``names`` knows.
    init?(_ name: [UInt8]?) {
        guard let name else {
            table = Self.ascii
            return
        }
        let label = Self.label(name)
        guard (1...64).contains(label.utf8.count), label.utf8.allSatisfy(Self.isNameByte) else { return nil }
        let known = Self.candidates(label).lazy.map { Self.names[$0] ?? Self.names[Self.squeezed($0)] ?? $0 }.first {
            $0 == Self.plain || $0 == Self.ascii || Self.isKnown($0)
        }
        guard let known else { return nil }
        table = known
    }

    /// The name in lower case, without quotation marks and other signs that programs leave around it. Perhaps empty.
    static func label(_ name: [UInt8]) -> String {
        let isEdge: (UInt8) -> Bool = { !$0.isASCIILetter && !$0.isASCIIDigit }
        let start = name.drop(while: isEdge)
        let signs = start.reversed().prefix { isEdge($0) && $0 != UInt8(ascii: ")") }.count
        return start.dropLast(signs).lowercasedText
    }

    /// Whether the printable characters of ASCII are the bytes of ASCII, so that no other bytes stand for an `@`. Sets of East
    /// Asia may have a currency sign for the backslash and a line for the tilde.
    var hasASCII: Bool {
        let printable = (UInt8(0x20)...0x7d).filter { $0 != UInt8(ascii: "\\") }
        return (try? utf8(printable)) == printable
    }

    /// Whether iconv of this machine has the table of a name: its modules are files, which a small image may lack.
    static func isKnown(_ name: String) -> Bool {
        // These two follow the machine and not the message.
        guard name != "internal", name != "wchar_t", let converter = open(name) else { return false }
        iconv_close(converter)
        return true
    }

    /// The text in UTF-8, with U+FFFD for bytes that have no meaning.
    ///
    /// - Throws: ``ReplyMessageError/tooLarge`` above ``maximumBytes``.
    func utf8(_ bytes: [UInt8]) throws(ReplyMessageError) -> [UInt8] {
        // RFC 1468: programs in Japan may leave the name of ISO-2022-JP out. Nothing else has an escape in it.
        let table = table == Self.ascii && bytes.contains(0x1b) ? "iso-2022-jp" : table
        guard table != Self.plain, table != Self.ascii, let converter = Self.open(table) else {
            return Array(String(decoding: bytes, as: UTF8.self).utf8)
        }
        defer { iconv_close(converter) }
        return try Self.convert(bytes, converter, Recovery(table))
    }

    /// What is skipped behind bytes without a meaning.
    private enum Recovery {
        case units(Int)
        /// The rest of the line: after a broken escape no byte says what it is. Each line begins again (RFC 1468, RFC 2152).
        case line

        init(_ table: String) {
            let isStateful = ["iso-2022", "iso2022", "csiso2022", "utf-7", "utf7"].contains { table.hasPrefix($0) }
            let isWide = ["utf-16", "utf16", "ucs-2", "ucs2", "unicode"].contains { table.hasPrefix($0) }
            let isWider = ["utf-32", "utf32", "ucs-4", "ucs4", "10646"].contains { table.contains($0) }
            self = isStateful ? .line : .units(isWider ? 4 : isWide ? 2 : 1)
        }

        /// How many of these bytes, whose first has no meaning.
        func length(_ bytes: UnsafeRawBufferPointer) -> Int {
            switch self {
            case .units(let count): min(count, bytes.count)
            case .line: max(1, bytes.firstIndex(of: 0x0a) ?? bytes.count)
            }
        }
    }

    private static let replacement = Array("\u{fffd}".utf8)

    private static func convert(
        _ bytes: [UInt8], _ converter: iconv_t, _ recovery: Recovery
    ) throws(ReplyMessageError) -> [UInt8] {
        var (input, text) = (bytes, [UInt8]())
        let isComplete = input.withUnsafeMutableBytes { input in
            var next = input.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = input.count
            while true {
                let before = (left, text.count)
                let end = step(converter, &next, &left, &text)
                guard text.count <= maximumBytes else { return false }
                switch end {
                case 0, EINVAL:
                    // A character that is cut off at the end, or nothing more: what the table holds back comes now.
                    if end == EINVAL { text += replacement }
                    var (none, nothing): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
                    _ = step(converter, &none, &nothing, &text)
                    return true
                case E2BIG where (left, text.count) != before: continue
                case EILSEQ where left > 0:
                    text += replacement
                    let count = recovery.length(UnsafeRawBufferPointer(rebasing: input[(input.count - left)...]))
                    next = next?.advanced(by: count)
                    left -= count
                    if case .line = recovery { iconv(converter, nil, nil, nil, nil) }
                default: return true
                }
            }
        }
        guard isComplete else { throw .tooLarge }
        return text
    }

    /// Converts as much as a piece of memory takes.
    ///
    /// - Returns: 0 at the end of the input, or the error number.
    private static func step(
        _ converter: iconv_t, _ next: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, _ text: inout [UInt8]
    ) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { piece in
            var output = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
            var space = piece.count
            let result =
                next == nil
                ? iconv(converter, nil, nil, &output, &space) : iconv(converter, &next, &left, &output, &space)
            let cause = result == Int(bitPattern: UInt.max) ? errno : 0
            text += piece[..<(piece.count - space)]
            return cause
        }
    }

    private static func open(_ name: String) -> iconv_t? {
        let converter = iconv_open("UTF-8", name)
        return converter == iconv_t(bitPattern: -1) ? nil : converter
    }

    /// Without `/`, behind which iconv takes options.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-_.:+()".utf8.contains(byte)
    }
}
