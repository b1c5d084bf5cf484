import IdPAccounts
import IdPClients
import IdPMail
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// The email to an admin about changes, the newest first. Its subject id is the batch of an ``AdminNotices`` round and the id of
/// the account, and `own` for one that is no admin's any more.
struct AdminNoticeMail: MailTemplate {
    static let kind = "admin_notice"

    let database: any Database
    let pages: Pages
    let issuer: PublicOrigin

    struct Item: Encodable, Sendable {
        let event, about, actor: String
        let time: Moment

        /// About so many bytes in both forms of the email.
        fileprivate var size: Int { 250 + 2 * (event.utf8.count + about.utf8.count + actor.utf8.count) }
    }

    struct Model: Encodable, Sendable {
        let items: [Item]
        let audit, more: String
        let hasMore: Bool
    }

    /// Bytes of the changes in one email, so that it has 8 KiB at most. What is older stands in the audit log.
    private static let room = 3_600

    func message(for subjectID: String) async throws -> EmailContent? {
        let parts = subjectID.split(separator: " ").map(String.init)
        guard parts.count >= 2 else { return nil }
        let (account, rows, names) = try await database.read { connection in
            let all = try AdminNews.rows(of: AdminNotices.rows(of: parts[0], connection), connection)
            let rows = parts.last == AdminNotices.own ? all.filter { $0.account == parts[1] } : all
            return (try AdminView.account(parts[1], connection), rows, try AdminView.addresses(in: rows, connection))
        }
        guard let account, !rows.isEmpty, let to = try? EmailAddress(account.email) else { return nil }
        let language = account.language ?? .english
        let texts = pages.texts(in: language)
        let items = rows.reversed().map { row in
            // Addresses say more than ids.
            let actor = row.actingAccount.map { names[$0] ?? $0 } ?? row.actor
            let about = [row.account.map { names[$0] ?? $0 }, row.client, row.cause, row.detail].compactMap(\.self)
            return Item(
                event: row.event, about: AdminWriter.cut(about.joined(separator: " ")), actor: actor,
                time: texts.moment(row.at))
        }
        var room = Self.room
        let shown = items.prefix { item in
            room -= item.size
            return room >= 0
        }
        let more = items.count - shown.count
        let model = Model(
            items: Array(shown), audit: issuer.text + AdminPath.audit,
            more: texts.plain(Text("admin.mail-more", count: more)), hasMore: more > 0)
        return EmailContent(
            to: to,
            subject: EmailContent.withoutIsolates(texts.plain(Text("admin.mail-subject", count: rows.count))),
            text: pages.text("admin-notice-text", model, in: language),
            html: pages.text("admin-notice-html", model, in: language), language: texts.language, logo: pages.mailLogo,
            account: account.id)
    }
}
