import IdPAccounts
package import IdPClients
import IdPSignOut
package import SSOShared
import SSOWeb
package import Storage

/// What the changes of clients have in common: the clients of the file, which no command changes, and the store.
package struct ClientRegistrar: Sendable {
    let file: ClientRegistry
    let store = ClientStore()

    /// - Parameter file: the clients of the file and of the `SSO_…` settings, as the command has read them.
    package init(file: ClientRegistry) { self.file = file }

    /// - Throws: ``ChangeError`` for a client that is not in the database.
    func client(_ id: String, _ connection: any SQLConnection) throws -> StoredClient {
        if let client = try store.client(id: id, connection) { return client }
        guard let place = try place(of: id, connection) else {
            throw ChangeError(
                try KnownClients(file: file, connection).problem(with: id)
                    ?? "there is no client \(id). idp client list has all.")
        }
        // SIGHUP reads the file again, and no setting.
        let isOfSettings = file.client(id: id)?.origin == .environment
        throw ChangeError(
            "the client \(id) is in \(place), which no command changes. Edit it there, and \(isOfSettings ? "restart" : "send SIGHUP")."
        )
    }

    /// Where a client of the file is; nil for one that is not there.
    func place(of id: String, _ connection: any SQLConnection) throws -> String? {
        if let place = file.client(id: id)?.origin.place { return place }
        return try FileClientStore.find(id, connection) == nil ? nil : "the clients file of the running IdP"
    }

    /// - Throws: ``ChangeError`` for a secret that another client has, or this one.
    func checkUnused(_ fingerprint: String, _ connection: any SQLConnection) throws {
        let inFile = file.all.first { $0.fingerprints.contains(fingerprint) }?.id
        guard let owner = try inFile ?? store.owner(ofFingerprint: fingerprint, connection) else { return }
        throw ChangeError("the client \(owner) has the same secret (\(fingerprint)). Give each its own.")
    }

    /// Refuses to go on with a disabled client while sign-ins of before have not ended: their tokens would be good again.
    ///
    /// - Throws: ``ChangeError``.
    func checkEnded(_ id: String, _ connection: any SQLConnection) throws {
        let users = try AccessLoss.accounts(without: .groups([]), at: id, connection).count
        guard users > 0 else { return }
        throw ChangeError(
            "the sign-ins of \(users) user\(users == 1 ? "" : "s") at \(id) have not ended yet. To end them: idp client disable \(id)"
        )
    }

    /// The end of every change: all processes act on it from the commit on.
    func commit(_ events: [Event], _ context: ChangeContext, _ connection: any SQLConnection) throws {
        try store.noteChange(connection)
        for event in events { try context.record(event, connection) }
    }

    func changed(_ id: String, _ isChanged: Bool, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        guard let view = try ClientView.all(file: file, connection).first(where: { $0.client.id == id }) else {
            throw ChangeError("there is no client \(id). idp client list has all.")
        }
        return Changed(view, isChanged: isChanged)
    }
}

/// Why the entry that an operator has typed is wrong: one for each problem. Each names the option, the rule and an example.
package struct ClientEntryError: Error {
    package let problems: [String]
}

extension ClientEntry {
    /// The option that sets a key: `--redirect-uri` for `redirect_uris`.
    package static func option(of key: String, _ protocols: ClientProtocols) -> String {
        switch key {
        case "id": "ID"
        case "access": "--everyone"
        case "groups": "--group"
        case "redirect_uris": "--redirect-uri"
        case "expose_groups": "--expose-group"
        case "protocols": "--protocol"
        default: "--" + (protocols.key(key)?.option.name ?? key.split(separator: "_").joined(separator: "-"))
        }
    }

    /// The client that it describes, without secrets.
    ///
    /// - Throws: ``ClientEntryError``.
    @discardableResult func checked(of protocols: ClientProtocols, logo: [UInt8]?) throws -> Client {
        var problems: [String] = []
        let client = client(
            of: protocols, secrets: [], logo: logo, place: { Self.option(of: $0, protocols) },
            problem: { problems.append($0) })
        guard let client, problems.isEmpty else { throw ClientEntryError(problems: problems) }
        return client
    }
}

/// Adds a client.
package struct AddClient: OperatorChange {
    private let id: String
    private let entry: ClientEntry
    private let logo: [UInt8]?
    private let secret: SharedSecret
    private let box: ClientSecretBox
    private let registrar: ClientRegistrar

    package init(
        _ id: String, _ entry: ClientEntry, logo: [UInt8]?, secret: SharedSecret, _ box: ClientSecretBox,
        _ registrar: ClientRegistrar
    ) {
        (self.id, self.entry, self.logo, self.secret) = (id, entry, logo, secret)
        (self.box, self.registrar) = (box, registrar)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let hasNoSecret = try entry.checked(of: registrar.file.protocols, logo: logo).hasNoSecret
        let store = registrar.store
        if let place = try registrar.place(of: id, connection) {
            throw ChangeError("the id \(id) is registered in \(place). Use another one, or remove that entry first.")
        }
        guard try store.client(id: id, connection) == nil else {
            throw ChangeError("there is a client \(id) already. Change it with: idp client set \(id)")
        }
        guard try store.count(connection) + registrar.file.all.count < ClientLimits.clients else {
            throw ChangeError(
                "there are \(ClientLimits.clients) clients already, which is the most. Remove one with: idp client remove ID"
            )
        }
        let fingerprint = secret.fingerprint
        try registrar.checkUnused(fingerprint, connection)
        try store.insert(entry, of: registrar.file.protocols, id: id, logo: logo, at: context.now, connection)
        guard !hasNoSecret else {
            try registrar.commit([Event(.clientChanged, client: id, detail: "added")], context, connection)
            return try registrar.changed(id, true, connection)
        }
        try store.insert(
            try box.seal(secret, of: id), SecretName(client: id, fingerprint: fingerprint), at: context.now, connection)
        try registrar.commit(
            [
                Event(.clientChanged, client: id, detail: "added"),
                Event(.clientSecretAdded, client: id, detail: fingerprint),
            ], context, connection)
        return try registrar.changed(id, true, connection)
    }
}

