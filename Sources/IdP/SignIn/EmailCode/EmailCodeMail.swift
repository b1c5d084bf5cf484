import SSOWeb

/// The letter with the code.
struct EmailCodeMail: Sendable {
    let pages: Pages
    let codes: EmailCode
    /// Who the letter says it is from, and where the sign-in happens.
    let issuer: PublicOrigin
    /// The link that makes a browser known, for emails to an address under pressure.
    var browserLink: @Sendable (Challenge) async throws -> String? = { _ in nil }

    struct Model: Sendable {
        let code, service, device, time, until, issuer, browserLink: String
        let hasBrowserLink: Bool
    }

    /// Subject and both texts, or nil when the code can no longer be derived because its key is gone.
    func content(for challenge: Challenge) async throws -> (subject: String, text: String, html: String)? {
        guard let code = codes.code(of: challenge) else { return nil }
        let service = challenge.service ?? pages.brand
        let link = try await browserLink(challenge)
        let model = Model(
            code: code, service: service, device: challenge.device, time: PlainDate.long(challenge.createdAt),
            until: PlainDate.time(challenge.expiresAt), issuer: issuer.text, browserLink: link ?? "",
            hasBrowserLink: link != nil)
        // The code is not in the subject: subjects show on locked screens.
        return (
            "Your code to sign in to \(service)", pages.text("email-code-letter-text", model),
            pages.text("email-code-letter-html", model)
        )
    }
}
