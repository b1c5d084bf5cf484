/// The reader behind ``StrictJSON/read(_:maximumDepth:)``: one pass, recursive descent, on bytes.
struct StrictJSONReader {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var at = 0
    private var depth = 0

    init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func document() throws(StrictJSONFault) -> StrictJSON {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { throw .byteOrderMark }
        // The whole text at once: no part of it can then be a repaired one.
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        let value = try value()
        skipBlanks()
        guard at == bytes.count else { throw .trailingBytes(offset: at) }
        return value
    }

    private mutating func value() throws(StrictJSONFault) -> StrictJSON {
        skipBlanks()
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(String(decoding: try string(), as: UTF8.self))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object() throws(StrictJSONFault) -> StrictJSONObject {
        try enter()
        var object = StrictJSONObject()
        var seen: Set<[UInt8]> = []
        skipBlanks()
        if try take("}") { return leave(object) }
        while true {
            skipBlanks()
            let start = at
            guard try peek() == UInt8(ascii: "\"") else { throw .unexpected(offset: at) }
            let key = try string()
            guard seen.insert(key).inserted else { throw .duplicateKey(offset: start) }
            skipBlanks()
            guard try take(":") else { throw .unexpected(offset: at) }
            object.add(key, try value())
            skipBlanks()
            if try take("}") { return leave(object) }
            guard try take(",") else { throw .unexpected(offset: at) }
        }
    }

    private mutating func array() throws(StrictJSONFault) -> [StrictJSON] {
        try enter()
        var items: [StrictJSON] = []
        skipBlanks()
        if try take("]") { return leave(items) }
        while true {
            items.append(try value())
            skipBlanks()
            if try take("]") { return leave(items) }
            guard try take(",") else { throw .unexpected(offset: at) }
        }
    }

    /// The bytes of a string, escapes resolved. The reader stands on the opening quotation mark.
    private mutating func string() throws(StrictJSONFault) -> [UInt8] {
        at += 1
        var text: [UInt8] = []
        while true {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return text
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw .controlCharacter(offset: at)
            default:
                text.append(byte)
                at += 1
            }
        }
    }

    private mutating func escape() throws(StrictJSONFault) -> [UInt8] {
        let start = at
        at += 1
        let byte = try peek()
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"): return try unicodeEscape(start)
        default: throw .unexpected(offset: start)
        }
    }

    private mutating func unicodeEscape(_ start: Int) throws(StrictJSONFault) -> [UInt8] {
        var value = try hexDigits()
        if (0xd800..<0xdc00).contains(value) {
            guard try take("\\"), try take("u") else { throw .loneSurrogate(offset: start) }
            let low = try hexDigits()
            guard (0xdc00..<0xe000).contains(low) else { throw .loneSurrogate(offset: start) }
            value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
        }
        // NUL ends a text for some readers and not for others: nothing here has a use for it.
        if value == 0 { throw .controlCharacter(offset: start) }
        guard let scalar = Unicode.Scalar(value) else { throw .loneSurrogate(offset: start) }
        return [UInt8](String(scalar).utf8)
    }

    private mutating func hexDigits() throws(StrictJSONFault) -> UInt32 {
        guard at + 4 <= bytes.count else { throw .endOfInput }
        guard let pair = Hex.decode(String(decoding: bytes[at..<at + 4], as: UTF8.self)), pair.count == 2
        else { throw .unexpected(offset: at) }
        at += 4
        return UInt32(pair[0]) << 8 | UInt32(pair[1])
    }

    private mutating func number() throws(StrictJSONFault) -> String {
        let start = at
        _ = try take("-")
        // A leading zero stands alone: to some readers 010 is eight.
        if try !take("0") { try digits() }
        if at < bytes.count, try take(".") { try digits() }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if try !take("+") { _ = try take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw .numberOutOfRange(offset: start) }
        return text
    }

    private mutating func digits() throws(StrictJSONFault) {
        let start = at
        while at < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at]) { at += 1 }
        guard at > start else { throw at < bytes.count ? .unexpected(offset: at) : .endOfInput }
    }

    private mutating func word(_ text: String, _ value: StrictJSON) throws(StrictJSONFault) -> StrictJSON {
        guard bytes[at...].starts(with: text.utf8) else { throw .unexpected(offset: at) }
        at += text.utf8.count
        return value
    }

    private mutating func enter() throws(StrictJSONFault) {
        depth += 1
        guard depth <= maximumDepth else { throw .tooDeep(offset: at) }
        at += 1
    }

    private mutating func leave<Value>(_ value: Value) -> Value {
        depth -= 1
        return value
    }

    private mutating func skipBlanks() {
        while at < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[at]) { at += 1 }
    }

    private func peek() throws(StrictJSONFault) -> UInt8 {
        guard at < bytes.count else { throw .endOfInput }
        return bytes[at]
    }

    /// Steps over the byte if it is the one that comes next.
    private mutating func take(_ byte: Unicode.Scalar) throws(StrictJSONFault) -> Bool {
        guard try peek() == UInt8(ascii: byte) else { return false }
        at += 1
        return true
    }
}
