import SSOShared
import WellKnown

/// An XML element with the parts that property lists and Android manifests need.
struct ProjectXMLElement: Sendable {
    /// The name with its prefix, as written.
    let name: String
    /// The attributes in the order of the document. Names include their prefixes.
    let attributes: [(name: String, value: String)]
    var children: [ProjectXMLElement] = []
    /// All text directly inside the element, joined.
    var text = ""
    /// The position of the element's `<`.
    let position: SourcePosition

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

    func children(named name: String) -> [ProjectXMLElement] { children.filter { $0.name == name } }
}

/// Reads XML 1.0 without its dangerous parts: only the five predefined entities, no document type declarations, no
/// external resources, limited depth and size.
///
/// This is not Foundation's `XMLParser`, which reports the position after an element instead of its start, so findings
/// would have wrong columns. Its library (FoundationXML with libxml2) also supports far more of XML than these files
/// need.
struct ProjectXMLReader {
    static let maximumBytes = 8 << 20
    static let maximumDepth = 100

    let text: [UInt8]
    var offset = 0
    private var line = 1
    private var column = 1
    private var counted = 0

    private init(_ text: [UInt8]) { self.text = text }

    /// Reads the root element.
    ///
    /// - Throws: the first error or unsupported construct, with its position.
    static func read(_ bytes: some Sequence<UInt8>) throws(ProjectFileError) -> ProjectXMLElement {
        let bytes = Array(bytes)
        guard bytes.count <= maximumBytes else { throw ProjectFileError("the file is larger than 8 MiB") }
        let decoded = JSONEncoding.utf8(bytes)
        guard decoded.isReadable else { throw ProjectFileError("the file is not text in UTF-8 or UTF-16") }
        var reader = ProjectXMLReader(decoded.text)
        return try reader.document()
    }

    private mutating func document() throws(ProjectFileError) -> ProjectXMLElement {
        try skipProlog()
        guard peek == UInt8(ascii: "<") else { throw fault("there is no XML element") }
        let root = try element(depth: 1)
        try skipProlog()
        guard offset == text.count else { throw fault("something follows the end of the document") }
        return root
    }

    /// Skips white space, comments, processing instructions, and a document type without an internal subset.
    private mutating func skipProlog() throws(ProjectFileError) {
        while true {
            skipBlanks()
            if try skipMarkup() { continue }
            guard starts(with: "<!DOCTYPE") else { return }
            while let byte = peek, byte != UInt8(ascii: ">") {
                guard byte != UInt8(ascii: "[") else {
                    throw fault("the document type declares entities of its own, which are not read here")
                }
                offset += 1
            }
            guard offset < text.count else { throw fault("the document type is not closed") }
            offset += 1
        }
    }

    /// Skips a comment or a processing instruction at the current position, if there is one.
    private mutating func skipMarkup() throws(ProjectFileError) -> Bool {
        for (start, end) in [("<!--", "-->"), ("<?", "?>")] where starts(with: start) {
            _ = try take(upTo: end, from: start.utf8.count, "a comment or an instruction is not closed")
            return true
        }
        return false
    }

    private mutating func element(depth: Int) throws(ProjectFileError) -> ProjectXMLElement {
        guard depth <= Self.maximumDepth else { throw fault("elements are nested deeper than \(Self.maximumDepth)") }
        let position = position(at: offset)
        offset += 1
        let name = try name()
        var element = ProjectXMLElement(name: name, attributes: try attributes(), position: position)
        if starts(with: "/>") {
            offset += 2
            return element
        }
        guard peek == UInt8(ascii: ">") else { throw fault("a tag of <\(name)> is not closed") }
        offset += 1
        var content: [UInt8] = []
        while !starts(with: "</") {
            guard let byte = peek else { throw fault("<\(name)> from \(position) is not closed") }
            if starts(with: "<![CDATA[") {
                content += try take(upTo: "]]>", from: 9, "a CDATA section is not closed")
            } else if try skipMarkup() {
                continue
            } else if byte == UInt8(ascii: "<") {
                element.children.append(try self.element(depth: depth + 1))
            } else {
                try character(into: &content)
            }
        }
        offset += 2
        let closing = try self.name()
        guard closing == name else { throw fault("</\(closing)> closes <\(name)> from \(position)") }
        skipBlanks()
        guard peek == UInt8(ascii: ">") else { throw fault("the end tag of <\(name)> is not closed") }
        offset += 1
        element.text = String(decoding: content, as: UTF8.self)
        return element
    }

