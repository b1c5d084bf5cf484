import IdPAccounts
import IdPClients
import IdPSignOut
import SSOWeb
import Storage

/// The part of the home page that lists the services that the user may enter.
struct ClientSection: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        let name, href, logo, logoSizeHTML: String
        /// In place of a logo.
        let letter: String
        let hasHref, hasLogo: Bool
        /// Since when the user is signed in there.
        let since: Moment?
        let isEntered: Bool

        fileprivate init(_ link: ClientLink, since: Moment?) {
            (name, href, logo, logoSizeHTML) = (link.name, link.href, link.logo, link.logoSizeHTML)
            letter = String(name.prefix(1)).uppercased()
            (hasHref, hasLogo) = (link.hasHref, link.hasLogo)
            (self.since, isEntered) = (since, since != nil)
        }

        /// A client that is not registered any more.
        fileprivate init(id: String, since: Moment) {
            (name, href, logo, logoSizeHTML, hasHref, hasLogo) = (id, "", "", "", false, false)
            letter = String(id.prefix(1)).uppercased()
            (self.since, isEntered) = (since, true)
        }
    }

    let items: [Item]
    let hasItems: Bool
}

/// Reads which clients a user may enter, and in which a session has signed in.
struct SignedInClients: Sendable {
    let signIns = ClientSignIns()
    let clients: ClientDirectory
    let logos: ClientLogos

    /// One list by name: entered before or not. A client that is hidden is left out, and so is one that the user may not
    /// enter.
    func section(
        of user: SignedInUser, _ registered: ClientRegistry, now: Timestamp, _ texts: Texts,
        _ connection: any SQLConnection
    ) throws -> ClientSection {
        let signIns = try signIns.all(of: user.session.handle, connection).filter { $0.endedAt == nil }
        let since = Dictionary(signIns.map { ($0.clientID, texts.moment($0.lastUsedAt, now: now)) }) { first, _ in first
        }
        let groups = try GroupStore.groups(of: user.account.id, connection)
        let open = registered.all.filter { !$0.isHidden && $0.access.admits(groups) }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
            .map { ClientSection.Item(ClientLink($0, logos), since: since[$0.id]) }
        let known = Set(registered.all.map(\.id))
        let gone = signIns.filter { !known.contains($0.clientID) }
            .map { ClientSection.Item(id: $0.clientID, since: texts.moment($0.lastUsedAt, now: now)) }
        let items = open + gone
        return ClientSection(items: items, hasItems: !items.isEmpty)
    }

    func item(_ signIn: ClientSignIn, now: Timestamp, _ texts: Texts) -> ClientSection.Item {
        let since = texts.moment(signIn.lastUsedAt, now: now)
        guard let link = link(signIn.clientID) else { return ClientSection.Item(id: signIn.clientID, since: since) }
        return ClientSection.Item(link, since: since)
    }

    /// Nil for a client that is not registered any more.
    func link(_ clientID: String) -> ClientLink? { clients.client(id: clientID).map { ClientLink($0, logos) } }

    func item(_ receipt: SignOutReceipt, _ texts: Texts) -> ReceiptItem {
        ReceiptItem(receipt, clients.client(id: receipt.clientID), logos, texts)
    }
}

/// A client on a page: its name with its logo and, if it has a web page, a link there.
struct ClientLink: Encodable, Sendable {
    let name, href, logo, logoSizeHTML: String
    let hasHref, hasLogo: Bool

    init(_ client: Client, _ logos: ClientLogos) {
        name = client.name
        href = client.startPage() ?? ""
        (logo, logoSizeHTML) = (logos.path(of: client), logos.size(of: client))
        (hasHref, hasLogo) = (!href.isEmpty, !logo.isEmpty)
    }
}
