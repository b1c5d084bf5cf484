import Foundation

/// Reads a signed file: CMS (RFC 5652, formerly PKCS#7) as DER, as PEM, or as an S/MIME message (RFC 8551).
///
/// iOS 8 required signing for services other than universal links. Signing is deprecated since 2019. The signature is
/// not verified, because the content is only shown and linted.
enum SignedMessage {
    /// OID 1.2.840.113549.1.7.2, signedData (RFC 5652 section 5.1).
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]

    static func isDER(_ body: [UInt8]) -> Bool {
        guard body.first == 0x30 else { return false }
        // The outer tag and a length of one to five bytes come before it.
        return (2...6).contains { body.dropFirst($0).starts(with: signedData) }
    }

    static func textForm(_ text: ArraySlice<UInt8>) -> BodyForm.SignedForm? {
        if text.starts(with: "-----BEGIN ".utf8) { return .pem }
        let head = String(decoding: text.prefix(4096), as: UTF8.self).lowercased()
        guard head.hasPrefix("mime-version:") || head.hasPrefix("content-") else { return nil }
        return head.contains("pkcs7-mime") || head.contains("multipart/signed") ? .smime : nil
    }

    /// The signed bytes. `nil` if the message is detached or cannot be parsed.
    static func content(of body: [UInt8], _ form: BodyForm.SignedForm) -> [UInt8]? {
        switch form {
        case .der: CMSContent.find(in: body)
        case .pem: armored(body).flatMap(CMSContent.find)
        case .smime: letter(body)
        }
    }

    /// Decodes PEM: base64 between two lines of dashes (RFC 7468).
    private static func armored(_ body: [UInt8]) -> [UInt8]? {
        let lines = body.split { $0 == 0x0a || $0 == 0x0d }
        guard let begin = lines.firstIndex(where: { $0.starts(with: "-----BEGIN ".utf8) }) else { return nil }
        let inner = lines[(begin + 1)...].prefix { !$0.starts(with: "-----".utf8) }
        return base64(inner)
    }

    private static func base64(_ lines: some Sequence<ArraySlice<UInt8>>) -> [UInt8]? {
        Data(base64Encoded: Data(lines.joined()), options: .ignoreUnknownCharacters).map(Array.init)
    }

    /// Decodes S/MIME: one base64 part, or two parts of which the first is the plain content.
    private static func letter(_ body: [UInt8]) -> [UInt8]? {
        let lines = body.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
            line.last == 0x0d ? line.dropLast() : line
        }
        guard let blank = lines.firstIndex(where: \.isEmpty) else { return nil }
        let head = lines[..<blank].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        let rest = lines[(blank + 1)...]
        guard head.lowercased().contains("multipart/signed") else { return base64(rest).flatMap(CMSContent.find) }
        guard let boundary = parameter("boundary", of: head) else { return nil }
        let border = Array("--\(boundary)".utf8)
        guard let first = rest.firstIndex(where: { $0.elementsEqual(border) }) else { return nil }
        let part = rest[(first + 1)...].prefix { !$0.starts(with: border) }
        // The header lines of a part end with an empty line. JSON does not begin with a header name and a colon.
        let hasHeader = part.first?.starts(with: "Content-".utf8) == true
        let content = hasHeader ? part.drop { !$0.isEmpty } : part
        return Array(content.drop(while: \.isEmpty).joined(separator: [0x0a]))
    }

    private static func parameter(_ name: String, of head: String) -> String? {
        guard let start = head.range(of: name + "=", options: .caseInsensitive)?.upperBound else { return nil }
        let rest = head[start...]
        if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
        let value = String(rest.prefix { $0 != ";" && !$0.isWhitespace })
        return value.isEmpty ? nil : value
    }
}

/// Finds the content in a CMS SignedData (RFC 5652 section 5.1) in its BER encoding. It does no cryptography, and its
/// recursion is no deeper than the structure.
struct CMSContent {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// `eContent` of `encapContentInfo`. `nil` if the content is detached or the structure is a different one.
    static func find(in body: [UInt8]) -> [UInt8]? {
        // ContentInfo: SEQUENCE { OID, [0] SEQUENCE { version, algorithms, SEQUENCE { OID, [0] OCTET STRING } … } }
        guard let info = CMSContent(body[...]).only(0x30),
            let explicit = CMSContent(info).after(1, 0xa0),
            let signedData = CMSContent(explicit).only(0x30),
            let encapsulated = CMSContent(signedData).after(2, 0x30),
            let content = CMSContent(encapsulated).after(1, 0xa0)
        else { return nil }
        var walk = CMSContent(content)
        guard let element = walk.next() else { return nil }
        switch element.tag {
        case 0x04: return Array(element.content)
        case 0x24: return chunks(element.content)
        default: return nil
        }
    }

    /// Joins the parts of an OCTET STRING. BER allows several parts, and OpenSSL writes them when it streams.
    private static func chunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var walk = CMSContent(bytes)
        var content: [UInt8] = []
        while let piece = walk.next(), piece.tag == 0x04 { content += piece.content }
        return content
    }

    private func only(_ tag: UInt8) -> ArraySlice<UInt8>? { after(0, tag) }

    /// The content of the element after `count` other elements, if it has that tag.
    private func after(_ count: Int, _ tag: UInt8) -> ArraySlice<UInt8>? {
        var walk = self
        for _ in 0..<count where walk.next() == nil { return nil }
        guard let element = walk.next(), element.tag == tag else { return nil }
        return element.content
    }

    private mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = byte(), let first = byte() else { return nil }
        if first == 0x80 {
            // With an indefinite length the end is unknown, but the wanted element is at the front.
            let content = bytes[index...]
            guard let end = Self.end(ofIndefinite: content) else { return nil }
            index = end.next
            return (tag, content[..<end.content])
        }
        guard let length = length(first), length <= bytes.endIndex - index else { return nil }
        let content = bytes[index..<index + length]
        index += length
        return (tag, content)
    }

    /// The end of an element of indefinite length: two zero bytes at its own nesting level. The search takes one pass
    /// and counts the levels.
    private static func end(ofIndefinite content: ArraySlice<UInt8>) -> (content: Int, next: Int)? {
        var walk = CMSContent(content)
        var open = 1
        while let tag = walk.byte(), let first = walk.byte() {
            if tag == 0, first == 0 {
                open -= 1
                if open == 0 { return (walk.index - 2, walk.index) }
            } else if first == 0x80 {
                open += 1
            } else {
                guard let length = walk.length(first), length <= content.endIndex - walk.index else { return nil }
                walk.index += length
            }
        }
        return nil
    }

    private mutating func byte() -> UInt8? {
        guard index < bytes.endIndex else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads a length (X.690 section 8.1.3). Four bytes are enough for every body.
    private mutating func length(_ first: UInt8) -> Int? {
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7f)
        guard (1...4).contains(count) else { return nil }
        var length = 0
        for _ in 0..<count {
            guard let next = byte() else { return nil }
            length = length << 8 | Int(next)
        }
        return length
    }
}
