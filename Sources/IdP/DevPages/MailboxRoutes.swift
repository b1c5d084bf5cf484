import Foundation
import HTTPTypes
import Hummingbird
import IdPFlow
import IdPMail
import NIOCore
import SSOShared
import SSOWeb

/// `/dev/WORD/mailbox`: the emails of the outbox folder, newest first, for a trial on one machine. Exists only with
/// `IDP_MAIL_URL=outbox:…`, which the settings refuse unless the public address is a loopback one.
struct MailboxRoutes: Sendable {
    static let emailRoute = DevPages.route(of: .mailbox) + "/{name}"

    let outbox: OutboxMailer
    let dev: DevPages
    let pages: Pages
    let clock: ServiceClock
    let script: String

    struct Model: Encodable, Sendable {
        let path, script: String
        let emails: [Email]
        let hasEmails: Bool
    }

    struct Email: Encodable, Sendable {
        let subject, to, text, code, spaced, frame: String
        let sent: Moment
        let hasCode, isNewest: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.publicPage(at: DevPages.route(of: .mailbox)) { request, context in
            try dev.check(request, context)
            return pages.response(
                "mailbox", model(pages.texts(for: request)), for: request,
                headers: [.contentSecurityPolicy: ContentPolicy.formsAndFrames], offersLanguages: true)
        }
        router.publicPage(at: Self.emailRoute) { request, context in
            try dev.check(request, context)
            guard let email = outbox.item(named: context.parameters.get("name") ?? "") else {
                throw PublicError.notFound
            }
            return Response(
                status: .ok, headers: Self.emailHeaders,
                body: .init(byteBuffer: ByteBuffer(string: Self.shown(email))))
        }
    }

    private func model(_ texts: Texts) -> Model {
        let now = clock.now()
        let emails = outbox.items().enumerated().map { index, email in
            let code = Self.code(in: email.item.text) ?? ""
            return Email(
                subject: email.item.subject, to: email.item.to, text: email.item.text, code: code,
                spaced: code.spelledOut, frame: "\(dev.path(of: .mailbox))/\(email.name)",
                sent: texts.moment(email.item.sentAt, now: now), hasCode: !code.isEmpty, isNewest: index == 0)
        }
        return Model(path: dev.path(of: .mailbox), script: script, emails: emails, hasEmails: !emails.isEmpty)
    }

    /// The six digits that are alone on a line of a plain email.
    static func code(in text: String) -> String? {
        text.split(whereSeparator: \.isNewline).first { $0.utf8.count == 6 && $0.utf8.allSatisfy(\.isASCIIDigit) }
            .map(String.init)
    }

    /// An email's HTML as a browser shows it: its links open in a tab of their own, and the logo is part of it.
    static func shown(_ email: OutboxMailer.Item) -> String {
        let html = email.html.replacing("<head>", with: "<head>\n<base target=\"_blank\">", maxReplacements: 1)
        guard let logo = email.logo else { return html }
        return html.replacing(
            "src=\"cid:logo\"", with: "src=\"data:image/png;base64,\(logo.base64EncodedString())\"")
    }

    /// In the frame nothing runs, nothing is loaded and no form is sent, whatever the email contains. Its links may open tabs,
    /// and those are ordinary ones. The word of the path stays out of their Referer.
    private static let emailHeaders: HTTPFields = [
        .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: ContentPolicy.framedEmail,
        .frameOptions: "SAMEORIGIN", .referrerPolicy: "no-referrer",
    ]
}
