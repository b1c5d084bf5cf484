/// Reads JSON (RFC 8259) with the place of every value.
///
/// Foundation's two readers silently accept a byte-order mark, UTF-16 and trailing commas. Of duplicate keys, one keeps
/// the first and the other the last. Two programs that read one text differently are a security problem on the wire
/// and a puzzle in a published file. So there are two ways to read: ``read(_:limits:)`` continues after such errors and
/// reports each with its place, and ``readStrictly(_:maximumDepth:)`` rejects the text at the first one.
public struct JSONReader {
    /// Limits on what is read, which also bound the recursion.
    public struct Limits: Sendable {
        /// Eight times the limit of any known reader of association files.
        public var bytes = 8 << 20
        /// The limit of Foundation's reader.
        public var depth = 512

        public init() {}
    }

    let text: [UInt8]
    let depthLimit: Int
    /// Every error ends the reading.
    let isStrict: Bool
    /// Keys that stand twice in an object are no error.
    private let keepsDuplicates: Bool
    /// Reading goes on where `android.util.JsonReader` goes on.
    let isAndroid: Bool
    var offset = 0
    private var errors: [JSONError]

    /// Reads a body leniently. Never throws: the errors are in ``JSONDocument/errors``.
    ///
    /// - Parameter asAndroid: also goes on after what `android.util.JsonReader` takes when it is not lenient: control
    ///   characters and any escape in a string, `TRUE` in any case, and text after the document.
    public static func read(
        _ body: some Sequence<UInt8>, limits: Limits = Limits(), asAndroid: Bool = false
    ) -> JSONDocument {
        let bytes = Array(body)
        guard bytes.count <= limits.bytes else {
            return JSONDocument(
                text: [], root: nil,
                errors: [JSONError(.tooLong, at: 0, "\(bytes.count) bytes; no more than \(limits.bytes) are read")])
        }
        let decoded = JSONEncoding.utf8(bytes)
        guard decoded.isReadable else { return JSONDocument(text: decoded.text, root: nil, errors: decoded.errors) }
        var reader = JSONReader(
            text: decoded.text, depthLimit: limits.depth, isStrict: false, isAndroid: asAndroid, errors: decoded.errors)
        var root: JSONNode?
        do throws(JSONError) {
            root = try reader.document()
        } catch {
            reader.errors.append(error)
        }
        return JSONDocument(text: reader.text, root: root, errors: reader.errors)
    }

    /// Reads a document for which no other reader may have a different interpretation.
    ///
    /// Rejects everything that ``read(_:limits:)`` reports, and also numbers beyond `Double` and escaped NULs, which end
    /// a string in some readers. Use it for signed bodies: the program that checks a signature and the one that acts on
    /// the body must read the same values. Limit the length of `body` before the call.
    ///
    /// - Parameters:
    ///   - maximumDepth: levels of objects and arrays. The reader recurses, so the sender must not choose.
    ///   - keepingDuplicates: leaves it to the caller to refuse what has a key twice (``JSONNode/duplicateKey``), where the
    ///     document is a list whose entries count one by one.
    public static func readStrictly(
        _ body: [UInt8], maximumDepth: Int = 16, keepingDuplicates: Bool = false
    ) throws(JSONError) -> JSONNode {
        let decoded = JSONEncoding.utf8(body)
        if let error = decoded.errors.first { throw error }
        var reader = JSONReader(
            text: decoded.text, depthLimit: maximumDepth, isStrict: true, keepsDuplicates: keepingDuplicates, errors: []
        )
        return try reader.document()
    }

    private init(
        text: [UInt8], depthLimit: Int, isStrict: Bool, keepsDuplicates: Bool = false, isAndroid: Bool = false,
        errors: [JSONError]
    ) {
        self.text = text
        self.isAndroid = isAndroid
        self.keepsDuplicates = keepsDuplicates
        self.depthLimit = depthLimit
        self.isStrict = isStrict
        self.errors = errors
    }

    /// Records an error after which reading can continue, or throws it when reading strictly.
    mutating func report(_ kind: JSONError.Kind, at offset: Int, _ message: String) throws(JSONError) {
        let error = JSONError(kind, at: offset, message)
        if isStrict { throw error }
        errors.append(error)
    }

    /// Records an error after which Android's reader alone goes on, or throws it.
    mutating func reportUnlessFatal(_ error: JSONError) throws(JSONError) {
        guard isAndroid else { throw error }
        errors.append(error)
    }

