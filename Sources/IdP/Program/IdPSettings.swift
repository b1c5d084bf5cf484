import Foundation
import IdPAccounts
import IdPApps
import IdPClients
import IdPFlow
import IdPMail
import IdPProtocols
import IdPProviders
import IdPSignIn
import SSOShared
import SSOWeb
import Storage
import StorageEngines
import WellKnown

/// Every setting of the IdP.
package struct IdPSettings: Sendable {
    let publicURL: PublicOrigin
    let listen: ListenAddress
    let database: DatabaseLocation
    let keys: DerivedKeys
    let mail: MailURL
    let mailFrom: MailFrom
    /// The name in EHLO; nil for this machine's.
    let mailGreeting: MailGreeting?
    /// Emails per hour over all addresses.
    let mailHourlyLimit: Int
    /// Limits per network.
    let limits: SignInLimits.Counts
    let allowedEmails: AllowedEmails
    let clients: ClientSource
    /// The accounts elsewhere that users may sign in with.
    let providers: ProviderSource
    let trustedProxies: ClientAddress
    /// Networks that have a name.
    let places: Places
    let appleAssociation: AssociationSource
    let androidAssociation: AssociationSource
    /// Whether the link tester exists.
    let linkTester: Bool
    /// Whether WebFinger is there.
    let webFinger: Bool
    /// The apps that may receive the sign-in of the system browser.
    let nativeApps: NativeApps
    /// How the IdP presents itself on pages and in emails.
    let brand: Brand
    /// The files that all nodes should have alike, by the setting that names them.
    let files: [String: String]
    /// How many days rows of the audit log are kept.
    let auditDays: Int
    /// Where metrics are served; nil for nowhere.
    let metricsListen: MetricsListen?
    /// How long a browser's session lasts.
    let sessionLifetime: SessionLifetime
    /// How answers to the email arrive; nil where they are not received.
    let inboundMail: InboundMailSettings?

    /// Whether the page of the outbox folder exists: on a loopback public address only.
    var showsMailbox: Bool {
        if case .outbox = mail { publicURL.isLoopback } else { false }
    }

    /// Reads all settings. Afterwards `reader` has all problems.
    ///
    /// - Parameter protocols: those that clients may use.
    /// - Returns: nil when there is a problem.
    static func read(
        _ reader: SettingsReader, environment: @escaping (String) -> String?, protocols: ClientProtocols = .builtIn
    ) -> IdPSettings? {
        var publicURL = reader.value(publicURLSetting)
        let includesSubdomains = reader.hstsIncludesSubdomains()
        publicURL?.includesSubdomains = includesSubdomains
        let listen = reader.value(listenSetting)
        let database = database(reader)
        let keys = reader.derivedKeys(secretKey.name)
        let mail = mailURL(reader, publicURL: publicURL)
        let mailFrom = reader.required(
            mailFromSetting, hint: "Use Name <address>, for example \(MailFromError.example).")
        let mailGreeting = reader.value(MailGreeting.setting)
        let hourlyLimit = reader.value(mailHourlyLimitSetting)
        let limits = networkLimits(reader)
        let allowed = reader.value(allowedEmailsSetting, default: "")
        if allowed?.isEmpty == true {
            reader.warn(
                "\(allowedEmailsSetting.name): is empty, so only users whom you invite or import can sign in. To let others in, "
                    + "use addresses and *@domain, for example *@example.com, ann@partner.org.")
        }
        let problemsBefore = reader.problems.count
        let clients = registeredClients(reader, of: protocols, environment: environment, keys: keys)
        let hasFaultyClients = reader.problems.count > problemsBefore
        let providers = ProviderSource.read(
            reader, environment: environment, publicURL: publicURL, listen: listen, keys: keys)
        let proxies = reader.value(trustedProxiesSetting, default: "")
        let places = reader.value(placesSetting, default: "")
        let appleApps = reader.value(appleApps, default: "") ?? []
        let androidApps = reader.value(androidApps, default: "") ?? []
        let aasa = AppleAppSiteAssociation(appIDs: appleApps, paths: AssociationRoutes.claimedPaths)?.json()
        let apple = AssociationSource.read(
            reader, kind: .aasa, apps: (Self.appleApps.name, aasa), file: aasaFile.name)
        let android = AssociationSource.read(
            reader, kind: .assetlinks, apps: (Self.androidApps.name, AssetLinks(apps: androidApps)?.json()),
            file: assetLinksFile.name)
        let nativeApps = reader.value(nativeAppsSetting, default: "")
        // A page for developers is on by default on loopback only (ASVS 15.2.3).
        let linkTester = reader.value(linkTesterSetting, default: publicURL?.isLoopback == true ? "true" : "false")
        let webFinger = reader.value(WebFingerFeature.setting)
        let brand = Brand.read(reader)
        let auditDays = reader.value(auditDaysSetting)
        let metricsListen = reader.value(metricsListenSetting)
        let sessionLifetime = sessionSettings.read(reader)
        let inboundMail = InboundMailSettings.read(reader, keys: keys, clients: clients)
        if let publicURL, !publicURL.isLoopback, let listen, LoopbackHost.contains(listen.host),
            proxies?.hasNoTrustedProxies ?? false
        {
            reader.warn(
                "\(trustedProxiesSetting.name): is not set, so all visitors seem to come from the proxy on this machine, and the "
                    + "limits per network are off. Use 127.0.0.1 if the proxy sets X-Forwarded-For.")
        }
        reader.reportExampleSecrets(publicURL: publicURL, listen: listen)
        if let database, database.isFile {
            reader.addCheck {
                await $0.checkDatabase(database, databaseSettings.url.name, inspecting: ProgramDatabase.idp.inspect)
                if let keys {
                    await $0.checkRegistry(database, keys, clients, hasFaultyClients: hasFaultyClients)
                }
            }
        }
        for (address, name) in [(listen, listenSetting.name), (metricsListen?.address, metricsListenSetting.name)] {
            if let address { reader.addCheck { await $0.checkListenAddress(address, name) } }
        }
        if case .outbox(let folder) = mail {
            reader.addCheck { reader in
                if let problem = OutboxMailer(folder: folder).problem {
                    reader.problem("\(mailURLSetting.name): \(problem)")
                }
            }
        } else if let mailFrom {
            MailGreeting.check(mailGreeting, from: mailFrom, reader)
        }
        guard reader.problems.isEmpty, let publicURL, let listen, let database, let keys, let mail, let mailFrom,
            let hourlyLimit, let limits, let allowed, let proxies, let places, let linkTester, let webFinger,
            let nativeApps,
            let brand, let auditDays, let sessionLifetime
        else { return nil }
        return IdPSettings(
            publicURL: publicURL, listen: listen, database: database, keys: keys, mail: mail, mailFrom: mailFrom,
            mailGreeting: mailGreeting, mailHourlyLimit: hourlyLimit, limits: limits, allowedEmails: allowed,
            clients: source(of: clients, reader, publicURL: publicURL, listen: listen, keys: keys),
            providers: providers, trustedProxies: proxies, places: places, appleAssociation: apple,
            androidAssociation: android, linkTester: linkTester, webFinger: webFinger, nativeApps: nativeApps,
            brand: brand, files: files(reader), auditDays: auditDays, metricsListen: metricsListen,
            sessionLifetime: sessionLifetime, inboundMail: inboundMail)
    }

    private static func files(_ reader: SettingsReader) -> [String: String] {
        [ClientsFile.setting.name, ProvidersFile.setting.name].reduce(into: [:]) { $0[$1] = reader.text($1) }
    }

    private static func networkLimits(_ reader: SettingsReader) -> SignInLimits.Counts? {
        var counts = SignInLimits.Counts()
        let emailPosts = reader.value(emailPostsLimit)
        let codePosts = reader.value(codePostsLimit)
        let newSessions = reader.value(newSessionsLimit)
        let badSignatures = reader.value(badSignaturesLimit)
        guard let emailPosts, let codePosts, let newSessions, let badSignatures else { return nil }
        (counts.emailPosts, counts.codePosts) = (emailPosts, codePosts)
        (counts.newSessions, counts.badSignatures) = (newSessions, badSignatures)
        return counts
    }

    /// The settings that the commands beside a running IdP need.
    static func database(_ reader: SettingsReader) -> DatabaseLocation? { databaseSettings.read(reader) }

    /// The URL may contain a password, so it is shown without, and may come from a file.
    private static func mailURL(_ reader: SettingsReader, publicURL: PublicOrigin?) -> MailURL? {
        let hint =
            "Use smtp://user:password@host:587, smtps://user:password@host:465, or outbox:var/outbox for a trial on this machine."
        guard let text = reader.secretText(mailURLSetting.name, required: true, hint: hint) else { return nil }
        let tokenFile = reader.value(MailTokenFile.setting)
        do {
            let mail = try MailURL.parse(text.trimmingCharacters(in: .whitespacesAndNewlines), tokenFile: tokenFile)
            reader.record(mailURLSetting.name, "\(mail)")
            if let tokenFile { check(tokenFile, of: mail, reader) }
            if case .outbox = mail, let publicURL, !publicURL.isLoopback {
                reader.problem(
                    "\(mailURLSetting.name): outbox: shows every email to every visitor. It is for a loopback IDP_PUBLIC_URL "
                        + "only. Use a mail server, for example smtps://mail.example.com:465.")
            }
            return mail
        } catch {
            reader.problem("\(mailURLSetting.name): \(error)\(MailURL.hint(about: text, after: error))")
            return nil
        }
    }

    /// The token itself may come later than this program starts, so only `check` looks at it.
    private static func check(_ tokenFile: MailTokenFile, of mail: MailURL, _ reader: SettingsReader) {
        let name = MailTokenFile.setting.name
        guard mail.usesToken else {
            return reader.problem(
                "\(name): is not used, because no login of \(mailURLSetting.name) is without a password. Remove the password, "
                    + "as in smtps://user@mail.example.com:465, or this setting.")
        }
        reader.warnOfOthers(secretFile: tokenFile.path, setting: name)
        reader.addCheck { reader in
            do { _ = try tokenFile.read() } catch { reader.problem("\(name): \(error)") }
        }
    }

    /// - Parameter withAllSecrets: false for commands, which may not be allowed to read all.
    static func registeredClients(
        _ reader: SettingsReader, of protocols: ClientProtocols = .builtIn,
        environment: @escaping (String) -> String?, keys: DerivedKeys?, withAllSecrets: Bool = true
    ) -> ClientRegistry {
        var clients: [Client] = []
        if let path = reader.text(ClientsFile.setting.name) {
            reader.record(ClientsFile.setting.name, path)
            clients += ClientsFile(
                path: path, of: protocols, environment: environment, problem: reader.problem, warn: reader.warn,
                checkForExampleSecret: { reader.checkForExampleSecret($0, setting: $1) },
                withAllSecrets: withAllSecrets
            ).read()
        }
        if let client = EnvironmentClient.read(reader, using: SSOSettings()) { clients.append(client) }
        let registry = ClientRegistry(clients, of: protocols, problem: reader.problem)
        for client in registry.all {
            for secret in client.secrets {
                reader.requireDifferent(keys, secretKey.name, from: secret, "the secret of the client \(client.id)")
            }
            let prints = client.secrets.map(\.fingerprint).joined(separator: ", ")
            reader.record(
                "client \(client.id)",
                "\(client.name), fingerprints \(prints), \(client.redirectURIs.joined(separator: " "))")
        }
        return registry
    }

    /// How the clients are read again: with every check of the start, on the settings as they were then.
    private static func source(
        of clients: ClientRegistry, _ reader: SettingsReader, publicURL: PublicOrigin, listen: ListenAddress,
        keys: DerivedKeys
    ) -> ClientSource {
        guard reader.text(ClientsFile.setting.name) != nil else { return ClientSource(clients) }
        return ClientSource(clients) { [source = reader.source] in
            let again = SettingsReader(source)
            let clients = registeredClients(
                again, of: clients.protocols, environment: again.variable, keys: keys)
            // Its secret must not be that of a client.
            _ = InboundMailSettings.read(again, keys: keys, clients: clients)
            again.reportExampleSecrets(publicURL: publicURL, listen: listen)
            return ClientSource.Reading(clients: clients, problems: again.problems, warnings: again.warnings)
        }
    }
}