    private mutating func attributes() throws(ProjectFileError) -> [(name: String, value: String)] {
        var attributes: [(name: String, value: String)] = []
        var names: Set<String> = []
        while true {
            skipBlanks()
            guard let byte = peek, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "/") else { return attributes }
            let name = try name()
            guard names.insert(name).inserted else { throw fault("the attribute \(name) appears twice") }
            skipBlanks()
            guard peek == UInt8(ascii: "=") else { throw fault("the attribute \(name) has no value") }
            offset += 1
            skipBlanks()
            guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw fault("the value of \(name) has no quotes")
            }
            offset += 1
            var value: [UInt8] = []
            while let byte = peek, byte != quote {
                guard byte != UInt8(ascii: "<") else { throw fault("the value of \(name) is not closed") }
                try character(into: &value)
            }
            guard peek == quote else { throw fault("the value of \(name) is not closed") }
            offset += 1
            attributes.append((name, String(decoding: value, as: UTF8.self)))
        }
    }

    /// Appends one byte, or the text of a character reference.
    private mutating func character(into content: inout [UInt8]) throws(ProjectFileError) {
        guard peek == UInt8(ascii: "&") else {
            content.append(text[offset])
            offset += 1
            return
        }
        let end = text[offset...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
        guard let end else { throw fault("an & begins no reference; the sign itself is written &amp;") }
        let name = String(decoding: text[(offset + 1)..<end], as: UTF8.self)
        let scalar: Unicode.Scalar? =
            switch name {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "quot": "\""
            case "apos": "'"
            case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
            default: nil
            }
        guard let scalar, scalar.value != 0 else { throw fault("&\(name); is not known here") }
        offset = end + 1
        content += Array(String(scalar).utf8)
    }

    private mutating func name() throws(ProjectFileError) -> String {
        let start = offset
        while let byte = peek, byte > 0x20, !Array("<>/=\"'&?!".utf8).contains(byte) { offset += 1 }
        guard offset > start, offset - start <= 200 else { throw fault("a name is missing or too long") }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    /// Returns the text between the next `skipped` bytes and `end`. Skips both.
    private mutating func take(
        upTo end: String, from skipped: Int, _ message: String
    ) throws(ProjectFileError) -> ArraySlice<UInt8> {
        let start = offset
        offset += skipped
        let first = offset
        while offset < text.count, !starts(with: end) { offset += 1 }
        guard offset < text.count else {
            offset = start
            throw fault(message)
        }
        defer { offset += end.utf8.count }
        return text[first..<offset]
    }

    private mutating func skipBlanks() {
        while let byte = peek, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { offset += 1 }
    }

    private var peek: UInt8? { offset < text.count ? text[offset] : nil }

    private func starts(with word: String) -> Bool {
        text.count - offset >= word.utf8.count && text[offset...].starts(with: word.utf8)
    }

    private mutating func fault(_ message: String) -> ProjectFileError {
        ProjectFileError(message, at: position(at: min(offset, text.count)))
    }

    /// Offsets must not decrease between calls. All calls together then read each byte once.
    private mutating func position(at place: Int) -> SourcePosition {
        while counted < place {
            if text[counted] == 0x0a {
                (line, column) = (line + 1, 1)
            } else if text[counted] & 0xc0 != 0x80 {
                // A continuation byte of UTF-8 begins with the bits 10.
                column += 1
            }
            counted += 1
        }
        return SourcePosition(line: line, column: column)
    }
}

struct ProjectFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The message: one sentence without a full stop. It may quote the file.
    let message: String
    /// The position, or `nil` for an error of the whole file or in a binary file.
    let position: SourcePosition?

    init(_ message: String, at position: SourcePosition? = nil) { (self.message, self.position) = (message, position) }

    var description: String { position.map { "\($0): \(message)" } ?? message }
}
