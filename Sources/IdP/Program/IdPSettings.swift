import Foundation
import IdPApps
import IdPDirectory
import IdPFlow
import IdPMail
import IdPProviders
import IdPSignIn
import SSOShared
import SSOWeb
import WellKnown

/// Every setting of the IdP.
package struct IdPSettings: Sendable {
    let publicURL: PublicOrigin
    let listen: ListenAddress
    let database: DatabaseLocation
    let keys: DerivedKeys
    let mail: MailURL
    let mailFrom: MailFrom
    /// Emails per hour over all addresses.
    let mailHourlyLimit: Int
    /// Limits per network.
    let limits: SignInLimits.Counts
    let allowedEmails: AllowedEmails
    let clients: ClientRegistry
    /// The accounts elsewhere that users may sign in with.
    let providers: ProviderSource
    let trustedProxies: ClientAddress
    let appleAssociation: AssociationSource
    let androidAssociation: AssociationSource
    /// Whether the link tester exists.
    let linkTester: Bool
    /// The apps that may receive the sign-in of the system browser.
    let nativeApps: NativeApps
    /// How the IdP presents itself on pages and in emails.
    let brand: Brand
    /// How answers to the email arrive; nil where they are not received.
    let inboundMail: InboundMailSettings?

    /// Whether the page of the outbox folder exists: on a loopback public address only.
    var showsMailbox: Bool {
        if case .outbox = mail { publicURL.isLoopback } else { false }
    }

    /// Reads all settings. Afterwards `reader` has all problems.
    ///
    /// - Returns: nil when there is a problem.
    static func read(_ reader: SettingsReader, environment: @escaping (String) -> String?) -> IdPSettings? {
        var publicURL = reader.value("IDP_PUBLIC_URL", default: "http://localhost:8080", PublicOrigin.init)
        let includesSubdomains = reader.hstsIncludesSubdomains()
        publicURL?.includesSubdomains = includesSubdomains
        let listen = reader.value("IDP_LISTEN", default: "127.0.0.1:8080", ListenAddress.init)
        let database = database(reader)
        let keys = reader.derivedKeys("IDP_SECRET_KEY")
        let mail = mailURL(reader, publicURL: publicURL)
        let mailFrom = required(
            reader, "IDP_MAIL_FROM", hint: "Use Name <address>, for example \(MailFromError.example)."
        ) {
            try sender($0)
        }
        let hourlyLimit = reader.value("IDP_MAIL_HOURLY_LIMIT", default: "1000", positiveNumber)
        let limits = networkLimits(reader)
        let allowed = reader.value("IDP_ALLOWED_EMAILS", default: "", AllowedEmails.init)
        if allowed?.isEmpty == true {
            reader.warn(
                "IDP_ALLOWED_EMAILS: is empty, so nobody can sign in. Use addresses and *@domain, for example "
                    + "*@example.com, ann@partner.org.")
        }
        let clients = registeredClients(reader, environment: environment)
        for client in clients.all {
            for secret in client.secrets {
                reader.requireDifferent(keys, "IDP_SECRET_KEY", from: secret, "the secret of the client \(client.id)")
            }
        }
        let providers = ProviderSource.read(
            reader, environment: environment, publicURL: publicURL, listen: listen, keys: keys)
        let proxies = reader.value("IDP_TRUSTED_PROXIES", default: "") { text in
            let items = text.split(whereSeparator: { $0 == "," || $0 == " " })
            let networks = try items.readAll { try Network($0) }
            for (item, network) in zip(items, networks) where network.exceedsPrivateRange {
                reader.warn(
                    "IDP_TRUSTED_PROXIES: \(item) is larger than any private network: every host in it can forge the address that "
                        + "limits and logs use. Use the proxy's own network, for example 10.1.2.0/24.")
            }
            return ClientAddress(trusted: networks)
        }
        let appleApps = reader.value("IDP_APPLE_APP_IDS", default: "") { try AppleAppID.list($0) } ?? []
        let androidApps = reader.value("IDP_ANDROID_APPS", default: "") { try AndroidApp.list($0) } ?? []
        let aasa = AppleAppSiteAssociation(appIDs: appleApps, paths: AssociationRoutes.claimedPaths)?.json()
        let apple = AssociationSource.read(
            reader, kind: .aasa, apps: ("IDP_APPLE_APP_IDS", aasa), file: "IDP_AASA_FILE")
        let android = AssociationSource.read(
            reader, kind: .assetlinks, apps: ("IDP_ANDROID_APPS", AssetLinks(apps: androidApps)?.json()),
            file: "IDP_ASSETLINKS_FILE")
        let nativeApps = reader.value("IDP_NATIVE_APPS", default: "") { try NativeApps.read($0, warn: reader.warn) }
        // A page for developers is on by default on loopback only (ASVS 15.2.3).
        let linkTester = reader.flag("IDP_LINK_TESTER", default: publicURL?.isLoopback == true)

        let brand = Brand.read(reader)
        let inboundMail = InboundMailSettings.read(reader, keys: keys, clients: clients)
        if let publicURL, !publicURL.isLoopback, let listen, LoopbackHost.contains(listen.host),
            proxies?.hasNoTrustedProxies ?? false
        {
            reader.warn(
                "IDP_TRUSTED_PROXIES: is not set, so all visitors seem to come from the proxy on this machine, and the "
                    + "limits per network are off. Use 127.0.0.1 if the proxy sets X-Forwarded-For.")
        }
        reader.reportExampleSecrets(publicURL: publicURL, listen: listen)
        if let database {
            reader.addCheck { await $0.checkDatabase(database, "IDP_DATABASE_URL", migrations: IdPMigrations.all) }
        }
        if let listen { reader.addCheck { await $0.checkListenAddress(listen, "IDP_LISTEN") } }
        if case .outbox(let folder) = mail {
            reader.addCheck { reader in
                if let problem = OutboxMailer(folder: folder).problem { reader.problem("IDP_MAIL_URL: \(problem)") }
            }
        }
        guard reader.problems.isEmpty, let publicURL, let listen, let database, let keys, let mail, let mailFrom,
            let hourlyLimit, let limits, let allowed, let proxies, let linkTester, let nativeApps, let brand
        else { return nil }
        return IdPSettings(
            publicURL: publicURL, listen: listen, database: database, keys: keys, mail: mail, mailFrom: mailFrom,
            mailHourlyLimit: hourlyLimit, limits: limits, allowedEmails: allowed, clients: clients,
            providers: providers, trustedProxies: proxies, appleAssociation: apple, androidAssociation: android,
            linkTester: linkTester, nativeApps: nativeApps, brand: brand, inboundMail: inboundMail)
    }

    private static func required<T>(
        _ reader: SettingsReader, _ name: String, hint: String, _ parse: (String) throws -> T
    ) -> T? {
        guard reader.text(name) != nil else {
            reader.problem("\(name): is required and not set. \(hint)")
            return nil
        }
        return reader.optional(name, parse)
    }

    private static func sender(_ text: String) throws(SettingError) -> MailFrom {
        do { return try MailFrom(text) } catch { throw SettingError("\"\(text)\" \(error)") }
    }

    private static func networkLimits(_ reader: SettingsReader) -> SignInLimits.Counts? {
        var counts = SignInLimits.Counts()
        let all: [(String, WritableKeyPath<SignInLimits.Counts, Int>)] = [
            ("IDP_LIMIT_EMAIL_POSTS", \.emailPosts), ("IDP_LIMIT_CODE_POSTS", \.codePosts),
            ("IDP_LIMIT_NEW_SESSIONS", \.newSessions), ("IDP_LIMIT_BAD_SIGNATURES", \.badSignatures),
        ]
        var isComplete = true
        for (name, count) in all {
            let value = reader.value(name, default: "\(counts[keyPath: count])", positiveNumber)
            if let value { counts[keyPath: count] = value } else { isComplete = false }
        }
        return isComplete ? counts : nil
    }

    /// The one setting that the commands beside a running IdP need.
    static func database(_ reader: SettingsReader) -> DatabaseLocation? {
        reader.value("IDP_DATABASE_URL", default: "sqlite:var/idp.sqlite", DatabaseLocation.init)
    }

    private static func positiveNumber(_ text: String) throws -> Int {
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw SettingError("\"\(text)\" must be a whole number from 1 to 1000000, such as 500.")
        }
        return number
    }

    /// The URL may contain a password, so it is shown without, and may come from a file.
    private static func mailURL(_ reader: SettingsReader, publicURL: PublicOrigin?) -> MailURL? {
        let hint =
            "Use smtp://user:password@host:587, smtps://user:password@host:465, or outbox:var/outbox for a trial on this machine."
        guard let text = reader.secretText("IDP_MAIL_URL", required: true, hint: hint) else { return nil }
        do {
            let mail = try MailURL.parse(text.trimmingCharacters(in: .whitespacesAndNewlines))
            reader.record("IDP_MAIL_URL", "\(mail)")
            if case .outbox = mail, let publicURL, !publicURL.isLoopback {
                reader.problem(
                    "IDP_MAIL_URL: outbox: shows every email to every visitor. It is for a loopback IDP_PUBLIC_URL "
                        + "only. Use a mail server, for example smtps://mail.example.com:465.")
            }
            return mail
        } catch {
            reader.problem("IDP_MAIL_URL: \(error)")
            return nil
        }
    }

    private static func registeredClients(
        _ reader: SettingsReader, environment: @escaping (String) -> String?
    ) -> ClientRegistry {
        var clients: [Client] = []
        if let path = reader.text("IDP_CLIENTS_FILE") {
            reader.record("IDP_CLIENTS_FILE", path)
            clients += ClientsFile(
                path: path, environment: environment, problem: reader.problem, warn: reader.warn,
                checkForExampleSecret: { reader.checkForExampleSecret($0, setting: $1) }
            ).read()
        }
        if let client = EnvironmentClient.read(reader) { clients.append(client) }
        let registry = ClientRegistry(clients, problem: reader.problem)
        for client in registry.all {
            let prints = client.secrets.map(\.fingerprint).joined(separator: ", ")
            reader.record(
                "client \(client.id)",
                "\"\(client.name)\", fingerprints \(prints), \(client.redirectURIs.joined(separator: " "))")
        }
        if registry.all.isEmpty && reader.problems.isEmpty {
            reader.warn(
                "No relying party is registered: set IDP_CLIENTS_FILE, or SSO_CLIENT_ID, SSO_REDIRECT_URIS and SSO_SHARED_SECRET."
            )
        }
        return registry
    }
}
