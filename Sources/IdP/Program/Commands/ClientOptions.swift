import ArgumentParser
import IdPAccounts
import IdPClients
import IdPFlow
import IdPGate
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

/// The client that a command is about.
struct ClientOptions: ParsableArguments {
    @Argument(help: "The client's id. With --protocol oidc alone also capitals, . and _, up to 128.") var id: String
    @Flag(help: "Print what is then there as JSON.") var json = false
    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        guard !ClientID.isWellFormedForOpenID(id) else { return }
        throw ValidationError(
            "ID: \"\(id)\" must be \(ClientID.openIDRule), for example wiki.\(UnseenCharacter.sentence(about: id, after: ""))"
        )
    }

    /// - Throws: exit code 1 when there is no such client.
    func view() async throws -> ClientView {
        let file = try database.registry(needsKeys: false).file
        return try await database.open(onlyReading: true) { [id] database in
            try await database.read { connection in
                if let view = try ClientView.all(file: file, connection).first(where: { $0.client.id == id }) {
                    return view
                }
                let problem = try KnownClients(file: file, connection).problem(with: id)
                throw ChangeError(
                    problem
                        ?? "the client \(id) is in the clients file of the running IdP, and this command has not read it. Set IDP_CLIENTS_FILE."
                )
            }
        }
    }

    /// Finds out whether there is such a client, for a command that found nothing of it.
    ///
    /// - Throws: exit code 1 for an unknown client.
    func requireKnown() async throws {
        let file = try database.registry(needsKeys: false, printingWarnings: false).file
        try await database.open(onlyReading: true) { [id] database in
            try await database.read { connection in
                guard let problem = try KnownClients(file: file, connection).problem(with: id) else { return }
                throw ChangeError(problem)
            }
        }
    }

    /// Makes a change, and prints what has changed.
    ///
    /// - Parameters:
    ///   - secret: a new one that is shown, and never again.
    ///   - warnsOfGroups: whether to warn of groups that the client names and nobody has made.
    ///   - warnsOfAddresses: whether to warn of addresses that others may read or claim.
    ///   - warnsOfProxies: whether to warn of a client behind the gate while no proxy is declared.
    ///   - unchanged: the line where nothing was to be done.
    ///   - words: one line for people, about the client.
    /// - Throws: exit code 1 for a change that was refused, 64 for wrong input.
    func make<Change: OperatorChange>(
        _ change: Change, printing secret: SharedSecret? = nil, warnsOfGroups: Bool = false,
        warnsOfAddresses: Bool = false, warnsOfProxies: Bool = false,
        unchanged: (String) -> String = { "Nothing to do: \($0) is so already." }, _ words: (String) -> String
    ) async throws where Change.Result == ClientView {
        var (changed, warnings): (Changed<ClientView>, [String])
        do {
            (changed, warnings) = try await database.open { database in
                let changed = try await OperatorChanges(database, by: .ofCommand()).make(change)
                guard warnsOfGroups else { return (changed, []) }
                return (
                    changed, try await database.read { try GroupStore.warnings(about: [changed.result.client], $0) }
                )
            }
        } catch let error as ClientEntryError {
            for problem in error.problems { _ = CommandExit.failure(IdPProgram.name, problem) }
            throw ExitCode.validationFailure
        }
        let text = secret.map { String(decoding: $0.bytes, as: UTF8.self) }
        let view = changed.result
        if json {
            print(ClientOutput.json(view, [.init("changed", changed.isChanged)], secret: text))
        } else if changed.isChanged {
            print(words("\(view.client.id) (\(view.client.name))"))
            if let text { print("Its new secret, which is shown only now:\n\(text)") }
        } else {
            print(unchanged("\(view.client.id) (\(view.client.name))"))
        }
        if warnsOfAddresses { warnings += view.client.addressWarnings }
        if warnsOfProxies, view.client.gate != nil, database.hasNoTrustedProxies {
            warnings.append(FlowSettings.gateWithoutProxies(view.client.id))
        }
        warnings.forEach(ListOutput.warn)
    }
}

/// Where a new secret comes from.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the secret from this file, at least 32 bytes, in place of a new one.", valueName: "file"))
    var secretFile: String?

    var isGiven: Bool { secretFile != nil }

    /// - Throws: exit code 64 for a file without a secret that may be used.
    func secret(_ registry: CommandRegistry) throws -> (SharedSecret, ClientSecretBox) {
        guard let keys = registry.keys else { throw CommandExit.configurationError }
        let box = ClientSecretBox(keys: keys, randomness: SystemRandomness())
        var problems: [String] = []
        let secret = try read { problems.append($0) }
        if let secret, keys.holds(secret) {
            problems.append(
                "--secret-file: is the same as a key of IDP_SECRET_KEY. Make another one with: openssl rand -hex 32")
        }
        for problem in problems { _ = CommandExit.failure(IdPProgram.name, problem) }
        guard let secret, problems.isEmpty else { throw ExitCode.validationFailure }
        return (secret, box)
    }

    private func read(problem: (String) -> Void) throws -> SharedSecret? {
        guard let secretFile else {
            let text = Hex.encode(try SystemRandomness().bytes(32))
            return try SharedSecret.parse(text, setting: "the new secret")
        }
        guard let text = SecretFile.read(secretFile, setting: "--secret-file", problem: problem) else { return nil }
        do {
            let secret = try SharedSecret.parse(text, setting: "--secret-file")
            if let warning = secret.warning { _ = CommandExit.failure(IdPProgram.name, "warning: \(warning)") }
            return secret
        } catch {
            problem("\(error). Make one with: openssl rand -hex 32")
            return nil
        }
    }
}