/// Changes keys of a client's entry.
package struct SetClient: OperatorChange {
    private let id: String
    /// The new value of each key; nil removes the key.
    private let values: [String: ClientEntry.Value?]
    private let logo: [UInt8]?
    private let isForced: Bool
    private let registrar: ClientRegistrar

    /// - Parameters:
    ///   - logo: the content of a new logo.
    ///   - isForced: also when users who are signed in at the client lose access.
    package init(
        _ id: String, _ values: [String: ClientEntry.Value?], logo: [UInt8]?, isForced: Bool = true,
        _ registrar: ClientRegistrar
    ) {
        (self.id, self.values, self.logo, self.isForced, self.registrar) = (id, values, logo, isForced, registrar)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let client = try registrar.client(id, connection)
        var entry = client.entry
        for (key, value) in values { entry[key] = value }
        let logo = entry["logo"] == nil ? nil : self.logo ?? client.logo
        let described = try entry.checked(of: registrar.file.protocols, logo: logo)
        guard described.hasNoSecret == client.secrets.isEmpty else {
            throw ChangeError(
                "a client with a secret cannot become one without, nor the other way round. Remove \(id) and add it again."
            )
        }
        let access = described.access
        guard entry != client.entry || logo != client.logo else { return try registrar.changed(id, false, connection) }
        let lost = client.isEnabled ? try AccessLoss.accounts(without: access, at: id, connection).count : 0
        guard lost == 0 || isForced else {
            throw ChangeError(
                "\(lost) user\(lost == 1 ? " who is" : "s who are") signed in at \(id) would lose access. Add the groups that they are in, or use --force."
            )
        }
        try registrar.store.update(
            client, entry: entry, of: registrar.file.protocols, logo: logo, isEnabled: client.isEnabled,
            at: context.now, connection)
        let detail = "set \(values.keys.sorted().joined(separator: " "))"
        try registrar.commit([Event(.clientChanged, client: id, detail: detail)], context, connection)
        try ClientGrants.void(ofDroppedAddresses: described, at: context.now, connection)
        if client.isEnabled { AccessLoss.end(at: id, with: access, after: context) }
        // An entry that does not fit this version is in force nowhere.
        let before = try? client.entry.checked(of: registrar.file.protocols, logo: client.logo)
        for kind in before?.protocolsLost(by: described) ?? [] {
            try ClientGrants.end(kind, of: id, at: context.now, connection)
        }
        return try registrar.changed(id, true, connection)
    }
}

/// Disables a client, which is then answered as one that is unknown, or enables it again. What it was issued before stays void.
package struct EnableClient: OperatorChange {
    private let id: String
    private let isEnabled: Bool
    private let registrar: ClientRegistrar

    package init(_ id: String, _ isEnabled: Bool, _ registrar: ClientRegistrar) {
        (self.id, self.isEnabled, self.registrar) = (id, isEnabled, registrar)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let client = try registrar.client(id, connection)
        // Also where it is disabled already: the sign-ins of a process that has died on the way end now.
        if !isEnabled { AccessLoss.end(at: id, with: .groups([]), after: context) }
        guard client.isEnabled != isEnabled else { return try registrar.changed(id, false, connection) }
        if isEnabled { try registrar.checkEnded(id, connection) }
        try registrar.store.update(
            client, entry: client.entry, of: registrar.file.protocols, logo: client.logo, isEnabled: isEnabled,
            at: context.now, connection)
        try registrar.commit(
            [Event(.clientChanged, client: id, detail: isEnabled ? "enabled" : "disabled")], context, connection)
        if !isEnabled { try ClientGrants.void(of: id, at: context.now, connection) }
        return try registrar.changed(id, true, connection)
    }
}

/// Removes a client that is disabled. Its audit rows stay.
package struct RemoveClient: OperatorChange {
    private let id: String
    private let registrar: ClientRegistrar

    package init(_ id: String, _ registrar: ClientRegistrar) { (self.id, self.registrar) = (id, registrar) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ClientView> {
        let client = try registrar.client(id, connection)
        guard !client.isEnabled else {
            throw ChangeError("the client \(id) is enabled. First see what misses it: idp client disable \(id)")
        }
        try registrar.checkEnded(id, connection)
        let last = try registrar.changed(id, true, connection)
        try registrar.store.delete(id, connection)
        // Disabling has voided them already. Once more, because the id may be given to another client.
        try ClientGrants.void(of: id, at: context.now, connection)
        let ended = try AppKeyStore.end(ofRemoved: id, connection)
        try registrar.commit([Event(.clientChanged, client: id, detail: "removed")] + ended, context, connection)
        return last
    }
}
