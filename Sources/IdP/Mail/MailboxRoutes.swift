import HTTPTypes
import Hummingbird
import SSOWeb

/// `/dev/mailbox`: the letters of the outbox folder, newest first, for a trial on one's own machine. Exists only with
/// `IDP_MAIL_URL=outbox:…`, which the settings refuse unless the public address is a loopback one.
struct MailboxRoutes: Sendable {
    let outbox: OutboxMailer
    let pages: Pages

    struct Model: Sendable {
        let letters: [Item]
        let hasLetters: Bool
    }

    struct Item: Sendable {
        let subject, to, date, text: String
    }

    func add(to router: Router<VisitorContext>) {
        router.page(at: "/dev/mailbox") { [outbox, pages] request, context in
            // Also where the program listens on more than loopback: codes are nobody else's business.
            guard request.isFromThisMachine(context.peer) else { throw PublicFailure.notFound }
            let letters = outbox.letters().prefix(50).map {
                Item(subject: $0.subject, to: $0.to, date: $0.date, text: $0.text)
            }
            return pages.response("mailbox", Model(letters: letters, hasLetters: !letters.isEmpty))
        }
    }
}
