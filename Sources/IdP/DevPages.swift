import SSOShared
import SSOWeb

/// The addresses of the pages for a trial: `/dev/WORD/mailbox` and `/dev/WORD/links`.
///
/// The word is new at each start and printed to standard output, apart from the log. A path that everybody knows was
/// open to the internet as soon as a proxy on the same machine passed all requests on; this one has to be read off the
/// machine first.
struct DevPages: Sendable {
    enum Page: String, Sendable, CaseIterable { case mailbox, links }

    /// 16 random bytes: 22 base64url characters.
    private let word: String

    init(randomness: any Randomness) throws { word = Base64URL.encode(try randomness.bytes(16)) }

    /// The path of a page at this start.
    func path(of page: Page) -> String { "/dev/\(word)/\(page.rawValue)" }

    /// The route of a page. The word is a parameter: the log names the route's pattern, which must not hold it.
    static func route(of page: Page) -> String { "/dev/{word}/\(page.rawValue)" }

    /// Whether a request names this start's word. Compares bytes, in constant time.
    func isNamed(by given: String?) -> Bool {
        ConstantTime.equal(Array((given ?? "").utf8), Array(word.utf8))
    }

    /// What is printed at start: a line for each page that exists.
    func announcement(_ settings: IdPSettings) -> String {
        let pages = [(settings.showsMailbox, Page.mailbox, "Mailbox"), (settings.linkTester, .links, "Link tester")]
        return pages.filter(\.0).map { "\($0.2): \(settings.publicURL.text)\(path(of: $0.1))\n" }.joined()
    }
}
