package import SSOShared
package import SSOWeb

/// Sends emails.
package protocol Mailer: Sendable {
    /// Returns once the next hop has accepted the message.
    ///
    /// Cancelling the task ends the attempt soon after. It is then unknown whether the email was sent.
    func send(_ email: EmailMessage) async throws(MailError)

    /// Where emails go, for the log: `mail.example.com:587`. Without login.
    var destination: String { get }

    /// Whether an email would reach the next hop now. Sends none.
    ///
    /// - Returns: false where ``send(_:)`` would throw ``MailError/unreachable(_:)``; nil when it is not known.
    func isReached(from: MailFrom) async -> Bool?
}

extension Mailer {
    var destination: String { "-" }
    package func isReached(from: MailFrom) async -> Bool? { nil }
}

/// Why an email was not sent. The descriptions contain reply codes and the words of the IdP and of the server (``ServerWords``):
/// never an address, a login or what stands in the email.
package enum MailError: Error, Equatable, CustomStringConvertible {
    /// The server takes no email at all at the moment: it cannot be reached, has no acceptable TLS, or the conversation fails before
    /// the recipient was named.
    case unreachable(String)
    /// Trying again later may help: the server is slow or busy, or defers this email.
    case temporary(String)
    /// The server has refused the recipient or the email with 5yz: the same command is not to be repeated (RFC 5321 4.2.1).
    case refused(String, code: Int)

    package var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .temporary(let reason): reason
        case .refused(let reason, _): reason
        }
    }
}

/// Makes the emails of one kind when they are sent. The queue holds no text, so a stolen database contains no code.
package protocol MailTemplate: Sendable {
    /// Names the template in the queue. Never changes.
    static var kind: String { get }

    /// The email about a subject; nil when it is no longer needed, for example because its code was used.
    func message(for subjectID: String) async throws -> EmailContent?
}

/// What a template writes.
package struct EmailContent: Sendable {
    let to: EmailAddress
    let subject: String
    let text: String
    let html: String
    var language = Language.english
    /// Where answers go instead of the sender, if anywhere.
    var replyTo: EmailAddress?
    /// A PNG that the HTML shows as `cid:logo`.
    var logo: [UInt8]?
    /// The id of the account that the email is about, if there is one, and the flow as the log calls it.
    let account, logFlow: String?

    package init(
        to: EmailAddress, subject: String, text: String, html: String, language: Language = Language.english,
        replyTo: EmailAddress? = nil, logo: [UInt8]? = nil, account: String?, logFlow: String? = nil
    ) {
        (self.to, self.subject, self.text, self.html, self.language) = (to, subject, text, html, language)
        (self.replyTo, self.logo) = (replyTo, logo)
        (self.account, self.logFlow) = (account, logFlow)
    }
}

extension EmailContent {
    /// The text of a subject. A header has no invisible characters (``MIME``), and a subject has one name at most, at one
    /// of its ends: without isolates it reorders nothing.
    package static func withoutIsolates(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{2068}" && $0 != "\u{2069}" }))
    }
}
