/// What `error.mustache` shows.
struct ErrorPage: Sendable {
    /// What differs between two pages of one error.
    enum Gap: String, CaseIterable { case reference }

    let title, titleHTML, explanationHTML, labelHTML, href, reference: String

    init(_ error: PublicError, reference: String, _ texts: Texts) {
        title = texts.plain(error.title)
        (titleHTML, explanationHTML) = (texts.html(error.title), texts.html(error.explanation))
        (labelHTML, href) = (texts.html(error.nextStep.label), error.nextStep.href)
        self.reference = reference
    }
}
