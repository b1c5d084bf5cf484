import IdPClients
import IdPInboundMail
package import Logging
package import SSOShared
package import SSOWeb

/// Receives answers to the email, however they arrive: raw messages from a mail server's pipe or over HTTP.
///
/// An accepted answer signs nobody in. It notes in the challenge that the owner of the mailbox has answered, and the
/// browser that asked signs in by itself.
package struct ReplyReceiver: Sendable {
    let reader: ReplyReader
    let challenges: ChallengeStore
    let guesses: GuessStore
    let addresses: AuditAddressKeys

    package init(_ settings: InboundMailSettings, keys: DerivedKeys, challenges: ChallengeStore, guesses: GuessStore) {
        reader = ReplyReader(settings, keys: keys)
        (self.challenges, self.guesses) = (challenges, guesses)
        addresses = AuditAddressKeys(keys)
    }

    package enum Outcome: Sendable, Equatable {
        case accepted
        /// The message changes nothing, and sending it again would not help. The reason is a stable word for the log.
        case ignored(reason: String)
    }

    /// Why an answer that ``InboundMailReader`` has read is ignored all the same. The raw values are stable.
    enum ProofError: String, CaseIterable, Error {
        /// The address was not made here, or its challenge was deleted.
        case unknownRecipient = "unknown_recipient"
        /// The challenge has signed in already.
        case used
        /// The challenge was valid for ten minutes.
        case expired
        /// The address of the challenge may not sign in: it got no email.
        case notEligible = "not_eligible"
        /// The message was not sent by the account's own address.
        case otherSender = "other_sender"
        /// An answer was accepted before. A mail server delivers a message twice when it doubts the first delivery.
        case alreadyAnswered = "already_answered"
        /// The email with the address has not left yet.
        case emailNotSent = "email_not_sent"
        /// Too many wrong codes and numbers for this account.
        case paused
        /// Five wrong codes and numbers for this challenge.
        case usedUp = "used_up"
        /// The number is not the one on the screen. It counts as a wrong guess.
        case wrongNumber = "wrong_number"
    }

    /// Reads a message and accepts or ignores it. Either way one line in the log says so.
    ///
    /// - Parameters:
    ///   - bytes: the exact message.
    ///   - recipient: the recipient of the envelope, if the mail server passed it on.
    /// - Throws: ``DatabaseError`` when the storage fails. Nothing is decided then, and the message must come again.
    func receive(_ bytes: [UInt8], recipient: String?, logger: Logger) async throws -> Outcome {
        switch reader.open(bytes, recipient: recipient, logger: logger) {
        case .ignored(let reason): return .ignored(reason: reason)
        case .unknown(let event):
            logger.record(event)
            return .ignored(reason: ProofError.unknownRecipient.rawValue)
        case .reply(let message): return try await receive(message, logger: logger)
        }
    }

    /// Accepts or ignores a message that was read already.
    package func receive(_ message: ReplyReader.Message, logger: Logger) async throws -> Outcome {
        let found = try await challenges.findForLog(message.challengeID)
        let reason: String?
        switch message.content {
        case .success(let reply): reason = try await judge(reply, found?.challenge, logger)?.rawValue
        case .failure(let error): reason = error.rawValue
        }
        // The account, the address and the flow are those that the message answers. The sender may be another one.
        var event = Event(
            reason == nil ? .replyAccepted : .replyIgnored, account: found?.account, flow: found?.challenge.logFlow,
            cause: reason, detail: message.challengeID, message.sender)
        event.address = (found?.challenge.address).flatMap { try? EmailAddress($0) }.map(addresses.typed)
        logger.record(event)
        return reason.map { .ignored(reason: $0) } ?? .accepted
    }

    /// - Returns: nil when the answer was accepted.
    private func judge(_ message: InboundReply, _ challenge: Challenge?, _ logger: Logger) async throws -> ProofError? {
        guard let challenge else { return .unknownRecipient }
        if let ended = end(of: challenge) { return ended }
        guard challenge.isEligible else { return .notEligible }
        guard challenge.address.utf8.elementsEqual(message.sender.text.utf8) else { return .otherSender }
        guard !challenge.isAnswered else { return .alreadyAnswered }
        return try await guess(message.number, challenge, logger)
    }

    private func end(of challenge: Challenge) -> ProofError? {
        if challenge.isUsed { return .used }
        return challenge.expiresAt <= challenges.clock.now() ? .expired : nil
    }

    /// Counts the number as one guess before it compares it, as a typed code is counted, against the same limits.
    ///
    /// Nobody but the owner can use up guesses this way. A message comes this far only from the account's own address,
    /// authenticated, and to an address that stands in one email in the owner's mailbox alone.
    private func guess(_ number: String, _ challenge: Challenge, _ logger: Logger) async throws -> ProofError? {
        switch try await guesses.count(guessOn: challenge.id, logger) {
        case .paused: return .paused
        case .notSent: return .emailNotSent
        case .ended:
            guard let now = try await challenges.find(challenge.id) else { return .unknownRecipient }
            return end(of: now) ?? (now.isAnswered ? .alreadyAnswered : .usedUp)
        case .compare(let counted, let guessID):
            guard reader.reply.matches(number, counted.id) else { return .wrongNumber }
            if try await challenges.answer(counted, guessID: guessID) { return nil }
            // Right, but another message, a code or the link was faster.
            guard let now = try await challenges.find(challenge.id) else { return .unknownRecipient }
            return end(of: now) ?? .alreadyAnswered
        }
    }
}

/// Reads a message and finds out which challenge it answers, without the database: anybody can send mail to addresses that
/// look like ours, and most of it ends here.
package struct ReplyReader: Sendable {
    let mail: InboundMailReader
    let reply: EmailReply

    package init(_ settings: InboundMailSettings, keys: DerivedKeys) {
        mail = InboundMailReader(domain: settings.domain, authservID: settings.authservID)
        reply = EmailReply(keys: keys, domain: settings.domain)
    }

    /// A message to an address that was made here.
    package struct Message: Sendable {
        /// A message that cannot be read answers nothing. The log says of which sign-in.
        let content: Result<InboundReply, ReplyMessageError>
        let challengeID: String

        /// Never the number, and never the address that the message was sent to.
        var sender: Logger.Metadata {
            if case .success(let reply) = content { ["sender": "\(reply.sender.masked)"] } else { [:] }
        }
    }

    package enum Opened: Sendable {
        case reply(Message)
        /// To an address of our form that was not made with these keys. The line for the log is not written.
        case unknown(Event)
        /// The line in the log is written.
        case ignored(reason: String)
    }

    package func open(_ bytes: [UInt8], recipient: String?, logger: Logger) -> Opened {
        let (key, content): ([UInt8], Result<InboundReply, ReplyMessageError>)
        do { (key, content) = try mail.open(bytes, recipient: recipient) } catch {
            return ignored(error, logger)
        }
        if let id = reply.challengeID(of: key) { return .reply(Message(content: content, challengeID: id)) }
        switch content {
        case .failure(let error): return ignored(error, logger)
        case .success(let read):
            let reason = ReplyReceiver.ProofError.unknownRecipient.rawValue
            return .unknown(Event(.replyIgnored, cause: reason, ["sender": "\(read.sender.masked)"]))
        }
    }

    private func ignored(_ error: ReplyMessageError, _ logger: Logger) -> Opened {
        logger.record(Event(.replyIgnored, cause: error.rawValue))
        return .ignored(reason: error.rawValue)
    }
}
