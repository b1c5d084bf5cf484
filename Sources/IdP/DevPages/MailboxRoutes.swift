import HTTPTypes
import Hummingbird
import SSOWeb

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

    func add(to router: Router<VisitorContext>) {
        router.page(at: RouterPath(DevPages.route(of: .mailbox))) { [outbox, dev, pages] request, context in
            // The word in the path is the guard. The check of the peer also protects the codes when the address was passed
            // on and the program listens on more than loopback.
            guard dev.isNamed(by: context.parameters.get("word")), request.isLocalRequest(context.peer) else {
                throw PublicError.notFound
            }
            let emails = outbox.items()
            return pages.response(
                "mailbox",
                Model(path: dev.path(of: .mailbox), emails: emails, hasEmails: !emails.isEmpty))
        }
    }
}
