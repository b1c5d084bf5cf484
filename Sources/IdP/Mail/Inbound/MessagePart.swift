import SSOShared

/// A message or a part of one, with the parts within it (RFC 2045, RFC 2046).
struct MessagePart {
    /// In lower case: `text/plain`.
    let type: String
    let charset: [UInt8]?
    let encoding: TransferEncoding
    /// Shown apart from the text: its disposition is `attachment`, or it has the name of a file.
    let isAttachment: Bool
    let body: ArraySlice<UInt8>
    /// Empty unless the type is one of ``containers``.
    let parts: [MessagePart]

    /// The multiparts whose parts are text of the author. Others are not looked into: `multipart/encrypted`,
    /// `multipart/digest`, and the messages in `message/rfc822`.
    private static let containers = [
        "multipart/alternative", "multipart/mixed", "multipart/related", "multipart/signed",
    ]

    static func tree(_ message: InboundMessage) throws(ReplyMessageError) -> MessagePart {
        var count = 0
        return try MessagePart(message.fields, message.body, depth: 0, count: &count)
    }

    /// The part that the author wrote, or nil: in a multipart the first part with text, of alternatives the plain one.
    var text: MessagePart? {
        switch type {
        case "text/plain", "text/html": return isAttachment ? nil : self
        case "multipart/alternative":
            let texts = parts.compactMap(\.text)
            return texts.first { $0.type == "text/plain" } ?? texts.first
        // The second part is the signature (RFC 1847).
        case "multipart/signed": return parts.first?.text
        default: return parts.lazy.compactMap(\.text).first
        }
    }

    private init(
        _ fields: [HeaderField], _ body: ArraySlice<UInt8>, depth: Int, count: inout Int
    ) throws(ReplyMessageError) {
        for name in ["content-type", "content-disposition"] {
            guard fields.values(name).count < 2 else { throw .mimeMalformed }
        }
        var content: ParameterizedValue?
        if let field = fields.values("content-type").first {
            content = ParameterizedValue(field)
            guard content?.value.utf8.contains(UInt8(ascii: "/")) == true else { throw .mimeMalformed }
        }
        let disposition = fields.values("content-disposition").first.map(ParameterizedValue.init)
        type = content?.value ?? "text/plain"
        charset = content?.parameters["charset"]
        guard let encoding = TransferEncoding(fields.values("content-transfer-encoding")) else { throw .mimeMalformed }
        self.encoding = encoding
        isAttachment = Self.isAttachment(content, disposition)
        self.body = body
        guard Self.containers.contains(type) else {
            parts = []
            return
        }
        guard encoding == .identity else { throw .transferEncoding }
        guard depth < InboundMailLimits.depth else { throw .tooDeep }
        guard let boundary = content?.parameters["boundary"], (1...70).contains(boundary.count) else {
            throw .mimeMalformed
        }
        var parts: [MessagePart] = []
        for part in try Self.divide(body, boundary: boundary, count: &count) {
            parts.append(try Self.part(part, depth: depth + 1, count: &count))
        }
        self.parts = parts
    }

    private static func part(
        _ bytes: ArraySlice<UInt8>, depth: Int, count: inout Int
    ) throws(ReplyMessageError) -> MessagePart {
        guard let section = try? HeaderSection(bytes) else { throw .mimeMalformed }
        return try MessagePart(section.fields, section.body, depth: depth, count: &count)
    }

    private static func isAttachment(_ content: ParameterizedValue?, _ disposition: ParameterizedValue??) -> Bool {
        let named = content?.parameters.keys.contains { $0 == "name" || $0.utf8.starts(with: "name*".utf8) } ?? false
        guard let disposition else { return named }
        // A disposition that cannot be read is no reason to show the part as text.
        guard let disposition, disposition.value == "inline" else { return true }
        return named || disposition.parameters.keys.contains { $0.utf8.starts(with: "filename".utf8) }
    }

    /// The parts between the lines `--boundary` (RFC 2046 5.1.1). What is before the first and after the last is not
    /// content.
    private static func divide(
        _ body: ArraySlice<UInt8>, boundary: [UInt8], count: inout Int
    ) throws(ReplyMessageError) -> [ArraySlice<UInt8>] {
        let delimiter = Array("--".utf8) + boundary
        var parts: [ArraySlice<UInt8>] = []
        var (start, position): (Int?, Int) = (nil, body.startIndex)
        while position < body.endIndex {
            let end = body[position...].firstIndex(of: 0x0a) ?? body.endIndex
            let line = body[position..<end]
            let following = min(end + 1, body.endIndex)
            if line.starts(with: delimiter) {
                let rest = line.dropFirst(delimiter.count)
                let isLast = rest.starts(with: "--".utf8)
                if (isLast ? rest.dropFirst(2) : rest).allSatisfy(\.isBlank) {
                    // The line end before a delimiter belongs to the delimiter.
                    if let start { parts.append(body[start..<max(start, position - 1)]) }
                    if isLast {
                        guard start != nil else { throw .mimeMalformed }
                        return parts
                    }
                    count += 1
                    guard count <= InboundMailLimits.parts else { throw .tooManyParts }
                    start = following
                }
            }
            position = following
        }
        throw .mimeMalformed
    }
}
