import HTTPTypes
import Hummingbird
import SSOWeb

/// `/dev/WORD/mailbox`: the emails of the outbox folder, newest first, for a trial on one's own machine. Exists only with
/// `IDP_MAIL_URL=outbox:…`, which the settings refuse unless the public address is a loopback one.
struct MailboxRoutes: Sendable {
    let outbox: OutboxMailer
    let dev: DevPages
    let pages: Pages

    struct Model: Sendable {
        let path: String
        let letters: [Item]
        let hasLetters: Bool
    }

    struct Item: Sendable {
        let subject, to, date, text: String
    }

    func add(to router: Router<VisitorContext>) {
        router.page(at: RouterPath(DevPages.route(of: .mailbox))) { [outbox, dev, pages] request, context in
            // The word is the guard. The second one costs nothing, and holds where the address was copied along: the
            // program may listen on more than loopback, and codes are nobody else's business.
            guard dev.isNamed(by: context.parameters.get("word")), request.isLocalRequest(context.peer) else {
                throw PublicError.notFound
            }
            let letters = outbox.letters().prefix(50).map {
                Item(subject: $0.subject, to: $0.to, date: $0.date, text: $0.text)
            }
            return pages.response(
                "mailbox",
                Model(path: dev.path(of: .mailbox), letters: letters, hasLetters: !letters.isEmpty))
        }
    }
}
