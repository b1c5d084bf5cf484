/// What `error.mustache` shows.
struct ErrorPage: Encodable, Sendable {
    /// What differs between two pages of one error.
    enum Gap: String, CaseIterable { case reference }

    struct Retry: Encodable, Sendable {
        let action, labelHTML: String
        let fields: [Field]
    }

    struct Field: Encodable, Sendable { let name, value: String }

    let retry: Retry?
    let title, titleHTML, explanationHTML, labelHTML, href, reference: String
    let hasLink: Bool

    init(_ error: PublicError, reference: String, _ texts: Texts) {
        title = texts.plain(error.title)
        (titleHTML, explanationHTML) = (texts.html(error.title), texts.html(error.explanation))
        (labelHTML, href) = (texts.html(error.nextStep.label), error.nextStep.href)
        self.reference = reference
        hasLink = error.hasLink
        retry = error.retry.map { retry in
            Retry(
                action: retry.action, labelHTML: texts.html(retry.label),
                fields: retry.fields.map { Field(name: $0.name, value: $0.value) })
        }
    }
}
