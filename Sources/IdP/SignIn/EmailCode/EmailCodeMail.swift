import SSOWeb

/// The email with the code. Its subject id is the challenge's id.
struct EmailCodeMail: MailTemplate {
    static let kind = "email_code"

    /// The pending challenge of an id.
    let challenge: @Sendable (String) async throws -> Challenge?
    let pages: Pages
    let codes: EmailCode
    /// The origin that the email names.
    let issuer: PublicOrigin
    /// The link that makes a browser known, for emails to an address under pressure.
    var browserLink: @Sendable (Challenge) async throws -> String? = { _ in nil }

    struct Model: Sendable {
        let code, service, device, time, until, issuer, browserLink: String
        let hasBrowserLink: Bool
    }

    /// Nil when the challenge has ended, or its code cannot be derived because its key was removed.
    func message(for subjectID: String) async throws -> EmailContent? {
        guard let challenge = try await challenge(subjectID) else { return nil }
        return try await content(for: challenge)
    }

    func content(for challenge: Challenge) async throws -> EmailContent? {
        guard let code = codes.code(of: challenge), let to = try? EmailAddress(challenge.address) else { return nil }
        let service = challenge.service ?? pages.brand
        let link = try await browserLink(challenge)
        let model = Model(
            code: code, service: service, device: challenge.device, time: PlainDate.long(challenge.createdAt),
            until: PlainDate.time(challenge.expiresAt), issuer: issuer.text, browserLink: link ?? "",
            hasBrowserLink: link != nil)
        // The code is not in the subject: subjects are shown on locked screens.
        return EmailContent(
            to: to, subject: "Your code to sign in to \(service)",
            text: pages.text("email-code-message-text", model), html: pages.text("email-code-message-html", model))
    }
}
