package import SSOShared

/// What an accepted reply says. Whether it answers a challenge is the caller's question.
package struct InboundReply: Sendable, Equatable {
    /// The 32 bytes of the one-time address that the reply was sent to.
    package let key: [UInt8]
    /// The address in From, whose domain the mail server has authenticated.
    package let sender: EmailAddress
    /// Four ASCII digits, leading zeros kept.
    package let number: String
}

/// Reads raw messages (RFC 5322) that answer the email of a sign-in.
///
/// A message proves something only if every check passes, so the first doubt rejects it. All checks look at bytes:
/// `"\r\n"` is one `Character`, and `String` compares by canonical equivalence.
package struct InboundMailReader: Sendable {
    /// The domain of reply addresses, in lower case.
    let domain: String
    /// The name under which the mail server of this deployment writes Authentication-Results.
    let authservID: String

    /// - Parameters:
    ///   - domain: the domain of reply addresses.
    ///   - authservID: the authserv-id of the mail server that checked the message (RFC 8601 2.5). That server must
    ///     remove fields with this id from messages of others (RFC 8601 5).
    package init(domain: String, authservID: String) {
        self.domain = String(decoding: domain.utf8.map(\.asciiLowercased), as: UTF8.self)
        self.authservID = authservID
    }

    /// The usual character sets that iconv of this machine cannot read: replies in them are ignored.
    package static var missingCharsets: [String] { missingCharsets(Charset.isKnown) }

    static func missingCharsets(_ isKnown: (String) -> Bool) -> [String] {
        ["iso-8859-2", "windows-1251", "koi8-r", "iso-2022-jp", "gb18030", "big5", "euc-kr"].filter { !isKnown($0) }
    }

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - bytes: the message, its lines ended by CRLF or by LF. A first line `From …` of a pipe transport is skipped.
    ///   - recipient: the recipient of the envelope if the mail server passes it on. Without it the header decides.
    package func read(_ bytes: [UInt8], recipient: String?) throws(ReplyMessageError) -> InboundReply {
        try open(bytes, recipient: recipient).reply.get()
    }

    /// Reads a message. Of one that is refused later than its recipient, the recipient is known, too.
    package func open(
        _ bytes: [UInt8], recipient: String?
    ) throws(ReplyMessageError) -> (key: [UInt8], reply: Result<InboundReply, ReplyMessageError>) {
        let message = try InboundMessage(bytes)
        let key = try recipientKey(message, envelope: recipient)
        do throws(ReplyMessageError) { return (key, .success(try reply(message, key))) } catch {
            return (key, .failure(error))
        }
    }

    private func reply(_ message: InboundMessage, _ key: [UInt8]) throws(ReplyMessageError) -> InboundReply {
        let sender = try FromField.sender(message)
        try SenderAuthentication(authservID: authservID, sender: sender).check(message)
        try AutomaticMail.check(message)
        let lines = ReplyText.newLines(try MessageText.text(of: message))
        return InboundReply(key: key, sender: sender, number: try number(in: lines))
    }

    /// The number of the lines without damage.
    private func number(in lines: [ArraySlice<UInt8>]) throws(ReplyMessageError) -> String {
        let sound = lines.filter { !$0.contains(TransferEncoding.mark) }
        do throws(ReplyMessageError) { return try ReplyNumber.find(in: sound) } catch {
            throw error == .noNumber && sound.count < lines.count ? .transferEncoding : error
        }
    }

    private func recipientKey(_ message: InboundMessage, envelope: String?) throws(ReplyMessageError) -> [UInt8] {
        if let envelope {
            guard let key = ReplyAddress.key(of: Array(envelope.utf8), domain: domain) else { throw .noRecipient }
            return key
        }
        var keys: Set<[UInt8]> = []
        for field in message.fields where ["delivered-to", "x-original-to", "to", "cc"].contains(field.name) {
            for address in AddressList.addresses(field.value) {
                if let key = ReplyAddress.key(of: address, domain: domain) { keys.insert(key) }
            }
        }
        guard let key = keys.first else { throw .noRecipient }
        guard keys.count == 1 else { throw .severalRecipients }
        return key
    }
}
