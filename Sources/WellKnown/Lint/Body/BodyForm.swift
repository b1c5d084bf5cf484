import SSOShared

/// The kind of content in a body. Most files that "do not work" are another file, for example an HTML page.
enum BodyForm: Sendable, Hashable {
    /// Text that may be JSON.
    case text
    /// No bytes, or white space only.
    case empty
    /// An HTML page, with its title if it has one.
    case html(title: String?)
    /// The text of a symbolic link, deployed as a file.
    case symlink(target: String)
    case rtf
    case signed(SignedForm)
    case lfsPointer
    /// Merge conflict markers. The offset is that of the first marker.
    case mergeConflict(at: Int)
    case frontMatter
    case jsModule
    case gzip

    enum SignedForm: String, Sendable { case der = "DER", pem = "PEM", smime = "S/MIME" }

    /// Detects the form from the first bytes. Conflict markers and a page's title need at most one pass over the body.
    static func of(_ body: [UInt8]) -> BodyForm {
        let text = body.starts(with: [0xef, 0xbb, 0xbf]) ? body.dropFirst(3) : body[...]
        let trimmed = text.drop { $0.isJSONBlank }
        guard !trimmed.isEmpty else { return .empty }
        if body.starts(with: [0x1f, 0x8b]) { return .gzip }
        if SignedMessage.isDER(body) { return .signed(.der) }
        if let form = SignedMessage.textForm(trimmed) { return .signed(form) }
        if trimmed.starts(with: "{\\rtf".utf8) { return .rtf }
        if trimmed.starts(with: "version https://git-lfs.github.com/spec/".utf8) { return .lfsPointer }
        if let marker = conflictMarker(in: body) { return .mergeConflict(at: marker) }
        if isFrontMatter(trimmed) { return .frontMatter }
        if trimmed.first == UInt8(ascii: "<") { return .html(title: title(in: trimmed)) }
        if isModule(trimmed) { return .jsModule }
        if let target = linkTarget(trimmed) { return .symlink(target: target) }
        return .text
    }

    /// The offset of the first conflict marker. No line of valid JSON begins like this.
    private static func conflictMarker(in body: [UInt8]) -> Int? {
        let marker = Array("<<<<<<< ".utf8)
        guard
            let start = body.indices.first(where: { index in
                body[index] == marker[0] && (index == 0 || body[index - 1] == 0x0a || body[index - 1] == 0x0d)
                    && body[index...].starts(with: marker)
            })
        else { return nil }
        return start
    }

    private static func isFrontMatter(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.starts(with: "---".utf8) else { return false }
        let rest = text.dropFirst(3).drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
        return rest.first == 0x0a
    }

    private static func isModule(_ text: ArraySlice<UInt8>) -> Bool {
        let starts = [
            "export ", "module.exports", "exports.", "import ", "const ", "let ", "var ", "window.", "return ",
            "function", "(function", "(()", "\"use strict\"", "'use strict'", "define(",
        ]
        return starts.contains { text.starts(with: $0.utf8) }
    }

    /// The target if the text is one word that looks like a path. JSON literals and numbers lack these characters.
    private static func linkTarget(_ text: ArraySlice<UInt8>) -> String? {
        let line = text.prefix { $0 != 0x0a && $0 != 0x0d }
        guard line.count <= 1024, text.dropFirst(line.count).allSatisfy(\.isJSONBlank) else { return nil }
        guard line.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._/~@+".utf8.contains($0) }) else {
            return nil
        }
        let target = String(decoding: line, as: UTF8.self)
        let isPath = target.contains("/") || AssociationKind.guess(fileName: target) != nil
        return isPath ? target : nil
    }

    /// The first `title` element, or `Code` in an XML error document, by which operators recognize the page.
    private static func title(in text: ArraySlice<UInt8>) -> String? {
        let head = text.prefix(65_536)
        for name in ["title", "Code"] {
            if let content = element(name, in: head) { return content }
        }
        return nil
    }

    private static func element(_ name: String, in text: ArraySlice<UInt8>) -> String? {
        let open = Array("<\(name)".lowercased().utf8)
        var index = text.startIndex
        while let start = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            let tag = text[start...].prefix(open.count).map { $0 | ($0.isASCIIUpper ? 0x20 : 0) }
            index = start + 1
            guard tag == open, let end = text[start...].firstIndex(of: UInt8(ascii: ">")) else { continue }
            let content = text[(end + 1)...].prefix { $0 != UInt8(ascii: "<") }.prefix(200)
            let words = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            return words.isEmpty ? nil : words.joined(separator: " ")
        }
        return nil
    }
}

extension UInt8 {
    /// White space as defined in RFC 8259 section 2.
    var isJSONBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0a || self == 0x0d }
}
