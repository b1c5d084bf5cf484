import IdPAccounts
import IdPMail
package import Logging
import SSOShared
package import SSOWeb
package import Storage

/// The email about a change of how a user signs in. Its subject id is that of an ``AccountNotice``.
package struct AccountNoticeMail: MailTemplate {
    static let kind = "account_notice"

    let database: any Database
    let pages: Pages
    /// The origin that the email names.
    let issuer: PublicOrigin
    let logger: Logger

    package init(database: any Database, pages: Pages, issuer: PublicOrigin, logger: Logger) {
        (self.database, self.pages, self.issuer, self.logger) = (database, pages, issuer, logger)
    }

    struct Model: Encodable, Sendable {
        let provider, address, device, issuer, newAddress, sessions, words, wordsHTML: String
        let time: Moment
        let isLinked, isUnlinked, isRevoked, isWithdrawn, isFurther, isAddress, isByUser, hasDevice, hasWords: Bool
    }

    func message(for subjectID: String) async throws -> EmailContent? {
        let notice = try await database.read { connection in
            try connection.query("SELECT * FROM account_notice WHERE id = :id", ["id": .text(subjectID)]).first
                .flatMap(AccountNotice.init)
        }
        if let notice, notice.change == .further {
            logger.record(Event(.accountNoticeLimitReached, account: notice.accountID))
        }
        return notice.flatMap(content)
    }

    func content(for notice: AccountNotice) -> EmailContent? {
        guard let to = try? EmailAddress(notice.address) else { return nil }
        let texts = pages.texts(in: notice.language)
        let values = ["provider": notice.provider]
        let words = notice.change.words?.text.with(
            values.merging(["address": notice.address]) { $1 })
        let model = Model(
            provider: notice.provider, address: notice.address,
            device: notice.device.map { DeviceKind.words(for: $0, texts) } ?? "", issuer: issuer.text,
            newAddress: notice.newAddress ?? "", sessions: issuer.text + SessionsPurpose.path,
            words: words.map(texts.plain) ?? "", wordsHTML: words.map(texts.html) ?? "",
            time: texts.moment(notice.createdAt),
            isLinked: notice.change == .linked || notice.change == .passkeyAdded,
            isUnlinked: notice.change == .unlinked, isRevoked: notice.change == .revoked,
            isWithdrawn: notice.change == .withdrawn, isFurther: notice.change == .further,
            isAddress: notice.change == .address,
            isByUser: ![.address, .linked, .passkeyAdded].contains(notice.change),
            hasDevice: notice.device != nil, hasWords: words != nil)
        let subject =
            switch notice.change {
            case .linked: Text("notice.subject-linked", values)
            case .unlinked, .revoked, .withdrawn: Text("notice.subject-unlinked", values)
            case .further: Text("notice.subject-further")
            case .address: Text("notice.subject-address")
            default: notice.change.words?.subject.with(values) ?? Text("notice.title")
            }
        return EmailContent(
            to: to, subject: EmailContent.withoutIsolates(texts.plain(subject)),
            text: pages.text("account-notice-text", model, in: notice.language),
            html: pages.text("account-notice-html", model, in: notice.language), language: texts.language,
            logo: pages.mailLogo, account: notice.accountID)
    }
}

extension AccountNotice.Change {
    /// The sentence and the subject of a notice that has no others.
    fileprivate var words: (text: Text, subject: Text)? {
        switch self {
        case .passkeyAdded: (Text("notice.passkey-added"), Text("notice.subject-passkey-added"))
        case .passkeyRenamed: (Text("notice.passkey-renamed"), Text("notice.subject-passkey-renamed"))
        case .passkeyRemoved: (Text("notice.passkey-removed"), Text("notice.subject-passkey-removed"))
        case .passkeysRevoked: (Text("notice.passkeys-revoked"), Text("notice.subject-passkeys-revoked"))
        case .passkeysForgotten: (Text("notice.passkeys-forgotten"), Text("notice.subject-passkeys-revoked"))
        case .passkeyCopied: (Text("notice.passkey-copied"), Text("notice.subject-passkey-copied"))
        case .firstMailbox: (Text("notice.first-mailbox"), Text("notice.subject-signed-in"))
        case .printedLinkUsed: (Text("notice.printed-link-used"), Text("notice.subject-signed-in"))
        case .signedInByPasskey: (Text("notice.signed-in-passkey"), Text("notice.subject-signed-in"))
        case .signedInByProvider: (Text("notice.signed-in-provider"), Text("notice.subject-signed-in"))
        case .linked, .unlinked, .revoked, .withdrawn, .further, .address: nil
        }
    }
}
