import SSOShared

/// The text that the author of a message wrote, with what is quoted below it.
enum MessageText {
    /// UTF-8 with lines that end in LF.
    static func text(of message: InboundMessage) throws(ReplyMessageError) -> [UInt8] {
        guard let part = try MessagePart.tree(message).text else { throw .noText }
        let decoded = try part.encoding.decode(part.body)
        guard let charset = Charset(part.charset) else { throw .charset }
        let text = try charset.utf8(decoded)
        guard !text.contains(0) else { throw .charset }
        // Line ends may be encoded too (`=0D=0A`).
        let lines = try LineEnds.normalized(text[...])
        return part.type == "text/html" ? HTMLText.text(of: lines) : lines
    }
}
