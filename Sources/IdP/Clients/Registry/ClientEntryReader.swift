import SSOShared
import SSOWeb
import YAMLSettings
import Yams

/// How many clients there may be, and what each may have.
package enum ClientLimits {
    package static let clients = 500
    static let redirectURIs = 20
    /// How long after its last use a replaced secret ends, if the operator does not say.
    package static let unusedSecretEndsAfter: Duration = .days(7)
}

/// Reads the entry of a client, from the clients file or as a command has given it: the same keys, the same checks.
///
/// The keys of a protocol are declared by it (``ClientProtocolSettings/keys``). A new key of every client is read here, and
/// needs one line in `ClientEntryOptions` to be an option of `idp client add` and `set`.
struct ClientEntryReader {
    private let file: SettingsFile
    private let protocols: ClientProtocols
    private let known: [String]
    private let leavesLogosOut: Bool
    private let readLogo: (String) throws -> LogoFile

    /// - Parameters:
    ///   - furtherKeys: keys that the entry may have and that are not read here.
    ///   - leavesLogosOut: whether a logo that cannot be used is a warning and no problem.
    ///   - readLogo: finds the logo that an entry names.
    init(
        file: SettingsFile, of protocols: ClientProtocols, furtherKeys: [String] = [], leavesLogosOut: Bool = false,
        readLogo: @escaping (String) throws -> LogoFile
    ) {
        (self.file, self.protocols, self.leavesLogosOut) = (file, protocols, leavesLogosOut)
        (known, self.readLogo) = (protocols.entryKeys + furtherKeys, readLogo)
    }

    /// Nil after a problem.
    ///
    /// - Parameter secrets: reads the secrets of the client with that id; nil after a problem.
    func client(_ node: Node, secrets: (SettingsFileEntry, String) -> [SharedSecret]?) -> Client? {
        guard let entry = file.entry(node, known: known, what: "client", example: example) else { return nil }
        // All are read before any is required, so that all problems are reported at once.
        let (written, name) = (entry.text("id"), entry.displayName("name"))
        let shown = written.map { ClientID.isWellFormedForOpenID($0.value) ? $0.value : "?" } ?? "?"
        let rules = ClientRules(entry, client: shown, of: protocols)
        let id = written.flatMap { identifier($0, rules) }
        let uris = redirectURIs(entry, client: shown, rules)
        let secrets = hasNoSecret(entry, rules) ? noSecrets(entry, shown, rules) : secrets(entry, shown)
        let start = optional(entry, "start_url", client: shown, Self.startURL)
        let logo = logo(entry, client: shown)
        guard let id, let name, let uris, let secrets, let start, let logo, let rules else { return nil }
        var client = Client(id: id, name: name, redirectURIs: uris, secrets: secrets, logo: logo, startURL: start)
        rules.apply(to: &client)
        return client
    }

    /// A logo only decorates: in a file that a program reads at its start, one that cannot be used is left out with a warning.
    private func logo(_ entry: SettingsFileEntry, client: String) -> LogoFile?? {
        guard leavesLogosOut else { return optional(entry, "logo", client: client, readLogo) }
        guard entry.hasValue("logo") else { return .some(nil) }
        guard let text = entry.text("logo") else { return nil }
        do { return try readLogo(text.value) } catch {
            file.warn("\(file.place(of: text.node)): logo of \"\(client)\": \("\(error)".withFullStop) It is left out.")
            return .some(nil)
        }
    }

    /// The value of a key that may be missing. Nil alone, not as the value, when there is a problem.
    private func optional<Value>(
        _ entry: SettingsFileEntry, _ name: String, client: String, _ read: (String) throws -> Value
    ) -> Value?? {
        guard entry.hasValue(name) else { return .some(nil) }
        guard let text = entry.text(name) else { return nil }
        do { return try read(text.value) } catch {
            return file.refuse("\(name) of \"\(client)\": \(error)", text.node)
        }
    }

    /// - Throws: ``SettingError`` for an address that a page may not lead to.
    private static func startURL(_ text: String) throws -> String {
        guard let url = try? WebURL(text), text.utf8.count <= 2000 else {
            throw SettingError(
                "\"\(text)\" must be a web address of at most 2000 bytes, such as https://partner.example.com/")
        }
        guard url.isHTTPS || url.authority.isLoopback else {
            throw SettingError("\"\(text)\" must be https; http is for loopback hosts only.")
        }
        return text
    }

    /// - Parameter rules: nil after a problem with them. Then the id may have either form.
    private func identifier(_ id: SettingsFileEntry.Text, _ rules: ClientRules?) -> String? {
        let isOfApp = rules.map { $0.protocols.allSatisfy { type(of: $0).takesIDsOfApps } } ?? true
        if isOfApp ? ClientID.isWellFormedForOpenID(id.value) : ClientID.isWellFormed(id.value) { return id.value }
        guard !isOfApp else {
            return file.refuse("id \"\(id.value)\" must be \(ClientID.openIDRule), for example wiki.", id.node)
        }
        let other = protocols.all.first { $0.takesIDsOfApps && ClientID.isWellFormedForOpenID(id.value) }
        let hint = other.map { " A client with protocols: [\($0.id)] alone may have this id." } ?? ""
        return file.refuse("id \"\(id.value)\" must be \(ClientID.rule), for example partner.\(hint)", id.node)
    }

