import IdPAccounts
package import IdPMail
import SSOShared
package import SSOWeb
package import Storage

/// Queues the emails of invitations: they count for no budget of sign-in emails, and leave at a pace of their own.
package struct InvitationQueue: InvitationSender {
    private let mail: MailQueue

    package init(_ mail: MailQueue) { self.mail = mail }

    package func enqueue(_ invitationID: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try mail.enqueueNotice(
            invitationID, kind: InvitationEmail.kind, subjectID: invitationID, isPaced: true, now: now, connection)
    }
}

/// The email with the link of an invitation. Its subject id is the invitation's id.
package struct InvitationEmail: MailTemplate {
    package static let kind = "invitation"

    let invitations: InvitationStore
    let keys: InvitationKeys
    /// The name of a client; nil for one that is not registered.
    let clientName: @Sendable (String) -> String?
    let pages: Pages
    /// The origin that the email names.
    let issuer: PublicOrigin

    struct Model: Encodable, Sendable {
        let service, link, host, intro: String
        let time: Moment
    }

    /// Nil when the invitation has ended, or its key cannot be derived because the secret key was removed.
    package func message(for subjectID: String) async throws -> EmailContent? {
        guard case .open(let opened) = try await invitations.state(ofID: subjectID) else { return nil }
        return content(for: opened)
    }

    /// Who invites whereto: an email that does not say so reads like a trap.
    private static func intro(_ invitation: Invitation, service: String, brand: String) -> Text {
        let values = ["service": service, "brand": brand, "inviter": invitation.inviter ?? ""]
        guard invitation.inviter == nil else {
            return Text(service == brand ? "invitation.mail.from" : "invitation.mail.from-service", values)
        }
        return Text(service == brand ? "invitation.mail.intro" : "invitation.mail.intro-service", values)
    }

    func content(for opened: Invitation.Opened) -> EmailContent? {
        let invitation = opened.invitation
        guard let key = keys.key(of: invitation) else { return nil }
        let language = invitation.language
        let texts = pages.texts(in: language)
        let service = invitation.clientID.flatMap(clientName) ?? pages.brand
        let model = Model(
            service: service, link: "\(issuer.text)\(InvitationRoutes.path)/\(key.wire)", host: issuer.host,
            intro: texts.plain(Self.intro(invitation, service: service, brand: pages.brand)),
            time: texts.moment(invitation.expiresAt))
        return EmailContent(
            to: opened.address,
            subject: EmailContent.withoutIsolates(texts.plain(Text("invitation.mail.subject", ["service": service]))),
            text: pages.text("invitation-message-text", model, in: language),
            html: pages.text("invitation-message-html", model, in: language), language: texts.language,
            logo: pages.mailLogo, account: invitation.accountID)
    }
}
