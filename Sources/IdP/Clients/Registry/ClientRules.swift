import SSOShared
import SSOWeb
import YAMLSettings

/// The keys of a client's entry about its protocols, who may enter it, what it is told of users, and how they sign out.
struct ClientRules {
    /// The same as the limit of groups that a user may be in on the wire.
    private static let maximumExposedGroups = 50
    private static let maximumURIs = 20

    private let access: ClientAccess
    private let exposedGroups: [String]?
    private let contact, logoutURI: String?
    private let isHidden: Bool
    private let signOutURIs: [String]
    let protocols: [ClientProtocolName]
    let oidc: OIDCSettings?
    /// Where the addresses of the client may be http (`allow_private_http`).
    let plainHosts: RedirectURI.PlainHosts

    /// The keys that only SSO has.
    private static let ssoKeys = ["logout_uri", "sign_out_uris"]

    /// Nil after a problem.
    init?(_ entry: SettingsFileEntry, client: String) {
        // All are read before any is required, so that all problems are reported at once.
        let allowsHTTP = Reader(entry: entry, client: client, plainHosts: .loopback).flag("allow_private_http", false)
        plainHosts = allowsHTTP == true ? .privateNetworks : .loopback
        let reader = Reader(entry: entry, client: client, plainHosts: plainHosts)
        let access = reader.access()
        let exposed = reader.optionalList("expose_groups", maximum: Self.maximumExposedGroups, Reader.group)
        let contact = reader.optional("contact", Reader.contact)
        let logout = reader.optional("logout_uri", reader.logoutURI)
        let signOut = reader.optionalList("sign_out_uris", maximum: Self.maximumURIs, reader.signOutURI)
        let hidden = reader.flag("hidden", false)
        let protocols = reader.protocols([.sso: Self.ssoKeys, .oidc: OIDCSettings.keys])
        let oidc = protocols?.contains(.oidc) == true ? OIDCSettings(reader) : nil
        guard let access, let exposed, let contact, let logout, let signOut, let hidden, let protocols,
            allowsHTTP != nil,
            protocols.contains(.oidc) == (oidc != nil)
        else { return nil }
        guard oidc?.isPublic != true || protocols == [.oidc] else {
            entry.problem(
                "public of \"\(client)\": a public client has no secret, so its protocols must be [oidc].", at: "public"
            )
            return nil
        }
        (self.access, exposedGroups, self.contact, logoutURI) = (access, exposed, contact, logout)
        (isHidden, signOutURIs) = (hidden, signOut ?? [])
        (self.protocols, self.oidc) = (protocols, oidc)
    }

    func apply(to client: inout Client) {
        (client.access, client.exposedGroups, client.contact) = (access, exposedGroups, contact)
        (client.isHidden, client.logoutURI, client.signOutURIs) = (isHidden, logoutURI, signOutURIs)
        (client.protocols, client.oidc) = (protocols, oidc)
        client.allowsPrivateHTTP = plainHosts == .privateNetworks
    }

    /// Reads one entry. Nil alone, not as the value, means a problem that was reported.
    struct Reader {
        let entry: SettingsFileEntry
        let client: String
        let plainHosts: RedirectURI.PlainHosts

