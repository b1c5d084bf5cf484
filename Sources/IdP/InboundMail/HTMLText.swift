import SSOShared

/// The text of an HTML email up to its first quotation.
///
/// Not a browser: markup that it does not understand gives no text. A missing number is safe, because the user can reply
/// again. A number that the author did not write must not be found.
struct HTMLText {
    private let html: [UInt8]
    private var position = 0
    private var text: [UInt8] = []
    private var preformatted = 0

    /// - Parameter html: UTF-8 with lines that end in LF.
    static func text(of html: [UInt8]) -> [UInt8] {
        var reader = HTMLText(html: html)
        reader.read()
        return reader.text
    }

    private init(html: [UInt8]) { self.html = html }

    /// Elements whose content is no text.
    private static let hidden = ["script", "style", "head", "title", "template", "textarea", "select", "noscript"]
    /// Elements that begin a line.
    private static let blocks: Set<String> = [
        "address", "article", "br", "center", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "li", "main", "ol", "p", "pre", "section", "table", "tbody", "tr", "ul",
    ]
    /// Classes, ids and names of the elements in which mail programs put what they quote: Gmail, Outlook, Outlook on the
    /// web, Thunderbird, Yahoo, Proton, Zoho.
    private static let quotations: [StaticString] = [
        "gmail_quote", "gmail_extra", "gmail_attr", "divrplyfwdmsg", "appendonsend", "outlookmessageheader",
        "mail-editor-reference-message", "moz-cite-prefix", "moz-forward-container", "yahoo_quoted", "protonmail_quote",
        "zmail_extra", "name=\"quote\"", "ms-outlook-mobile-reference-message",
    ]

    private mutating func read() {
        while position < html.count {
            let byte = html[position]
            switch byte {
            case UInt8(ascii: "<"):
                guard markup() else { return }
            case UInt8(ascii: "&"): entity()
            case 0x0a where preformatted == 0:
                text.append(0x20)
                position += 1
            default:
                text.append(byte)
                position += 1
            }
        }
    }

    /// Reads a tag or a comment. Returns false where the author's text ends.
    private mutating func markup() -> Bool {
        let rest = html[position...]
        if rest.starts(with: "<!--".utf8) { return skip(past: "-->", from: position + 4) }
        guard let following = rest.dropFirst().first else { return false }
        if following == UInt8(ascii: "!") || following == UInt8(ascii: "?") { return skip(past: ">", from: position) }
        let isClosing = following == UInt8(ascii: "/")
        let start = position + (isClosing ? 2 : 1)
        guard start < html.count, html[start].isASCIILetter else {
            // `a < b`
            text.append(UInt8(ascii: "<"))
            position += 1
            return true
        }
        guard let end = endOfTag(from: start) else { return false }
        let tag = html[start..<end].map(\.asciiLowercased)[...]
        position = end + 1
        let name = tag.prefix { $0.isASCIILetter || $0.isASCIIDigit }.lowercasedText
        if isClosing {
            close(name)
            return true
        }
        return open(name, tag)
    }

    private mutating func open(_ name: String, _ tag: ArraySlice<UInt8>) -> Bool {
        if name == "blockquote" || name == "hr" || Self.quotations.contains(where: tag.contains) { return false }
        if Self.hidden.contains(name) { return skipContent(of: name) }
        if name == "pre" { preformatted += 1 }
        separate(name)
        return true
    }

    private mutating func close(_ name: String) {
        if name == "pre", preformatted > 0 { preformatted -= 1 }
        separate(name)
    }

    private mutating func separate(_ name: String) {
        if Self.blocks.contains(name) { text.append(0x0a) }
        // Two cells are two words, and not the groups of one number.
        if name == "td" || name == "th" { text.append(0x09) }
    }

    /// Where the `>` of a tag is. One within quotation marks does not end it.
    private func endOfTag(from start: Int) -> Int? {
        var quote: UInt8?
        var index = start
        while index < html.count {
            let byte = html[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return index
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            index += 1
        }
        return nil
    }

    private mutating func skip(past mark: StaticString, from start: Int) -> Bool {
        guard start <= html.count, let end = html[start...].end(of: mark) else { return false }
        position = end
        return true
    }

    /// Skips to behind `</name`, in any case. Nothing follows an element without its end.
    private mutating func skipContent(of name: String) -> Bool {
        let closing = Array("</\(name)".utf8)
        while let start = html[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start
            if html[start...].prefix(closing.count).map(\.asciiLowercased) == closing {
                return skip(past: ">", from: start)
            }
            position += 1
        }
        return false
    }

    private static let entities: [String: [UInt8]] = [
        "nbsp": [0x20], "amp": Array("&".utf8), "lt": Array("<".utf8), "gt": Array(">".utf8),
        "quot": Array("\"".utf8), "apos": Array("'".utf8),
    ]

    /// `&amp;`, `&#52;` and `&#x34;`. Anything else stays as it is written.
    private mutating func entity() {
        let name = html[(position + 1)...].prefix(9).prefix {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "#")
        }
        let end = position + 1 + name.count
        guard end < html.count, html[end] == UInt8(ascii: ";"), let decoded = Self.decode(name) else {
            text.append(UInt8(ascii: "&"))
            position += 1
            return
        }
        text += decoded
        position = end + 1
    }

    private static func decode(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        let word = name.lowercasedText
        if let text = entities[word] { return text }
        guard word.utf8.first == UInt8(ascii: "#") else { return nil }
        let digits = word.utf8.dropFirst()
        let number =
            digits.first == UInt8(ascii: "x")
            ? UInt32(String(digits.dropFirst()) ?? "", radix: 16) : UInt32(String(digits) ?? "")
        guard let number, number >= 0x20, let scalar = Unicode.Scalar(number) else { return nil }
        return Array(String(scalar).utf8)
    }
}

extension ArraySlice<UInt8> {
    /// The index after the first occurrence of the text.
    func end(of text: StaticString) -> Int? {
        text.withUTF8Buffer { needle in
            guard let first = needle.first else { return startIndex }
            var position = startIndex
            while let start = self[position...].firstIndex(of: first) {
                if self[start...].starts(with: needle) { return start + needle.count }
                position = start + 1
            }
            return nil
        }
    }

    /// Whether the text occurs, byte for byte.
    func contains(_ text: StaticString) -> Bool { end(of: text) != nil }
}
