import Hummingbird
import Synchronization

/// What `error.mustache` shows.
struct ErrorPage: Encodable, Hashable, Sendable {
    /// What differs between two pages of one error.
    enum Gap: String, CaseIterable { case reference }

    struct Retry: Encodable, Hashable, Sendable {
        let action, labelHTML: String
        let fields: [Field]
    }

    struct Field: Encodable, Hashable, Sendable { let name, value: String }

    let retry: Retry?
    let title, titleHTML, explanationHTML, labelHTML, href: String
    var reference: String
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

/// The pages of refusals that one sender can get in any number, each rendered when it is first shown: a flood of such requests
/// must not cost a rendering each.
final class ErrorPages: Sendable {
    private static let codes: Set = [
        PublicError.notFound.code, "rate_limited", "no_cookie", "stale_form", "origin_hidden", "other_site",
    ]
    /// More than there are in all languages, as long as no page names what a request has chosen.
    private static let maximum = 500

    private struct Key: Hashable {
        let language: Language
        /// Without its reference.
        let page: ErrorPage
    }

    private let prepared = Mutex<[Key: PreparedPage<ErrorPage.Gap>]>([:])

    /// Nil for an error whose page is rendered for each request: one that is rare, or leads to an address of this request alone.
    func page(_ error: PublicError, _ texts: Texts, _ pages: Pages) -> PreparedPage<ErrorPage.Gap>? {
        guard Self.codes.contains(error.code), error.retry == nil, !error.nextStep.href.utf8.contains(UInt8(ascii: "?"))
        else { return nil }
        let key = Key(language: texts.language, page: ErrorPage(error, reference: "", texts))
        if let page = prepared.withLock({ $0[key] }) { return page }
        let page = try? PreparedPage<ErrorPage.Gap>(pages, "error", in: texts.language) { gap in
            var page = key.page
            page.reference = gap(.reference)
            return page
        }
        prepared.withLock { all in
            if all.count >= Self.maximum { all.removeAll() }
            all[key] = page
        }
        return page
    }
}

extension Pages {
    /// The page of an error, in the language that the browser asks for.
    ///
    /// - Parameter reference: that of the line in the log.
    func response(_ error: PublicError, _ reference: String, for request: Request) -> Response {
        let texts = texts(for: request)
        if let page = errorPages.page(error, texts, self) {
            return page.response(status: error.status, headers: error.headers) { _ in reference }
        }
        let model = ErrorPage(error, reference: reference, texts)
        return response("error", model, for: request, status: error.status, headers: error.headers)
    }
}
