/// A JSON value, read without mercy (RFC 8259).
///
/// Foundation's decoder is not used on the back channel: it takes a duplicate key (the first wins, where other readers
/// take the last), a trailing comma, a byte order mark, UTF-16 and NUL. Each lets one signed body mean two things to
/// two programs, and the one that checks is then not the one that acts.
public indirect enum StrictJSON: Sendable {
    case object(StrictJSONObject)
    case array([StrictJSON])
    case string(String)
    /// The digits as written: a reader decides what they fit into. Always finite as a `Double`.
    case number(String)
    case bool(Bool)
    case null

    /// Reads one document.
    ///
    /// Refused: anything outside the grammar, invalid UTF-8, a byte order mark, an unescaped control character, NUL raw
    /// or escaped, lone surrogates, a key given twice, numbers beyond `Double`, more than `maximumDepth` levels of
    /// nesting, and anything but white space after the value.
    ///
    /// - Parameter maximumDepth: levels of objects and arrays. A reader that recurses must not let the sender choose.
    public static func read(_ bytes: [UInt8], maximumDepth: Int = 16) throws(StrictJSONFault) -> StrictJSON {
        var reader = StrictJSONReader(bytes: bytes, maximumDepth: maximumDepth)
        return try reader.document()
    }

    /// The members, nil for anything but an object.
    public var object: StrictJSONObject? { if case .object(let value) = self { value } else { nil } }
    /// The items, nil for anything but an array.
    public var array: [StrictJSON]? { if case .array(let value) = self { value } else { nil } }
    /// The text, nil for anything but a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// The number as an integer: only when written as one. `1.0`, `1e3` and what does not fit are not.
    public var integer: Int? {
        // `Int(text)` would also take a leading plus and zeros; the grammar has refused both before.
        if case .number(let text) = self { Int(text) } else { nil }
    }
}

/// The members of a JSON object, in the order they came.
public struct StrictJSONObject: Sendable {
    private(set) var members: [(key: [UInt8], value: StrictJSON)] = []

    /// The value under a key, compared byte by byte: a `Dictionary` of `String` would take two spellings of `é` for
    /// one.
    public subscript(key: String) -> StrictJSON? {
        let wanted = [UInt8](key.utf8)
        return members.first { $0.key == wanted }?.value
    }

    /// The keys in order.
    public var keys: [String] { members.map { String(decoding: $0.key, as: UTF8.self) } }

    mutating func add(_ key: [UInt8], _ value: StrictJSON) { members.append((key, value)) }
}

/// Why a document was refused. `offset` counts bytes from its beginning.
public enum StrictJSONFault: Error, Sendable, Equatable, CustomStringConvertible {
    case unexpected(offset: Int)
    case endOfInput
    case notUTF8
    case byteOrderMark
    case controlCharacter(offset: Int)
    case loneSurrogate(offset: Int)
    case duplicateKey(offset: Int)
    case numberOutOfRange(offset: Int)
    case tooDeep(offset: Int)
    case trailingBytes(offset: Int)

    /// One sentence for a developer; holds nothing of the document.
    public var description: String {
        switch self {
        case .unexpected(let offset): "unexpected byte at offset \(offset)"
        case .endOfInput: "the document ends too early"
        case .notUTF8: "the document is not UTF-8"
        case .byteOrderMark: "the document begins with a byte order mark"
        case .controlCharacter(let offset): "control character in a string at offset \(offset)"
        case .loneSurrogate(let offset): "lone surrogate at offset \(offset)"
        case .duplicateKey(let offset): "key given twice at offset \(offset)"
        case .numberOutOfRange(let offset): "number out of range at offset \(offset)"
        case .tooDeep(let offset): "nested too deeply at offset \(offset)"
        case .trailingBytes(let offset): "more bytes after the document at offset \(offset)"
        }
    }
}
