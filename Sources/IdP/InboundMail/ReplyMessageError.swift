/// Why a message is not a reply that proves a mailbox. The raw values are stable: the log event `reply_ignored` has them
/// as its `reason`, and docs/events.md lists them.
///
/// In the order of the checks, which is the order of the cases: the structure of the message, its recipient, its sender,
/// the proof that the sender sent it, whether a program wrote it, and its text.
package enum ReplyMessageError: String, Error, Sendable, Equatable, CaseIterable {
    /// Longer than ``InboundMailLimits/messageBytes``, or a text that is longer than four times that in UTF-8.
    case tooLarge = "too_large"
    /// Contains a NUL byte.
    case nulByte = "nul_byte"
    /// A CR without LF, or lines that end in CRLF beside lines that end in LF. Two programs would see different lines
    /// (CVE-2023-51764).
    case lineEnds = "line_ends"
    /// No header fields, a line of the header that is no field, a control character in it, or a folded line of spaces.
    case headerMalformed = "header_malformed"
    /// A header field longer than ``InboundMailLimits/fieldBytes``.
    case headerFieldTooLong = "header_field_too_long"
    /// A header longer than ``InboundMailLimits/headerBytes``.
    case headerTooLong = "header_too_long"
    /// More header fields than ``InboundMailLimits/fields``.
    case tooManyHeaderFields = "too_many_header_fields"
    /// A header that is neither ASCII nor UTF-8 (RFC 6532).
    case headerNotUTF8 = "header_not_utf8"
    /// Two fields of a kind that occurs once, such as Subject or Content-Type. Programs differ in which one they read.
    case headerRepeated = "header_repeated"

    /// No address of the form `login+RANDOM@` with our domain.
    case noRecipient = "no_recipient"
    /// More than one such address.
    case severalRecipients = "several_recipients"

    /// No From field.
    case noFrom = "no_from"
    /// More than one From field.
    case severalFrom = "several_from"
    /// A From field with more than one address.
    case fromList = "from_list"
    /// A From field with a group (RFC 5322 3.4), or with a colon or semicolon outside quotation marks.
    case fromGroup = "from_group"
    /// A From field with a comment within the address, or with one that could be read as an address or a list.
    case fromComment = "from_comment"
    /// A From field without exactly one plain address: none, another one, a route, a quoted or encoded local part.
    case fromMalformed = "from_malformed"

    /// No Authentication-Results field: the mail server checked nothing, or its name for itself is missing.
    case noAuthentication = "no_authentication"
    /// The topmost Authentication-Results field is another server's.
    case otherAuthservID = "other_authserv_id"
    /// The topmost Authentication-Results field does not follow RFC 8601.
    case authenticationMalformed = "authentication_malformed"
    /// Neither DKIM nor SPF passed.
    case notAuthenticated = "not_authenticated"
    /// DKIM or SPF passed for another domain than that of From.
    case notAligned = "not_aligned"
    /// DKIM passed, but a signature of the domain leaves From, Subject, Date or the end of the text unsigned.
    case signatureIncomplete = "signature_incomplete"

    /// Auto-Submitted is there and not `no` (RFC 3834).
    case autoSubmitted = "auto_submitted"
    /// Precedence is `bulk`, `junk`, `list` or `auto_reply`.
    case precedence = "precedence"
    /// A field that only vacation programs write, such as X-Autoreply, unless its value is negative.
    case autoReply = "auto_reply"
    /// A field of a mailing list (RFC 2369, RFC 2919).
    case mailingList = "mailing_list"
    /// The empty return path of a bounce (RFC 5321 4.5.5).
    case nullReturnPath = "null_return_path"
    /// A delivery report or another message as the content (`multipart/report`, `message/…`).
    case report = "report"
    /// No Message-ID. Every mail program writes one.
    case noMessageID = "no_message_id"

    /// Two different character sets or boundaries, a multipart without its boundary or end, a broken header of a part, or
    /// without MIME-Version a Content-Type that cannot be read.
    case mimeMalformed = "mime_malformed"
    /// Parts nested deeper than ``InboundMailLimits/depth``.
    case tooDeep = "too_deep"
    /// More parts than ``InboundMailLimits/parts``.
    case tooManyParts = "too_many_parts"
    /// No text in plain or HTML form: an attachment alone, or an encrypted message.
    case noText = "no_text"
    /// A transfer encoding that is unknown, base64 with errors, or without MIME-Version a text without a number in the lines that
    /// quoted-printable has without errors.
    case transferEncoding = "transfer_encoding"
    /// A character set that iconv of this system does not know, or text with a NUL.
    case charset = "charset"
    /// No number of four digits in what the user wrote.
    case noNumber = "no_number"
    /// Different numbers of four digits in the same line.
    case severalNumbers = "several_numbers"
}

/// The bounds of a message. All work on it is linear in its size times ``depth``.
package enum InboundMailLimits {
    package static let messageBytes = 256 * 1024
    static let headerBytes = 64 * 1024
    /// One field with all its lines. Microsoft's spam filters write fields of a few thousand bytes.
    static let fieldBytes = 16 * 1024
    static let fields = 300
    /// Multiparts within each other.
    static let depth = 5
    static let parts = 100
}
