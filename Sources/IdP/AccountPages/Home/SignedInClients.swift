import IdPDirectory
import IdPFlow
import SSOWeb
import Storage

/// The part of the home page that lists the clients where the user is signed in.
struct ClientSection: Sendable {
    struct Item: Sendable {
        let name, href, logo: String
        let hasHref, hasLogo: Bool
        let since: Moment
    }

    let items: [Item]
    let hasItems: Bool
}

/// Reads in which clients a session's user is signed in.
struct SignedInClients: Sendable {
    let grants: GrantStore
    let clients: ClientDirectory
    let logos: ClientLogos

    func section(of session: Session, _ texts: Texts, _ connection: any SQLConnection) throws -> ClientSection {
        let registered = try clients.registered(connection)
        let items = try grants.signIns(of: session, connection).map { signIn in
            // Nil for a client that is not registered any more.
            let link = registered.client(id: signIn.clientID).map { ClientLink($0, logos) }
            return ClientSection.Item(
                name: link?.name ?? signIn.clientID, href: link?.href ?? "", logo: link?.logo ?? "",
                hasHref: link?.hasHref ?? false, hasLogo: link?.hasLogo ?? false, since: texts.moment(signIn.at))
        }
        return ClientSection(items: items, hasItems: !items.isEmpty)
    }
}
