import Hummingbird
import IdPClients
package import SSOShared
package import SSOWeb

/// The paths of the pages for a trial: `/dev/WORD/mailbox` and `/dev/WORD/links`.
///
/// The word is random, new at each start, and printed to standard output, not to the log. A fixed path would be open to the
/// internet as soon as a proxy on the same machine forwards all requests. This one is known only to users of the machine.
package struct DevPages: Sendable {
    package enum Page: String, Sendable, CaseIterable { case mailbox, links }

    /// 16 random bytes: 22 base64url characters.
    private let word: String

    package init(randomness: any Randomness) throws { word = Base64URL.encode(try randomness.bytes(16)) }

    /// The path of a page at this start.
    package func path(of page: Page) -> String { "/dev/\(word)/\(page.rawValue)" }

    /// The route of a page. The word is a parameter: the log names the route's pattern, which must not hold it.
    static func route(of page: Page) -> String { "/dev/{word}/\(page.rawValue)" }

    /// Refuses a request without the word of this start, or from elsewhere, as if there were no page.
    ///
    /// The word in the path is the guard. The check of the peer also protects the codes when the address was passed on and the
    /// program listens on more than loopback.
    func check(_ request: Request, _ context: VisitorContext) throws(PublicError) {
        let given = context.parameters.get("word") ?? ""
        guard ConstantTime.equal(Array(given.utf8), Array(word.utf8)), request.isLocalRequest(context.peer) else {
            throw .notFound
        }
    }

    /// What is printed at start: a line for each page that exists.
    package func announcement(of pages: [Page], at origin: PublicOrigin) -> String {
        pages.map { "\($0 == .mailbox ? "Mailbox" : "Link tester"): \(origin.text)\(path(of: $0))\n" }.joined()
    }
}
