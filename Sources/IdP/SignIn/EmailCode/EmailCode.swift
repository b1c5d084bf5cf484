import IdPMail
package import SSOShared
import SSOWeb

/// Owns the rule of the six digits: how a code is made, checked and sent again.
///
/// A code is derived from the challenge's random id with a key that is not in the database. So the same code can be sent
/// twice although only a keyed hash of it is stored, and an attacker who reads the rows or the mail queue learns no code.
package struct EmailCode: Sendable {
    private let codeKeys: [[UInt8]]
    private let macKeys: [[UInt8]]

    package init(keys: DerivedKeys) {
        codeKeys = keys.derive("email-code")
        macKeys = keys.derive("email-code-mac")
    }

    /// Six digits for a new challenge, `000000` to `999999`, each as likely as any other.
    package func code(for challengeID: String) -> String {
        DerivedDigits.text(challengeID, count: 6, key: codeKeys.first ?? [])
    }

    /// The keyed hash that is stored instead of the code.
    package func mac(of code: String, challenge id: String) -> [UInt8] { Self.mac(code, id, key: macKeys.first ?? []) }

    /// The code of a challenge for its email, also after a rotation of the keys; nil when its key was removed.
    func code(of challenge: Challenge) -> String? {
        codeKeys.lazy.map { DerivedDigits.text(challenge.id, count: 6, key: $0) }.first { matches($0, challenge) }
    }

    /// Whether a typed code is the challenge's, in constant time.
    func matches(_ code: String, _ challenge: Challenge) -> Bool {
        macKeys.map { ConstantTime.equal(Self.mac(code, challenge.id, key: $0), challenge.codeMAC) }.contains(true)
    }

    /// How many characters the field takes: the line of the email with the longest name of a client, which the script of the
    /// page cuts down to its six digits.
    static let maximumLength = 128

    /// What is read at most of what was typed, in bytes: more than a page of a copied email, with the marks that no program shows.
    private static let maximumInput = 4096

    /// The six digits that were typed, see ``Entered/digits(_:count:)``. Anything else is not a guess: a sign, a word, five or
    /// seven digits.
    static func normalised(_ typed: String) -> String? {
        typed.utf8.count <= maximumInput ? Entered.digits(typed, count: 6) : nil
    }

    /// What is wrong with what was typed when it is not six digits, for the page.
    static func inputError(_ typed: String) -> EmailCodePage.InputError {
        guard let unseen = Entered.unseen(inDigits: typed) else { return .notSixDigits }
        return .unseen(code: UnseenCharacter.code(unseen.scalar), position: unseen.position)
    }

    /// The same for the API: `code must have six digits.`, and the character that cannot be seen.
    static func inputProblem(_ typed: String) -> String {
        let unseen = Entered.unseen(inDigits: typed).flatMap { UnseenCharacter.words($0.scalar, at: $0.position) }
        return "code must have six digits." + (unseen.map { " The value has \($0)." } ?? "")
    }

    private static func mac(_ code: String, _ id: String, key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array("\(id):\(code)".utf8), key: key)
    }
}

/// The email with the code. Its subject id is the challenge's id.
package struct EmailCodeMail: MailTemplate {
    static let kind = "email_code"

    /// The pending challenge of an id.
    let challenge: @Sendable (String) async throws -> Challenge?
    /// The id of the account of a challenge's address, if there is one.
    let account: @Sendable (Challenge) async throws -> String?
    let pages: Pages
    let codes: EmailCode
    /// The origin that the email names.
    let issuer: PublicOrigin
    /// The link that signs in, in the browser that asked.
    var signInLink: @Sendable (Challenge) -> String? = { _ in nil }
    /// The one-time address for an answer to the email; nil where answers are not received.
    var replyTo: @Sendable (Challenge) -> EmailAddress? = { _ in nil }

    struct Model: Encodable, Sendable {
        let code, spaced, service, intro, device, host, signInLink: String
        /// When the code was asked for. The email may leave minutes later.
        let time: Moment
        let hasSignInLink, takesReply: Bool
    }

    /// Nil when the challenge has ended, or its code cannot be derived because its key was removed.
    func message(for subjectID: String) async throws -> EmailContent? {
        guard let challenge = try await challenge(subjectID) else { return nil }
        return try await content(for: challenge)
    }

    func content(for challenge: Challenge) async throws -> EmailContent? {
        guard let code = codes.code(of: challenge), let to = try? EmailAddress(challenge.address) else { return nil }
        let service = challenge.service ?? pages.brand
        let (signInLink, replyTo) = (signInLink(challenge), replyTo(challenge))
        let texts = pages.texts(in: challenge.language)
        let model = Model(
            code: code, spaced: code.spelledOut, service: service,
            intro: texts.plain(Text("mail.intro", ["service": service])),
            device: challenge.requester(texts, brand: pages.brand), host: issuer.host, signInLink: signInLink ?? "",
            time: texts.moment(challenge.createdAt), hasSignInLink: signInLink != nil, takesReply: replyTo != nil)
        return EmailContent(
            to: to, subject: EmailContent.withoutIsolates(texts.plain(subject(of: challenge, service))),
            text: pages.text("email-code-message-text", model, in: challenge.language),
            html: pages.text("email-code-message-html", model, in: challenge.language), language: texts.language,
            replyTo: replyTo, logo: pages.mailLogo, account: try await account(challenge),
            logFlow: challenge.logFlow)
    }

    /// The code is not in the subject: subjects are shown on locked screens. The second in which it was asked for is: mail
    /// programs fold emails with the same subject, the newest below older ones. The name is at the end, see
    /// ``EmailContent/withoutIsolates(_:)``.
    private func subject(of challenge: Challenge, _ service: String) -> Text {
        let time = PlainDate.rfc3339(challenge.createdAt).dropFirst(11).prefix(8)
        return Text("mail.subject", ["service": service, "time": String(time)])
    }
}
