/// Something in a text that RFC 8259 does not allow, or that readers take differently.
public struct JSONFault: Error, Hashable, Sendable {
    /// What it is. The lint codes `json.*` are made of these.
    public enum Kind: Hashable, Sendable {
        /// A byte-order mark before the text.
        case byteOrderMark
        /// The text is in another encoding than UTF-8: `name` is the guess. A UTF-16 text is read on; others end here.
        case encoding(name: String)
        /// A comma before `]` or `}`.
        case trailingComma
        /// `// …`, `/* … */` or `# …`.
        case comment
        /// A typographic quotation mark where a plain one belongs.
        case smartQuote
        /// A no-break space, a zero-width character or the like outside a string: looks like a blank, is none.
        case invisible(scalar: UInt32)
        /// The key stands in the object already.
        case duplicateKey(String)
        /// Nested deeper than ``JSONReader/Limits/depth``.
        case tooDeep
        /// Longer than ``JSONReader/Limits/bytes``.
        case tooLong
        /// A string or a key in single quotes.
        case singleQuotes
        /// A control character inside a string, or an escape that JSON does not have.
        case badString
        /// A `\u` escape of half a surrogate pair.
        case loneSurrogate
        /// A number that JSON does not allow: `+1`, `01`, `.5`, `NaN`.
        case badNumber
        /// Something after the end of the document.
        case trailingContent
        /// Anything else: a missing comma, a bare word, an end too early.
        case syntax
    }

    public let kind: Kind
    /// Where, as a byte of ``JSONDocument/text``.
    public let offset: Int
    /// What stands there and what was expected: half a sentence, one line, no more than 200 characters.
    public let message: String

    public init(_ kind: Kind, at offset: Int, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }
}
