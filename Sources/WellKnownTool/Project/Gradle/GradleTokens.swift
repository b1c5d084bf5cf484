/// The tokens of a Gradle file, in Groovy or Kotlin.
///
/// Sources: Apache Groovy, "Syntax"; Kotlin, "Grammar"; both end a line comment at the end of its line, CRLF included.
enum GradleToken: Equatable {
    case word(String)
    /// A text. Its parts alternate between literal text and the expression of an interpolation.
    case text([Part])
    case number(String)
    case mark(Character)
    case newline

    enum Part: Equatable {
        case literal(String)
        /// `$name`, `${name}` or `${a.b}`. `nil` for another expression.
        case name([String]?)
    }

    var isMark: Bool { if case .mark = self { true } else { false } }

    /// 1 for an opening bracket, -1 for a closing one.
    var nesting: Int {
        guard case .mark(let mark) = self else { return 0 }
        return "([{".contains(mark) ? 1 : ")]}".contains(mark) ? -1 : 0
    }

    static func read(_ bytes: [UInt8]) -> [GradleToken] {
        var lexer = GradleLexer(bytes)
        return lexer.tokens()
    }
}

/// Splits the bytes into tokens. It never fails: unknown bytes become marks.
private struct GradleLexer {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func tokens() -> [GradleToken] {
        var tokens: [GradleToken] = []
        while let byte = peek() {
            switch byte {
            case 0x0a, 0x0d:
                offset += 1
                if tokens.last != .newline { tokens.append(.newline) }
            case 0x5c where peek(1) == 0x0a || peek(1) == 0x0d: offset += peek(1) == 0x0d && peek(2) == 0x0a ? 3 : 2
            case 0...0x20: offset += 1
            case 0x2f where peek(1) == 0x2f: skipLine()
            case 0x2f where peek(1) == 0x2a: skipBlock()
            case 0x22, 0x27: tokens.append(.text(quoted(byte)))
            case 0x60:
                // A name in Kotlin.
                offset += 1
                tokens.append(.word(take { $0 != 0x60 && $0 != 0x0a }))
                offset += 1
            case 0x30...0x39: tokens.append(.number(take { $0.isWordByte }))
            case _ where byte.isWordByte: tokens.append(.word(take { $0.isWordByte }))
            default:
                offset += 1
                tokens.append(.mark(Character(Unicode.Scalar(byte))))
            }
        }
        return tokens
    }

    private func peek(_ ahead: Int = 0) -> UInt8? { offset + ahead < bytes.count ? bytes[offset + ahead] : nil }

    private mutating func skipLine() { while let byte = peek(), byte != 0x0a, byte != 0x0d { offset += 1 } }

    /// Kotlin nests its comments, Groovy does not. A nested one is rare, and the first end closes it here.
    private mutating func skipBlock() {
        offset = bytes[(offset + 2)...].firstRange(of: [0x2a, 0x2f])?.upperBound ?? bytes.count
    }

    private mutating func take(while isPart: (UInt8) -> Bool) -> String {
        let start = offset
        while let byte = peek(), isPart(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func quoted(_ quote: UInt8) -> [GradleToken.Part] {
        let isLong = peek(1) == quote && peek(2) == quote
        offset += isLong ? 3 : 1
        var parts: [GradleToken.Part] = []
        var literal: [UInt8] = []
        func flushed() -> [GradleToken.Part] {
            literal.isEmpty ? [] : [.literal(String(decoding: literal, as: UTF8.self))]
        }
        while let byte = peek() {
            if byte == quote, !isLong || peek(1) == quote && peek(2) == quote {
                offset += isLong ? 3 : 1
                break
            }
            // A text that is not closed ends with its line.
            if !isLong, byte == 0x0a || byte == 0x0d { break }
            offset += 1
            if byte == 0x5c, let next = peek() {
                offset += 1
                literal.append(next == 0x6e ? 0x0a : next == 0x74 ? 0x09 : next)
            } else if byte == 0x24, quote == 0x22, peek() == 0x7b || (peek()?.isWordByte ?? false) {
                parts += flushed()
                literal = []
                parts.append(.name(interpolation()))
            } else {
                literal.append(byte)
            }
        }
        return parts + flushed()
    }

    /// The words of `$a.b` or `${a.b}`, after the dollar sign.
    private mutating func interpolation() -> [String]? {
        guard peek() == 0x7b else { return [take { $0.isWordByte }] }
        offset += 1
        let inside = take { $0 != 0x7d && $0 != 0x0a }
        if peek() == 0x7d { offset += 1 }
        let words = inside.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isWordByte) } ? words : nil
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x80...0xff: true
        default: false
        }
    }
}
