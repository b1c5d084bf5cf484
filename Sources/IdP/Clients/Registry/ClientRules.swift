import SSOShared
import SSOWeb
import YAMLSettings

/// The keys of a client's entry about its protocols, who may enter it, and what it is told of users.
struct ClientRules {
    /// The same as the limit of groups that a user may be in on the wire.
    private static let maximumExposedGroups = 50

    private let access: ClientAccess
    private let exposedGroups: [String]?
    private let contact: String?
    private let isHidden: Bool
    private let require: Strength
    /// In the order of the key `protocols`.
    let protocols: [any ClientProtocolSettings]
    /// Where the addresses of the client may be http (`allow_private_http`).
    let plainHosts: RedirectURI.PlainHosts

    var isPublic: Bool { protocols.contains { $0.isPublic } }
    var hasNoSecret: Bool { isPublic || protocols.haveNoSecret }

    /// Nil after a problem.
    init?(_ entry: SettingsFileEntry, client: String, of known: ClientProtocols) {
        // All are read before any is required, so that all problems are reported at once.
        let allowsHTTP = ClientKeyReader(entry: entry, client: client, plainHosts: .loopback).flag(
            "allow_private_http", false)
        plainHosts = allowsHTTP == true ? .privateNetworks : .loopback
        let reader = ClientKeyReader(entry: entry, client: client, plainHosts: plainHosts)
        let access = reader.access()
        let exposed = reader.optionalList("expose_groups", maximum: Self.maximumExposedGroups, ClientKeyReader.group)
        let contact = reader.optional("contact", ClientKeyReader.contact)
        // The protocol of an entry that names none is read in any case.
        let usual = known.all.first.flatMap { $0.init(reader) }
        let hidden = reader.flag("hidden", false)
        let require = entry.has("require") ? entry.choice("require", Strength.self) : .any
        let listed = reader.protocols(known)
        let settings = listed?.map { $0 == known.all.first ? usual : $0.init(reader) }
        guard let access, let exposed, let contact, let hidden, let listed, allowsHTTP != nil, usual != nil,
            let require, let protocols = settings?.compactMap(\.self), protocols.count == listed.count
        else { return nil }
        if let app = protocols.first(where: { $0.isPublic }), protocols.count > 1 {
            entry.problem(
                "public of \"\(client)\": a public client has no secret, so its protocols must be [\(type(of: app).id)].",
                at: "public")
            return nil
        }
        (self.access, exposedGroups, self.contact, isHidden) = (access, exposed, contact, hidden)
        (self.protocols, self.require) = (protocols, require)
    }

    func apply(to client: inout Client) {
        (client.access, client.exposedGroups, client.contact) = (access, exposedGroups, contact)
        (client.isHidden, client.protocols, client.require) = (isHidden, protocols, require)
        client.allowsPrivateHTTP = plainHosts == .privateNetworks
    }
}

extension ClientKeyReader {
    fileprivate func access() -> ClientAccess? {
        guard !entry.has("access") || !entry.hasItems("groups") else {
            return refuse("access", "and groups are both given. Use access: everyone, or groups, not both.")
        }
        if entry.has("access") {
            guard let text = entry.text("access") else { return nil }
            return text.value == "everyone"
                ? .everyone
                : refuse("access", "\"\(text.value)\" must be everyone. Use groups: [finance] for some users only.")
        }
        guard entry.has("groups") else { return .unstated }
        // An entry without access and groups lets everyone in. An empty list of groups must not mean that.
        guard entry.hasItems("groups") else {
            return refuse(
                "groups",
                "must be a list with at least one group, such as groups: [finance]. access: everyone lets everyone in."
            )
        }
        return list("groups", maximum: 200, Self.group).map(ClientAccess.groups)
    }

    /// The protocols. A key of one that is not listed is a problem: it would have no effect.
    fileprivate func protocols(_ known: ClientProtocols) -> [any ClientProtocolSettings.Type]? {
        let list = list("protocols", maximum: known.all.count, default: Array(known.ids.prefix(1))) { text in
            guard known.ids.contains(text) else {
                throw SettingError("\"\(text)\" must be \(SettingsFileEntry.list(known.ids)).")
            }
        }
        guard let list else { return nil }
        let foreign = known.all.filter { !list.contains($0.id) }.flatMap { type in
            type.keys.map(\.name).filter(entry.has).map { (key: $0, id: type.id) }
        }
        for (key, id) in foreign {
            entry.problem("\(key) of \"\(client)\": is a key of \(id), which protocols does not list.", at: key)
        }
        return foreign.isEmpty ? list.compactMap { id in known.all.first { $0.id == id } } : nil
    }

    fileprivate static func group(_ text: String) throws {
        guard ClientID.isWellFormed(text) else {
            throw SettingError("\"\(text)\" must be the id of a group: \(ClientID.rule), for example finance.")
        }
    }

    fileprivate static func contact(_ text: String) throws {
        if text.hasPrefix("mailto:") {
            guard (try? EmailAddress(String(text.dropFirst("mailto:".count)))) == nil else { return }
            let meant = (try? Entered.address(text))?.text ?? "desk@example.com"
            throw SettingError("\"\(text)\" must name one email address in ASCII. Write mailto:\(meant)")
        }
        guard let url = try? WebURL(text), url.isHTTPS, text.utf8.count <= 2000 else {
            throw SettingError("\"\(text)\" must be https or mailto, for example mailto:desk@example.com.")
        }
    }
}
