/// A place in a text that RFC 8259 does not allow, or that JSON readers interpret differently.
public struct JSONError: Error, Hashable, Sendable {
    /// The lint codes `json.*` correspond to these cases.
    public enum Kind: Hashable, Sendable {
        /// A byte-order mark before the text.
        case byteOrderMark
        /// The text is not UTF-8. `name` is the likely encoding. UTF-16 is converted and read; other encodings are not.
        case encoding(name: String)
        /// A comma before `]` or `}`.
        case trailingComma
        /// `// …`, `/* … */` or `# …`.
        case comment
        /// A typographic quotation mark instead of `"`.
        case smartQuote
        /// A no-break space, a zero-width character or the like outside a string. It looks like white space.
        case invisible(scalar: UInt32)
        /// The key appears twice in the same object.
        case duplicateKey(String)
        /// Nested deeper than ``JSONReader/Limits/depth``.
        case tooDeep
        /// Longer than ``JSONReader/Limits/bytes``.
        case tooLong
        /// A string or a key in single quotes.
        case singleQuotes
        /// A control character inside a string, or an escape that JSON does not define.
        case badString
        /// A `\u` escape of half a surrogate pair.
        case loneSurrogate
        /// A number that JSON does not allow: `+1`, `01`, `.5`, `NaN`.
        case badNumber
        /// Something after the end of the document.
        case trailingContent
        /// Anything else: a missing comma, a bare word, an early end.
        case syntax
    }

    public let kind: Kind
    /// The byte of ``JSONDocument/text``.
    public let offset: Int
    /// What was found and what was expected: half a sentence in one line of at most 200 characters.
    public let message: String

    public init(_ kind: Kind, at offset: Int, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }

    /// At least four upper-case hex digits, the Unicode notation of a code point.
    package static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension JSONError: CustomStringConvertible {
    /// Names the kind and the byte. Contains nothing of the document, so it may be logged and sent.
    public var description: String {
        let what =
            switch kind {
            case .byteOrderMark: "byte-order mark"
            case .encoding: "not UTF-8"
            case .trailingComma: "trailing comma"
            case .comment: "comment"
            case .smartQuote: "typographic quotation mark"
            case .invisible: "invisible character"
            case .duplicateKey: "duplicate key"
            case .tooDeep: "nested too deeply"
            case .tooLong: "too long"
            case .singleQuotes: "single quotes"
            case .badString: "invalid string"
            case .loneSurrogate: "lone surrogate"
            case .badNumber: "invalid number"
            case .trailingContent: "content after the document"
            case .syntax: "syntax error"
            }
        return "\(what) at byte \(offset)"
    }
}