        func access() -> ClientAccess? {
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

        func flag(_ key: String, _ fallback: Bool) -> Bool? {
            guard entry.has(key) else { return fallback }
            guard let text = entry.text(key) else { return nil }
            return Bool(text.value) ?? refuse(key, "\"\(text.value)\" must be true or false.")
        }

        /// The protocols. A key of one that is not listed is a problem: it would have no effect.
        func protocols(_ keys: [ClientProtocolName: [String]]) -> [ClientProtocolName]? {
            let all = ClientProtocolName.allCases
            let list = list("protocols", maximum: all.count, default: [ClientProtocolName.sso.rawValue]) { text in
                guard ClientProtocolName(rawValue: text) != nil else {
                    throw SettingError("\"\(text)\" must be \(SettingsFileEntry.list(all.map(\.rawValue))).")
                }
            }
            guard let list else { return nil }
            let names = list.compactMap(ClientProtocolName.init)
            let foreign = all.filter { !names.contains($0) }.flatMap { name in
                (keys[name] ?? []).filter(entry.has).map { (key: $0, name: name) }
            }
            for (key, name) in foreign {
                entry.problem(
                    "\(key) of \"\(client)\": is a key of \(name.rawValue), which protocols does not list.", at: key)
            }
            return foreign.isEmpty ? names : nil
        }

        func optional(_ key: String, _ check: (String) throws -> Void) -> String?? {
            guard entry.hasValue(key) else { return .some(nil) }
            guard let text = entry.text(key) else { return nil }
            do { try check(text.value) } catch { return refuse(key, "\(error)") }
            return text.value
        }

        /// A list that may be empty, which means the same as none.
        func optionalList(_ key: String, maximum: Int, _ check: (String) throws -> Void) -> [String]?? {
            guard entry.hasItems(key) else { return .some(nil) }
            // In two statements: one would make the outer nil an inner one.
            guard let items = list(key, maximum: maximum, check) else { return nil }
            return items
        }

        /// A list with at least one item.
        ///
        /// - Parameter fallback: stands for a key that is missing. An empty list is a problem: who writes one hardly means this.
        func list(
            _ key: String, maximum: Int, default fallback: [String] = [], _ check: (String) throws -> Void
        ) -> [String]? {
            guard entry.has(key) else { return fallback }
            guard let items = entry.texts(key) else { return nil }
            guard items.count <= maximum else {
                return refuse(key, "has \(items.count) items. At most \(maximum) are allowed.")
            }
            var good: [String] = []
            for item in items {
                do {
                    try check(item.value)
                    guard !good.contains(where: { $0.utf8.elementsEqual(item.value.utf8) }) else {
                        throw SettingError("\"\(item.value)\" appears twice.")
                    }
                    good.append(item.value)
                } catch {
                    entry.problem("\(key) of \"\(client)\": \(error)", at: item.node)
                }
            }
            return good.count == items.count ? good : nil
        }

        func refuse<T>(_ key: String, _ words: String) -> T? {
            entry.refuse("\(key) of \"\(client)\": \(words)", at: key)
        }

        static func group(_ text: String) throws {
            guard ClientID.isWellFormed(text) else {
                throw SettingError(
                    "\"\(text)\" must be the id of a group: at most 63 lower-case letters, digits and -, for example finance."
                )
            }
        }

        static func contact(_ text: String) throws {
            if text.hasPrefix("mailto:") {
                guard (try? EmailAddress(String(text.dropFirst("mailto:".count)))) == nil else { return }
                let meant = (try? Entered.address(text))?.text ?? "desk@example.com"
                throw SettingError("\"\(text)\" must name one email address in ASCII. Write mailto:\(meant)")
            }
            guard let url = try? WebURL(text), url.isHTTPS, text.utf8.count <= 2000 else {
                throw SettingError("\"\(text)\" must be https or mailto, for example mailto:desk@example.com.")
            }
        }

        /// Decides on the form alone. Which address its name leads to is known only when a message is sent.
        func logoutURI(_ text: String) throws {
            try webAddress(text, adding: [], example: "https://partner.example.com/auth/sso/logout")
        }

        func signOutURI(_ text: String) throws {
            try webAddress(text, adding: ["state"], example: "https://partner.example.com/bye")
            guard text.hasPrefix("https:") || plainHosts == .privateNetworks else {
                throw SettingError("\"\(text)\" must be https, for example https://partner.example.com/bye.")
            }
        }

        private func webAddress(_ text: String, adding fields: [String], example: String) throws {
            try RedirectURI.check(text, adding: fields, plain: plainHosts) { _ in
                "must be https, for example \(example)."
            }
        }
    }
}
