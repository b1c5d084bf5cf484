/// Reads JSON (RFC 8259) and remembers where everything stands.
///
/// Foundation's two readers accept a byte-order mark, UTF-16 and trailing commas in silence, and of duplicate keys one
/// keeps the first and the other the last. Phones and servers differ on exactly these, so they have to be told apart:
/// this reader goes on behind them and names each. It never goes deeper or further than its limits.
public struct JSONReader {
    /// How much is read.
    public struct Limits: Sendable {
        /// Eight times what any known reader of these files takes.
        public var bytes = 8 << 20
        /// As deep as Foundation goes.
        public var depth = 512

        public init() {}
    }

    let text: [UInt8]
    let limits: Limits
    var offset = 0
    var faults: [JSONFault]

    /// Reads a body. Never throws: what is wrong stands in ``JSONDocument/faults``.
    public static func read(_ body: some Sequence<UInt8>, limits: Limits = Limits()) -> JSONDocument {
        let bytes = Array(body)
        guard bytes.count <= limits.bytes else {
            return JSONDocument(
                text: [], root: nil,
                faults: [JSONFault(.tooLong, at: 0, "\(bytes.count) bytes; no more than \(limits.bytes) are read")])
        }
        let decoded = JSONEncodings.utf8(bytes)
        guard decoded.isReadable else { return JSONDocument(text: decoded.text, root: nil, faults: decoded.faults) }
        var reader = JSONReader(text: decoded.text, limits: limits, faults: decoded.faults)
        var root: JSONNode?
        do throws(JSONFault) {
            root = try reader.document()
        } catch {
            reader.faults.append(error)
        }
        return JSONDocument(text: reader.text, root: root, faults: reader.faults)
    }

    private init(text: [UInt8], limits: Limits, faults: [JSONFault]) {
        self.text = text
        self.limits = limits
        self.faults = faults
    }

    private mutating func document() throws(JSONFault) -> JSONNode {
        try skipBlanks()
        let root = try value(depth: 0)
        try skipBlanks()
        if offset < text.count {
            throw JSONFault(.trailingContent, at: offset, "\(seen) after the end of the document")
        }
        return root
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONNode {
        let start = offset
        let value: JSONNode.Value
        switch peek {
        case UInt8(ascii: "{"): value = .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): value = .array(try array(depth: depth + 1))
        case UInt8(ascii: "t"): value = try word("true", .bool(true))
        case UInt8(ascii: "f"): value = try word("false", .bool(false))
        case UInt8(ascii: "n"): value = try word("null", .null)
        case UInt8(ascii: "-"), .some(0x30...0x39): value = .number(try number())
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            throw JSONFault(.badNumber, at: offset, "\(seen) begins no JSON number")
        default:
            guard let text = try quoted() else { throw unexpected("a value") }
            value = .string(text)
        }
        return JSONNode(value, range: start..<offset)
    }

    private mutating func array(depth: Int) throws(JSONFault) -> [JSONNode] {
        try enter(depth)
        var items: [JSONNode] = []
        while try !closes(UInt8(ascii: "]"), after: items.count, "value") {
            items.append(try value(depth: depth))
        }
        return items
    }

    private mutating func object(depth: Int) throws(JSONFault) -> [JSONMember] {
        try enter(depth)
        var members: [JSONMember] = []
        var keys: Set<[UInt8]> = []
        while try !closes(UInt8(ascii: "}"), after: members.count, "member") {
            let start = offset
            guard let key = try quoted() else { throw unexpected("a key in double quotes") }
            let keyRange = start..<offset
            if !keys.insert(Array(key.utf8)).inserted {
                faults.append(JSONFault(.duplicateKey(key), at: start, "the key stands in this object already"))
            }
            try skipBlanks()
            guard peek == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
            offset += 1
            try skipBlanks()
            members.append(JSONMember(key: key, keyRange: keyRange, value: try value(depth: depth)))
        }
        return members
    }

    private mutating func enter(_ depth: Int) throws(JSONFault) {
        guard depth <= limits.depth else {
            throw JSONFault(.tooDeep, at: offset, "nested deeper than \(limits.depth) levels")
        }
        offset += 1
        try skipBlanks()
    }

    /// Goes over the comma before the next item, or over the end of the list.
    private mutating func closes(_ end: UInt8, after count: Int, _ item: String) throws(JSONFault) -> Bool {
        try skipBlanks()
        if peek == end {
            offset += 1
            return true
        }
        guard count > 0 else { return false }
        guard peek == UInt8(ascii: ",") else { throw unexpected("a comma or the end after the \(item)") }
        let comma = offset
        offset += 1
        try skipBlanks()
        guard peek == end else { return false }
        faults.append(JSONFault(.trailingComma, at: comma, "a comma with no \(item) after it"))
        offset += 1
        return true
    }

    private mutating func word(_ name: StaticString, _ value: JSONNode.Value) throws(JSONFault) -> JSONNode.Value {
        let length = name.utf8CodeUnitCount
        let isThere = name.withUTF8Buffer { text[offset...].prefix(length).elementsEqual($0) }
        guard isThere else { throw unexpected("a value") }
        offset += length
        return value
    }

    /// RFC 8259 section 6.
    private mutating func number() throws(JSONFault) -> String {
        let start = offset
        func digits(_ from: Int) -> Int { text[from...].prefix { $0.isASCIIDigit }.count }

        if peek == UInt8(ascii: "-") { offset += 1 }
        let whole = digits(offset)
        let hasLeadingZero = whole > 1 && peek == UInt8(ascii: "0")
        offset += whole
        var isWhole = whole > 0 && !hasLeadingZero
        if peek == UInt8(ascii: ".") {
            let count = digits(offset + 1)
            offset += 1 + count
            isWhole = isWhole && count > 0
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            offset += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
            let count = digits(offset)
            offset += count
            isWhole = isWhole && count > 0
        }
        guard isWhole else { throw JSONFault(.badNumber, at: start, "not a number that JSON allows") }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    /// The next byte; `nil` at the end.
    var peek: UInt8? { offset < text.count ? text[offset] : nil }

    func unexpected(_ expected: String) -> JSONFault {
        JSONFault(.syntax, at: offset, "expected \(expected), found \(seen)")
    }

    /// What stands at the offset, for a message: printable ASCII as it is, everything else by its number.
    var seen: String {
        guard let scalar = scalar(at: offset) else { return "the end of the file" }
        let isPlain = (0x21...0x7e).contains(scalar.value)
        return isPlain ? "'\(scalar)'" : "U+" + JSONFault.hex(scalar.value)
    }

    /// The code point at a byte; the text is valid UTF-8.
    func scalar(at index: Int) -> Unicode.Scalar? {
        guard index < text.count else { return nil }
        var iterator = text[index...].prefix(4).makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }
}

extension JSONFault {
    /// At least four upper-case hex digits, as Unicode writes its code points.
    static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