    /// Also after a problem with another key: by the protocols as they are listed, and by the key `public`.
    private func hasNoSecret(_ entry: SettingsFileEntry, _ rules: ClientRules?) -> Bool {
        rules?.hasNoSecret ?? (entry.keys["public"]?.string == "true" || protocols.haveNoSecret(listed(entry)))
    }

    private func listed(_ entry: SettingsFileEntry) -> [String] {
        entry.keys["protocols"]?.sequence?.compactMap(\.string) ?? []
    }

    private func noSecrets(_ entry: SettingsFileEntry, _ client: String, _ rules: ClientRules?) -> [SharedSecret]? {
        guard entry.hasItems("secrets") else { return [] }
        let kind = rules?.isPublic == true ? "a public client" : "a client with these protocols"
        return entry.refuse("secrets of \"\(client)\": \(kind) has none. Remove the key.", at: "secrets")
    }

    /// - Parameter rules: nil after a problem with them. Then what depends on them is not checked.
    private func redirectURIs(_ entry: SettingsFileEntry, client: String, _ rules: ClientRules?) -> [String]? {
        // Also after a problem with another key: by the protocols as they are listed.
        guard protocols.needRedirectURIs(listed(entry)) || entry.hasItems("redirect_uris") else { return [] }
        guard protocols.takeRedirectURIs(listed(entry)) else {
            return entry.refuse(
                "redirect_uris of \"\(client)\": a client with these protocols has none. Remove the key.",
                at: "redirect_uris")
        }
        guard let uris = entry.texts("redirect_uris") else { return nil }
        guard uris.count <= ClientLimits.redirectURIs else {
            return entry.refuse(
                "redirect_uris of \"\(client)\": has \(uris.count) items. At most \(ClientLimits.redirectURIs) are allowed.",
                at: "redirect_uris")
        }
        var good: [String] = []
        for uri in uris {
            do {
                guard !good.contains(where: { $0.utf8.elementsEqual(uri.value.utf8) }) else {
                    throw SettingError("\"\(uri.value)\" appears twice.")
                }
                try check(redirectURI: uri.value, rules)
                good.append(uri.value)
            } catch {
                file.problem("\(file.place(of: uri.node)): redirect_uris of \"\(client)\": \(error)")
            }
        }
        return good.count == uris.count ? good : nil
    }

    /// A public client may leave the port of a loopback address open (RFC 8252 7.3), and may have a
    /// scheme of one word: it proves itself with PKCE, so a code is worthless for another app that claims the scheme.
    private func check(redirectURI uri: String, _ rules: ClientRules?) throws {
        let used = rules?.protocols.map { type(of: $0) } ?? Array(protocols.all.prefix(1))
        let added = used.flatMap { $0.callbackFields }
        let fields = added.enumerated().filter { !added[..<$0.offset].contains($0.element) }.map(\.element)
        let plain = rules?.plainHosts ?? .loopback
        guard rules?.isPublic == true else {
            return try RedirectURI.check(uri, adding: fields, plain: plain) { scheme in
                guard let problem = RedirectURI.problemOfReversedDomain(scheme) else { return nil }
                let isApp = AppScheme.isOneWord(scheme) && !AppScheme.isForeign(scheme)
                return isApp ? "\(problem) Only a client with public: true may have a scheme of one word." : problem
            }
        }
        try RedirectURI.check(
            LoopbackPort.example(of: uri) ?? uri, adding: fields, plain: plain,
            checkScheme: RedirectURI.problemOfAppScheme)
        let scheme = uri.prefix { $0 != ":" }
        // `scheme:path` is what urn: and tel: look like.
        guard !AppScheme.isOneWord(scheme) || uri.dropFirst(scheme.count + 1).hasPrefix("/") else {
            throw SettingError("\"\(uri)\" must have a slash after the colon, such as \(scheme):/callback.")
        }
    }

    private func example(of key: String) -> String {
        let value =
            switch key {
            case "id": "partner"
            case "name": "Partner service"
            case "redirect_uris": "[https://partner.example.com/auth/sso/callback]"
            case "secrets": #"["credential:partner"]"#
            case "logo": "partner.svg"
            case "start_url": "https://partner.example.com/"
            case "access": "everyone"
            case "groups", "expose_groups": "[finance, board]"
            case "contact": "mailto:desk@example.com"
            case "require": "phr"
            case "protocols": "[\(protocols.ids.joined(separator: ", "))]"
            // The others are true or false.
            default: protocols.key(key)?.example ?? "true"
            }
        return "For example \(key): \(value)"
    }
}
