import SSOShared

/// The text that the author of a message wrote, with what is quoted below it.
enum MessageText {
    /// UTF-8 with lines that end in LF.
    ///
    /// In a message that says that it is MIME, U+FFFD stands for damage. Otherwise no standard says what it means (RFC 2045 4),
    /// and ``TransferEncoding/mark`` stays for it.
    static func text(of message: InboundMessage) throws(ReplyMessageError) -> [UInt8] {
        guard let part = try MessagePart.text(of: message) else { throw .noText }
        let decoded = try part.encoding.decode(part.body, damage: part.isMIME ? .repaired : .marked)
        guard let charset = Charset(part.charset) else { throw .charset }
        var text = try charset.utf8(decoded)
        guard !text.contains(0) else { throw .charset }
        if part.isMIME, part.encoding == .quotedPrintable {
            let pieces = text.split(separator: TransferEncoding.mark, omittingEmptySubsequences: false)
            text = Array(pieces.joined(separator: "\u{fffd}".utf8))
        }
        // Line ends may be encoded too (`=0D=0A`).
        let lines = try LineEnds.normalized(text[...])
        return part.isHTML ? HTMLText.text(of: lines) : lines
    }
}