    private mutating func document() throws(JSONError) -> JSONNode {
        try skipBlanks()
        let root = try value(depth: 0)
        try skipBlanks()
        if offset < text.count {
            try reportUnlessFatal(JSONError(.trailingContent, at: offset, "\(seen) after the end of the document"))
        }
        return root
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONNode {
        let start = offset
        let value: JSONNode.Value
        switch peek {
        case UInt8(ascii: "{"): value = .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): value = .array(try array(depth: depth + 1))
        case UInt8(ascii: "t"), UInt8(ascii: "T"): value = try word("true", .bool(true))
        case UInt8(ascii: "f"), UInt8(ascii: "F"): value = try word("false", .bool(false))
        case UInt8(ascii: "n"), UInt8(ascii: "N"): value = try word("null", .null)
        case UInt8(ascii: "-"), .some(0x30...0x39): value = .number(try number())
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            throw JSONError(.badNumber, at: offset, "\(seen) begins no JSON number")
        default:
            guard let text = try quoted() else { throw unexpected("a value") }
            value = .string(text)
        }
        return JSONNode(value, range: start..<offset)
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONNode] {
        try enter(depth)
        var items: [JSONNode] = []
        while try !closes(UInt8(ascii: "]"), after: items.count, "value") {
            items.append(try value(depth: depth))
        }
        return items
    }

    /// A key is searched for among so many members. For more there is a set, which a short object is not worth.
    private static let searchedMembers = 16

    private mutating func object(depth: Int) throws(JSONError) -> [JSONMember] {
        try enter(depth)
        var members: [JSONMember] = []
        // One piece of memory for most objects, in place of one for 1, 2, 4 and 8.
        members.reserveCapacity(8)
        var keys: Set<[UInt8]> = []
        while try !closes(UInt8(ascii: "}"), after: members.count, "member") {
            let start = offset
            guard let key = try quoted() else { throw unexpected("a key in double quotes") }
            let keyRange = start..<offset
            if members.count == Self.searchedMembers { keys = Set(members.map { Array($0.key.utf8) }) }
            let isNew =
                members.count < Self.searchedMembers
                ? !members.contains { $0.key.utf8.elementsEqual(key.utf8) } : keys.insert(Array(key.utf8)).inserted
            if !isNew, !keepsDuplicates {
                try report(.duplicateKey(key), at: start, "the key stands in this object already")
            }
            try skipBlanks()
            guard peek == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
            offset += 1
            try skipBlanks()
            members.append(JSONMember(key: key, keyRange: keyRange, value: try value(depth: depth)))
        }
        return members
    }

    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth <= depthLimit else {
            throw JSONError(.tooDeep, at: offset, "nested deeper than \(depthLimit) levels")
        }
        offset += 1
        try skipBlanks()
    }

    /// Skips the comma before the next item, or the end of the list. True at the end.
    private mutating func closes(_ end: UInt8, after count: Int, _ item: String) throws(JSONError) -> Bool {
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
        try report(.trailingComma, at: comma, "a comma with no \(item) after it")
        offset += 1
        return true
    }

    private mutating func word(_ name: StaticString, _ value: JSONNode.Value) throws(JSONError) -> JSONNode.Value {
        let length = name.utf8CodeUnitCount
        let written = text[offset...].prefix(length)
        if !name.withUTF8Buffer({ written.elementsEqual($0) }) {
            guard name.withUTF8Buffer({ written.map(\.asciiLowercased).elementsEqual($0) }) else {
                throw unexpected("a value")
            }
            try reportUnlessFatal(unexpected("a value"))
        }
        offset += length
        return value
    }

    /// RFC 8259 section 6.
    private mutating func number() throws(JSONError) -> String {
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
        guard isWhole else { throw JSONError(.badNumber, at: start, "not a number that JSON allows") }
        let written = String(decoding: text[start..<offset], as: UTF8.self)
        if isStrict, Double(written)?.isFinite != true {
            throw JSONError(.badNumber, at: start, "a number that a Double cannot hold")
        }
        return written
    }

    /// The next byte; `nil` at the end.
    var peek: UInt8? { offset < text.count ? text[offset] : nil }

    func unexpected(_ expected: String) -> JSONError {
        JSONError(.syntax, at: offset, "expected \(expected), found \(seen)")
    }

    /// The code point at the offset for a message: printable ASCII as it is, anything else by its number.
    var seen: String {
        guard let scalar = scalar(at: offset) else { return "the end of the file" }
        let isPlain = (0x21...0x7e).contains(scalar.value)
        return isPlain ? "'\(scalar)'" : "U+" + JSONError.hex(scalar.value)
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