/// The keys of the clients file as options. The entry is checked by the code that reads the file: a new key of every client
/// needs one option and one line in ``values`` here. Those of a protocol are declared by it.
struct ClientEntryOptions: ParsableArguments {
    @Option(help: "The name that users see.") var name: String?
    @Option(
        name: .customLong("redirect-uri"), parsing: .singleValue,
        help: ArgumentHelp("A registered redirect URI; may be repeated, up to 20 times.", valueName: "url"))
    var redirectURI: [String] = []
    @Flag(help: "Everyone who may sign in may enter the client.") var everyone = false
    @Option(parsing: .singleValue, help: "Members of this group may enter the client; may be repeated.")
    var group: [String] = []
    @Option(
        parsing: .singleValue,
        help: "The client learns whether a user is in this group; may be repeated, up to 50 times.")
    var exposeGroup: [String] = []
    @Option(help: ArgumentHelp("Whom a user without access asks, https or mailto.", valueName: "url"))
    var contact: String?
    @Flag(inversion: .prefixedNo, help: "Leave the client out of the list on the home page.") var hidden: Bool?
    @Option(help: "The strength that a sign-in must have at least: any, mfa or phr.") var require: String?
    @Option(help: ArgumentHelp("An SVG or PNG file, shown beside the name.", valueName: "file")) var logo: String?
    @Option(name: .customLong("start-url"), help: ArgumentHelp("Where users start.", valueName: "url"))
    var startURL: String?
    @OptionGroup var usual: ProtocolOptions<UsualProtocolKeys>
    @Flag(
        name: .customLong("allow-private-http"), inversion: .prefixedNo,
        help: "Addresses of the client may be plain http in a private network.")
    var allowPrivateHTTP: Bool?
    @OptionGroup(title: "Protocols") var others: ProtocolOptions<OtherProtocolKeys>

    /// Those that ``ClientCommand/Set`` removes.
    static let optionalKeys =
        ["contact", "expose_groups", "hidden", "require", "logo"] + UsualProtocolKeys.keys.map(\.name)
        + ["start_url", "allow_private_http"] + OtherProtocolKeys.keys.map(\.name)

    /// Those with addresses that a command may have to warn of.
    static let addressKeys = Set(
        ["redirect_uris"]
            + (UsualProtocolKeys.keys + OtherProtocolKeys.keys).filter { $0.traits.contains(.address) }.map(\.name))

    /// Which address a new client needs and has not; nil where it has all.
    var missingAddress: String? {
        if redirectURI.isEmpty, ClientProtocols.builtIn.needRedirectURIs(listed) {
            return "--redirect-uri is missing. For example --redirect-uri https://wiki.example.com/auth/sso/callback."
        }
        guard listed.contains(GateSettings.id), others.values[GateSettings.addressKey] == nil else { return nil }
        return "--gate-origin is missing. For example --gate-origin https://wiki.example.com."
    }

    /// The protocols that are given.
    private var listed: [String] { if case .list(let ids) = others.values["protocols"] { ids } else { [] } }

    /// Whether the client has no secret.
    var hasNoSecret: Bool {
        others.values["public"] == .text("true") || ClientProtocols.builtIn.haveNoSecret(listed)
    }

    func validate() throws {
        guard everyone, !group.isEmpty else { return }
        throw ValidationError(
            "--everyone and --group are both given. Use --everyone, or --group finance for some users.")
    }

    /// The keys that are given. Access is one thing with two keys: one that is given removes the other.
    var values: [String: ClientEntry.Value?] {
        var values: [String: ClientEntry.Value?] = [:]
        func setText(_ key: String, _ text: String?) {
            if let text { values.updateValue(.text(text), forKey: key) }
        }
        func setList(_ key: String, _ items: [String]) {
            if !items.isEmpty { values.updateValue(.list(items), forKey: key) }
        }
        setText("name", name)
        setList("redirect_uris", redirectURI)
        setText("access", everyone ? "everyone" : nil)
        setList("groups", group)
        if everyone { values.updateValue(nil, forKey: "groups") }
        if !group.isEmpty { values.updateValue(nil, forKey: "access") }
        setList("expose_groups", exposeGroup)
        setText("contact", contact)
        setText("hidden", hidden.map { $0 ? "true" : "false" })
        setText("require", require)
        setText("logo", logo)
        setText("start_url", startURL)
        setText("allow_private_http", allowPrivateHTTP.map { $0 ? "true" : "false" })
        for (key, value) in usual.values.merging(others.values, uniquingKeysWith: { $1 }) {
            values.updateValue(value, forKey: key)
        }
        return values
    }

    /// The content of the logo that is given.
    ///
    /// - Throws: exit code 64 when it cannot be read.
    func logoContent() throws -> [UInt8]? {
        guard let logo else { return nil }
        do { return try LogoFile(path: logo).content } catch {
            _ = CommandExit.failure(IdPProgram.name, "--logo: \(error)")
            throw ExitCode.validationFailure
        }
    }
}

/// What commands about clients need beside the database.
struct CommandRegistry {
    /// The clients of the file and of the `SSO_…` settings.
    let file: ClientRegistry
    let keys: DerivedKeys?
}
