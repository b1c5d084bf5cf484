import SSOShared

/// A message or a part of one (RFC 2045, RFC 2046).
struct MessagePart {
    /// In lower case: `text/plain`.
    let type: String
    let charset: [UInt8]?
    let encoding: TransferEncoding
    /// Whether the message says that it is MIME. Only then a Content-Type that cannot be read is text (RFC 2045 5.2).
    let isMIME: Bool
    let body: ArraySlice<UInt8>
    /// Shown apart from the text: its disposition is `attachment`, or it has the name of a file.
    private let isAttachment: Bool
    private let boundaries: Set<[UInt8]>

    var isHTML: Bool { type == "text/html" || type.hasPrefix("text/") && type.hasSuffix("-html") }

    /// Multiparts whose parts are no text of the author. All others, also unknown ones, are read as `multipart/mixed` (RFC 2046
    /// 5.1.3).
    private static let closed = [
        "multipart/encrypted", "multipart/digest", "multipart/report", "multipart/form-data", "multipart/byteranges",
    ]
    /// Texts by programs for programs. All others, also unknown ones, are plain text or HTML (RFC 2046 4.1.4).
    private static let records = [
        "text/calendar", "text/x-vcalendar", "text/vcard", "text/x-vcard", "text/directory", "text/css",
        "text/rfc822-headers",
    ]

    /// The part that the author wrote, or nil: in a multipart the first part with text, of alternatives the plain one.
    ///
    /// What follows it is not read, apart from the lines that divide the parts.
    static func text(of message: InboundMessage) throws(ReplyMessageError) -> MessagePart? {
        var count = 0
        let isMIME = !message.values("mime-version").isEmpty
        return try MessagePart(message.fields, message.body, isMIME).text(depth: 0, count: &count)
    }

    private init(
        _ fields: [HeaderField], _ body: ArraySlice<UInt8>, _ isMIME: Bool
    ) throws(ReplyMessageError) {
        for name in ["content-type", "content-disposition"] {
            guard fields.values(name).count < 2 else { throw .mimeMalformed }
        }
        // An empty field says nothing.
        let content = fields.values("content-type").first { !$0.trimmed.isEmpty }.map(ParameterizedValue.init)
        type = try content.map { value throws(ReplyMessageError) in try Self.type(value, isMIME) } ?? "text/plain"
        // Nothing else of a picture or another file is needed.
        let isRead = type.hasPrefix("text/") || type.hasPrefix("multipart/")
        charset = try content.flatMap { value throws(ReplyMessageError) in
            isRead ? try Self.charset(value, isMIME) : nil
        }
        let encoding = TransferEncoding(fields.values("content-transfer-encoding"))
        guard encoding != nil || !isRead else { throw .mimeMalformed }
        self.encoding = encoding ?? .unknown
        let disposition = fields.values("content-disposition").first { !$0.trimmed.isEmpty }.map(
            ParameterizedValue.init)
        isAttachment = Self.isAttachment(content, disposition)
        boundaries = Set(content?.values("boundary") ?? []).subtracting([[]])
        self.isMIME = isMIME
        self.body = body
    }

    private static func type(_ content: ParameterizedValue, _ isMIME: Bool) throws(ReplyMessageError) -> String {
        let halves = content.value.split(separator: "/", omittingEmptySubsequences: false)
        let isReadable = halves.count == 2 && !halves.contains("")
        let saysNothing = ["charset", "boundary"].contains {
            content.bareWords.contains($0) && content.values($0).isEmpty
        }
        guard isMIME || (isReadable && !saysNothing) else { throw .mimeMalformed }
        if isReadable { return content.value }
        return halves.first == "multipart" ? "multipart/mixed" : "text/plain"
    }

    /// The one character set that the field names, whatever its spelling.
    private static func charset(
        _ content: ParameterizedValue, _ isMIME: Bool
    ) throws(ReplyMessageError) -> [UInt8]? {
        let names = content.values("charset")
        let said = names.filter { !Charset.label($0).isEmpty }
        guard Set(said.map(Charset.label)).count < 2 || Set(said.map { Charset($0) }).count < 2 else {
            throw .mimeMalformed
        }
        return said.first ?? (isMIME ? nil : names.first)
    }

    private static func isAttachment(_ content: ParameterizedValue?, _ disposition: ParameterizedValue?) -> Bool {
        if content?.has("name") == true || disposition?.has("filename") == true { return true }
        // A disposition that cannot be read is no reason to show the part as text.
        return disposition.map { $0.value != "inline" } ?? false
    }

    /// What the preferred alternative is: plain text, then HTML, then text of unknown kind.
    private var rank: Int { type == "text/plain" ? 0 : isHTML ? 1 : 2 }

    private func text(depth: Int, count: inout Int) throws(ReplyMessageError) -> MessagePart? {
        guard type.hasPrefix("multipart/") else {
            return type.hasPrefix("text/") && !Self.records.contains(type) && !isAttachment ? self : nil
        }
        guard !Self.closed.contains(type) else { return nil }
        guard encoding == .identity else { throw .transferEncoding }
        guard depth < InboundMailLimits.depth else { throw .tooDeep }
        guard let boundary = boundaries.first, boundaries.count == 1, boundary.count <= 70 else { throw .mimeMalformed }
        let (parts, isEnded) = try Self.divide(body, boundary: boundary, count: &count)
        var found: MessagePart?
        for part in parts {
            do throws(ReplyMessageError) {
                let text = try Self.part(part, isMIME).text(depth: depth + 1, count: &count)
                if let text, found.map({ text.rank < $0.rank }) ?? true { found = text }
            } catch {
                // A part after the one that is needed need not be readable.
                guard found != nil else { throw error }
            }
            // The second part of `signed` is the signature (RFC 1847).
            if type == "multipart/signed" { return found }
            if let found, type != "multipart/alternative" || found.rank == 0 { return found }
        }
        guard isEnded || found != nil else { throw .mimeMalformed }
        return found
    }

    private static func part(_ bytes: ArraySlice<UInt8>, _ isMIME: Bool) throws(ReplyMessageError) -> MessagePart {
        guard let section = try? HeaderSection(bytes) else { throw .mimeMalformed }
        return try MessagePart(section.fields, section.body, isMIME)
    }

    /// The parts between the lines `--boundary` (RFC 2046 5.1.1), and whether the last has its end. What is before the first
    /// and after the last is not content.
    private static func divide(
        _ body: ArraySlice<UInt8>, boundary: [UInt8], count: inout Int
    ) throws(ReplyMessageError) -> (parts: [ArraySlice<UInt8>], isEnded: Bool) {
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
                        return (parts, true)
                    }
                    count += 1
                    guard count <= InboundMailLimits.parts else { throw .tooManyParts }
                    start = following
                }
            }
            position = following
        }
        return (parts, false)
    }
}
