import IdPMail
import SSOShared
import SSOWeb
import Storage

/// The email with a ``BrowserLink``. Its subject id is that of the challenge that it is queued with.
///
/// Owns the rule who gets it: an address that unknown browsers ask for more emails than one user does, and while codes are guessed
/// on many accounts every address that an unknown browser asks for.
struct BrowserLinkMail: MailTemplate {
    static let kind = "browser_link"
    /// From this many emails within a day on. One network gets as many in an hour, so a budget cannot be used up before the
    /// owner has a link.
    static let pressure = 3
    /// One in this time. Its link works for longer, so that a mailbox under attack always has one that works.
    static let span: Duration = .hours(6)

    let challenge: @Sendable (String) async throws -> Challenge?
    let account: @Sendable (Challenge) async throws -> String?
    let link: BrowserLink
    let pages: Pages
    let issuer: PublicOrigin
    let clock: ServiceClock

    struct Model: Encodable, Sendable {
        let link, host, intro: String
    }

    /// Queues the email where the rule says so, in the transaction that queues the code. The same statements run for an address
    /// that may not sign in.
    static func enqueue(_ asked: AskedAddress, in mail: MailQueue, _ connection: any SQLConnection) throws {
        let count = try mail.countOfDay(for: asked.address.budgetKey, now: asked.now, connection)
        let isAlarmed = try GuessStore.isAlarmed(now: asked.now, connection)
        guard asked.requester.browserID == nil, count >= pressure || isAlarmed else { return }
        try mail.enqueue(
            QueuedMail(
                id: asked.emailID, address: counted(asked.address), kind: kind, subjectID: asked.challenge,
                expiresAt: asked.now + Challenge.lifetime),
            oncePer: span, hasAccount: asked.hasAccount, now: asked.now, connection)
    }

    /// What the queue counts these emails for: all tags of a mailbox together. No mailbox has a blank.
    private static func counted(_ address: EmailAddress) -> String { "link \(address.budgetKey)" }

    /// Also after the challenge has ended: the attack may be over later than the code.
    func message(for subjectID: String) async throws -> EmailContent? {
        guard let challenge = try await challenge(subjectID), let to = try? EmailAddress(challenge.address) else {
            return nil
        }
        let texts = pages.texts(in: challenge.language)
        let model = Model(
            link: try link.url(for: challenge, now: clock.now()), host: issuer.host,
            intro: texts.plain(Text("browser-mail.intro")))
        return EmailContent(
            to: to, subject: EmailContent.withoutIsolates(texts.plain(Text("browser-mail.subject"))),
            text: pages.text("browser-link-message-text", model, in: challenge.language),
            html: pages.text("browser-link-message-html", model, in: challenge.language), language: texts.language,
            logo: pages.mailLogo, account: try await account(challenge), logFlow: challenge.logFlow)
    }
}
