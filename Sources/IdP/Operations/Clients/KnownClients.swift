import IdPAccounts
package import IdPClients
import SSOShared
package import Storage

/// The clients that commands know: those of the file as the command has read it, those of the file as the running IdP has
/// registered them, and those of the database.
package struct KnownClients: Sendable {
    package struct Known: Sendable {
        package let id, name: String
        package let access: ClientAccess
        package let exposed: [String]
        package let isEnabled: Bool
        /// Whether the running IdP alone has it, and not the file that the command has read.
        package let isRecorded: Bool

        func names(_ group: String) -> Bool { access.names(group) || exposed.contains(group) }
    }

    package let all: [Known]

    /// - Parameter file: the clients of the file and of the `SSO_…` settings, as the command has read them.
    package init(file: ClientRegistry, _ connection: any SQLConnection) throws {
        let views = try ClientView.all(file: file, connection).map { view in
            Known(
                id: view.client.id, name: view.client.name, access: view.client.access,
                exposed: view.client.exposedGroups ?? [], isEnabled: view.isEnabled, isRecorded: false)
        }
        let ids = Set(views.map(\.id))
        let recorded = try FileClientStore.all(connection).filter { !ids.contains($0.id) }.map {
            Known(
                id: $0.id, name: $0.name, access: $0.access, exposed: $0.exposed, isEnabled: true, isRecorded: true)
        }
        all = views + recorded
    }

    /// Why a client is not found, with the nearest id; nil for one that is there.
    package func problem(with id: String) -> String? {
        guard !all.contains(where: { $0.id == id }) else { return nil }
        return
            "there is no client \(id).\(SpellingSuggestion.question(id, among: all.map(\.id))) idp client list has all."
    }

    /// Why an account may enter a client, in words: `everyone`, or the groups of it that the client lets in. Nil where it may not.
    package static func reason(_ client: Known, groups: [String]) -> String? {
        guard client.isEnabled, client.access.admits(groups) else { return nil }
        guard case .groups(let allowed) = client.access else { return "everyone" }
        let own = groups.filter { allowed.contains($0) }
        return "group\(own.count == 1 ? "" : "s") \(own.joined(separator: ", "))"
    }
}

/// Messages about names that are not there.
package enum UnknownName {
    /// There is no account with an address, and whose was probably meant.
    package static func account(_ address: String, _ connection: any SQLConnection) throws -> String {
        let near = SpellingSuggestion.question(address.lowercased(), among: try similar(address, connection))
        let found = near.isEmpty ? " idp user list --search TEXT finds accounts." : near
        return "there is no account with the address \(address).\(found)"
    }

    /// The address of an account that another address was probably meant to be.
    static func near(_ address: String, _ connection: any SQLConnection) throws -> String? {
        SpellingSuggestion.near(address.lowercased(), among: try similar(address, connection))
    }

    /// Of the same mailbox elsewhere, or in the same domain: one of both is rarely misspelt.
    private static func similar(_ address: String, _ connection: any SQLConnection) throws -> [String] {
        let parts = address.lowercased().split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return [] }
        return try connection.query(
            """
            SELECT email FROM account WHERE email LIKE :local ESCAPE '!' OR email LIKE :domain ESCAPE '!'
             ORDER BY email LIMIT 2000
            """,
            ["local": .text(escaped(parts[0]) + "@%"), "domain": .text("%@" + escaped(parts[1]))]
        ).map { try $0.text("email") }
    }

    /// There is no group with an id, and which was probably meant.
    package static func group(_ id: String, _ connection: any SQLConnection) throws -> String {
        let near = SpellingSuggestion.question(id, among: try GroupStore.all(connection).map(\.id))
        return "there is no group \(id).\(near) See idp group list, or make it: idp group add \(id)"
    }

    private static func escaped(_ text: Substring) -> String {
        text.map { "%_!".contains($0) ? "!\($0)" : String($0) }.joined()
    }
}
