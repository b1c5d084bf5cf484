import IdPAccounts
import IdPMail
import SSOShared
import SSOWeb
import Storage

/// The emails about what users do with their account by their own hands.
struct OwnAccountMail: MailTemplate {
    static let kind = "own_account"

    /// What an email says. The raw values stand in the queue.
    enum Subject: String, Sendable, CaseIterable {
        /// To the new address: the code. Or, to the owner of a taken one, that it was typed.
        case code
        /// To the old and to the new address of a change.
        case old, new
        /// To both of a change that was stopped.
        case back, gone
        /// To a user whose account is to be erased.
        case erase

        /// The subject id in the queue.
        ///
        /// - Parameter id: of the change, or of the account.
        func id(of id: String) -> String { "\(rawValue) \(id)" }
    }

    let database: any Database
    let clock: ServiceClock
    let keys: AddressKeys
    let pages: Pages
    let issuer: PublicOrigin

    struct Model: Encodable, Sendable {
        let title, words, wordsHTML, code, spaced, link, button, buttonHTML, fine, fineHTML: String
        let hasCode, hasLink: Bool
    }

    /// What an email consists of.
    private struct Parts {
        let to: String
        let subject, words, fine: Text
        var code: String?
        var link: (address: String, button: Text)?
        let language: Language
        /// The id of the account that the email is about: none where it would say whether an address has one.
        let account: String?
    }

    func message(for subjectID: String) async throws -> EmailContent? {
        let words = subjectID.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let subject = words.first.flatMap({ Subject(rawValue: String($0)) }),
            let id = words.last.map(String.init)
        else { return nil }
        let now = clock.now()
        let parts = try await database.read { connection -> Parts? in
            if subject == .erase { return try AccountStore.find(id, connection).flatMap { erasure(of: $0) } }
            return try AddressChangeStore.find(id, connection).flatMap { self.parts(subject, $0, now) }
        }
        return parts.flatMap(content)
    }

    private func parts(_ subject: Subject, _ change: AddressChange, _ now: Timestamp) -> Parts? {
        let values = ["address": change.oldAddress, "newAddress": change.newAddress, "issuer": issuer.text]
        func parts(
            to address: String, _ name: String, account: String? = change.accountID, code: String? = nil,
            link: (String, Text)? = nil
        ) -> Parts {
            Parts(
                to: address, subject: Text("own-mail.\(name)-subject"), words: Text("own-mail.\(name)", values),
                fine: Text("own-mail.\(name)-fine", values), code: code,
                link: link.map { (address: $0.0, button: $0.1) },
                language: change.language, account: account)
        }
        switch subject {
        case .code:
            guard change.changedAt == nil, change.tries < AddressChange.maximumTries,
                now < change.createdAt + AddressChange.codeLifetime
            else { return nil }
            return switch change.fate {
            case .code: parts(to: change.newAddress, "code", account: nil, code: keys.code(of: change.id))
            case .taken: parts(to: change.newAddress, "taken", account: nil)
            case .refused: nil
            }
        case .old:
            guard let until = change.stoppableUntil, now < until, change.stoppedAt == nil else { return nil }
            let link = issuer.text + AddressPath.stop + "/" + keys.stopKey(of: change.id)
            return parts(to: change.oldAddress, "old", link: (link, Text("own-mail.stop")))
        case .new: return parts(to: change.newAddress, "new")
        case .back: return parts(to: change.oldAddress, "back", link: (issuer.text, Text("own-mail.sign-in")))
        case .gone: return parts(to: change.newAddress, "gone")
        case .erase: return nil
        }
    }

    private func erasure(of account: Account) -> Parts? {
        guard account.eraseAt != nil else { return nil }
        let values = ["address": account.email]
        return Parts(
            to: account.email, subject: Text("own-mail.erase-subject"), words: Text("own-mail.erase", values),
            fine: Text("own-mail.erase-fine"), language: account.language ?? .english, account: account.id)
    }

    private func content(_ parts: Parts) -> EmailContent? {
        guard let to = try? EmailAddress(parts.to) else { return nil }
        let texts = pages.texts(in: parts.language)
        let button = parts.link?.button
        let model = Model(
            title: texts.plain(parts.subject), words: texts.plain(parts.words), wordsHTML: texts.html(parts.words),
            code: parts.code ?? "", spaced: parts.code?.spelledOut ?? "", link: parts.link?.address ?? "",
            button: button.map(texts.plain) ?? "", buttonHTML: button.map(texts.html) ?? "",
            fine: texts.plain(parts.fine), fineHTML: texts.html(parts.fine), hasCode: parts.code != nil,
            hasLink: parts.link != nil)
        return EmailContent(
            to: to, subject: EmailContent.withoutIsolates(texts.plain(parts.subject)),
            text: pages.text("own-account-text", model, in: parts.language),
            html: pages.text("own-account-html", model, in: parts.language), language: texts.language,
            logo: pages.mailLogo, account: parts.account)
    }
}
