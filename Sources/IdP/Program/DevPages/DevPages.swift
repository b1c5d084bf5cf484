import HTTPTypes
import Hummingbird
import IdPDirectory
import IdPFlow
import IdPMail
import SSOShared
import SSOWeb

/// The paths of the pages for a trial: `/dev/WORD/mailbox` and `/dev/WORD/links`.
///
/// The word is random, new at each start, and printed to standard output, not to the log. A fixed path would be open to the
/// internet as soon as a proxy on the same machine forwards all requests. This one is known only to users of the machine.
struct DevPages: Sendable {
    enum Page: String, Sendable, CaseIterable { case mailbox, links }

    /// 16 random bytes: 22 base64url characters.
    private let word: String

    init(randomness: any Randomness) throws { word = Base64URL.encode(try randomness.bytes(16)) }

    /// The path of a page at this start.
    func path(of page: Page) -> String { "/dev/\(word)/\(page.rawValue)" }

    /// The route of a page. The word is a parameter: the log names the route's pattern, which must not hold it.
    static func route(of page: Page) -> String { "/dev/{word}/\(page.rawValue)" }

    /// Whether a request has the word of this start. Compares bytes, in constant time.
    func isNamed(by given: String?) -> Bool {
        ConstantTime.equal(Array((given ?? "").utf8), Array(word.utf8))
    }

    /// What is printed at start: a line for each page that exists.
    func announcement(of pages: [Page], at origin: PublicOrigin) -> String {
        pages.map { "\($0 == .mailbox ? "Mailbox" : "Link tester"): \(origin.text)\(path(of: $0))\n" }.joined()
    }
}

/// `/dev/WORD/mailbox`: the emails of the outbox folder, newest first, for a trial on one machine. Exists only with
/// `IDP_MAIL_URL=outbox:…`, which the settings refuse unless the public address is a loopback one.
struct MailboxRoutes: Sendable {
    let outbox: OutboxMailer
    let dev: DevPages
    let pages: Pages

    struct Model: Sendable {
        let path: String
        let emails: [OutboxMailer.Item]
        let hasEmails: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.publicPage(at: DevPages.route(of: .mailbox)) { [outbox, dev, pages] request, context in
            // The word in the path is the guard. The check of the peer also protects the codes when the address was passed
            // on and the program listens on more than loopback.
            guard dev.isNamed(by: context.parameters.get("word")), request.isLocalRequest(context.peer) else {
                throw PublicError.notFound
            }
            let emails = outbox.items()
            return pages.response(
                "mailbox",
                Model(path: dev.path(of: .mailbox), emails: emails, hasEmails: !emails.isEmpty), for: request)
        }
    }
}
