/// What a client says about groups, without its secrets.
package struct ClientGroupRules: Sendable {
    package let clientID: String
    package let access: ClientAccess
    package let exposedGroups: [String]

    package init(clientID: String, access: ClientAccess, exposedGroups: [String]?) {
        (self.clientID, self.access, self.exposedGroups) = (clientID, access, exposedGroups ?? [])
    }

    package init(_ client: Client) {
        self.init(clientID: client.id, access: client.access, exposedGroups: client.exposedGroups)
    }

    /// Whether the client names any group.
    package var namesGroups: Bool {
        if case .groups = access { return true }
        return !exposedGroups.isEmpty
    }

    /// Whether the client lets members of a group in, or is told of it.
    func names(_ group: String) -> Bool { access.names(group) || exposedGroups.contains(group) }
}
