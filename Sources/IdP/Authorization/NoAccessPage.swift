import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb

/// The page for a user who may not enter the client that asked: whom to ask, another account, or back to the client. It names
/// no group, and no other client.
struct NoAccessPage: Sendable {
    let pages: Pages
    let sessions: Sessions
    let logos: ClientLogos

    private struct Model: Encodable, Sendable {
        let formToken, flow, name, email, client, logo, logoSizeHTML, cancel: String
        let contact: Contact?
        let hasLogo, hasContact: Bool
    }

    /// - Parameter flow: the pending flow of the request, in the user's session.
    func response(_ request: Request, client: Client, _ user: SignedInUser, flow: FlowID) -> Response {
        let logo = logos.path(of: client)
        let texts = pages.texts(for: request)
        let subject = texts.plain(Text("no-access.subject", ["client": client.name, "email": user.account.email]))
        let contact = (client.contact.map(Contact.init(of:)) ?? pages.supportURL.map(Contact.init(support:)))?
            .asking(subject)
        return pages.response(
            "no-access",
            Model(
                formToken: sessions.formToken(for: user.session), flow: flow.text, name: user.account.name,
                email: user.account.email, client: client.name, logo: logo,
                logoSizeHTML: logos.size(of: client), cancel: flow.cancel,
                contact: contact, hasLogo: !logo.isEmpty, hasContact: contact != nil), for: request, status: .forbidden)
    }

    /// Whom to ask, as a link with its address as text.
    fileprivate struct Contact: Encodable, Sendable {
        static let scheme = "mailto:"
        let href, contact: String
    }
}

extension NoAccessPage.Contact {
    /// With a subject, so that the reader of the email knows who asks for what. A web page gets nothing: its query is its own.
    fileprivate func asking(_ subject: String) -> Self {
        guard href.hasPrefix(Self.scheme), !href.contains("?") else { return self }
        return Self(href: "\(href)?subject=\(PercentCoding.encode(subject))", contact: contact)
    }

    /// - Parameter client: its `contact`, an https address or `mailto:` and an address as it is written.
    fileprivate init(of client: String) {
        guard client.hasPrefix(Self.scheme) else {
            self.init(support: client)
            return
        }
        let address = String(client.dropFirst(Self.scheme.count))
        self.init(href: Self.scheme + PercentCoding.encode(address, keeping: "@"), contact: address)
    }

    /// - Parameter support: `IDP_SUPPORT_URL`, where the address after `mailto:` is percent-encoded.
    fileprivate init(support: String) {
        guard support.hasPrefix(Self.scheme) else {
            self.init(href: support, contact: (try? WebURL(support))?.authority.host ?? support)
            return
        }
        let address = support.utf8.dropFirst(Self.scheme.count)
        self.init(
            href: support, contact: String(decoding: PercentCoding.decode(address) ?? Array(address), as: UTF8.self))
    }
}
