import IdPAccountPages
import IdPAccounts
import IdPAdmin
import IdPApps
package import IdPClients
import IdPDevPages
import IdPFlow
import IdPGate
import IdPMail
import IdPOIDC
import IdPPasskeys
import IdPProviders
import IdPSignIn
import SSOShared
package import SSOWeb
import Storage
import StorageEngines

/// The settings of the IdP: the one list of them, and the checks that look at two.
package enum IdPSettings {
    static let listen = FlowSettings.listen
    package static let database = DatabaseSettings(
        "IDP", file: ("sqlite:var/idp.sqlite", "sqlite:/var/lib/swift-sso-idp/idp.sqlite"),
        postgres: ProgramDatabase.idp.postgres)
    package static let mail = MailSetting()
    static let mailFrom = MailFromSetting()
    package static let clients = ClientsSetting()
    package static let providers = ProvidersSetting()
    static let auditDays = Setting(
        "IDP_AUDIT_DAYS", default: 90, in: 7...3650, example: "365",
        "Days that rows of the audit log are kept, 7 to 3650. idp audit shows them.")
    static let metricsListen = MetricsListen.setting("IDP", port: 9464)

    /// Every setting but the common ones, in the order in which they are read. What a feature declares follows from it.
    static let all: [any ReadableSetting] =
        [
            FlowSettings.publicURL, listen, database, FlowSettings.secretKey, mail, mailFrom,
            MailGreeting.setting, MailCapacity.hourlyLimit,
        ] + SignInLimits.settings + [
            AllowedEmails.setting, ClientsFile.setting, clients, ProvidersFile.setting, providers,
            FlowSettings.trustedProxies, Places.setting,
        ] + AssociationRoutes.settings + AppsFeature.settings + DevPagesFeature.settings + WebFingerFeature.settings
        + Brand.settings + [IdPLanguages.setting, auditDays, metricsListen, FlowSettings.sessions]
        + EmailFeature.settings
        + PasskeyFeature.settings + [FlowSettings.require] + AdminFeature.settings + OwnAccountFeature.settings

    /// The same in the order of `--help`.
    package static let table = [SettingDescription](all)
        .moving(EmailFeature.settings, after: MailCapacity.hourlyLimit)
        .moving(Brand.settings + [IdPLanguages.setting], after: AllowedEmails.setting)
        .moving([ProvidersFile.setting], after: ClientsFile.setting)
        .moving(SignInLimits.settings, after: WebFingerFeature.isOn)

    /// Reads all settings. Afterwards `reader` has all problems.
    ///
    /// - Parameters:
    ///   - added: settings of features beside the built-in ones.
    ///   - protocols: those that clients may use.
    /// - Returns: nil when there is a problem.
    package static func read(
        _ reader: SettingsReader, adding added: [any ReadableSetting] = [], protocols: ClientProtocols = .builtIn
    ) -> SettingValues? {
        let all = all.map { $0 is ClientsSetting ? ClientsSetting(protocols: protocols) : $0 }
        let values = SettingValues(all + added, reader)
        checkPairs(values, reader)
        addChecksOutside(values, reader)
        return reader.problems.isEmpty ? values : nil
    }

    /// Checks that look at two settings.
    private static func checkPairs(_ values: SettingValues, _ reader: SettingsReader) {
        if let clients = try? values[clients] {
            (try? values[InboundMailSettings.setting])?.check(beside: clients.clients, reader)
            let gated = clients.clients.all.filter { $0.gate != nil }.map(\.id)
            if let first = gated.first, (try? values[FlowSettings.trustedProxies])?.hasNoTrustedProxies ?? false {
                reader.problem(FlowSettings.gateWithoutProxies(first))
            }
        }
        checkWithoutMail(values, reader)
        checkStrength(values, reader)
        let (publicURL, listen) = (try? values[FlowSettings.publicURL], try? values[listen])
        if let publicURL, !publicURL.isLoopback, let listen, LoopbackHost.contains(listen.host),
            (try? values[FlowSettings.trustedProxies])?.hasNoTrustedProxies ?? false
        {
            reader.warn(
                "\(FlowSettings.trustedProxies.name): is not set, so all visitors seem to come from the proxy on this machine, and "
                    + "the limits per network are off. Use 127.0.0.1 if the proxy sets X-Forwarded-For.")
        }
        reader.reportExampleSecrets(publicURL: publicURL, listen: listen)
        if let admins = try? values[AdminAddresses.setting], admins.isEmpty {
            reader.addCheck { reader in for line in firstAdmin { reader.record(line.name, line.words) } }
        }
    }

    /// How the first admin is made, for `check` and for a start without one.
    package static let firstAdmin: [(name: String, words: String)] = [
        ("admin pages", "/admin is an unknown path until a setting or a command names an admin"),
        ("the first admin", "set IDP_ADMINS to an address, or: idp user grant admin ADDRESS"),
    ]

    /// Adds the checks of what lies outside the settings: the database, the addresses, the outbox folder, the name in EHLO.
    private static func addChecksOutside(_ values: SettingValues, _ reader: SettingsReader) {
        if let location = try? values[database], location.isFile {
            reader.addCheck {
                await $0.checkDatabase(location, database.name, inspecting: ProgramDatabase.idp.inspect)
                if let keys = try? values[FlowSettings.secretKey], let source = try? values[clients] {
                    await $0.checkRegistry(
                        location, keys, source.clients,
                        hasNoProxies: (try? values[FlowSettings.trustedProxies])?.hasNoTrustedProxies ?? false,
                        hasFaultyClients: values.isFaulty(clients))
                }
                await $0.checkPasskeys(location, values)
            }
        }
        if let domain = try? values[PasskeySettings.relyingPartyID], let host = try? values[FlowSettings.publicURL].host
        {
            reader.addCheck { reader in
                for line in PasskeyAssociations.warnings(values, domain: domain, host: host) {
                    reader.warn("\(PasskeySettings.relyingPartyID.name): \(line)")
                }
            }
        }
        reader.checkListen(
            values, listen, metrics: metricsListen, publicURL: FlowSettings.publicURL,
            hasProxy: (try? values[FlowSettings.trustedProxies])?.hasNoTrustedProxies == false)
        if case .outbox(let folder)? = try? values[mail] {
            reader.addCheck { reader in
                if let problem = OutboxMailer(folder: folder).problem { reader.problem("\(mail.name): \(problem)") }
            }
        } else if (try? values[mail])?.isOn != false, let from = try? values[mailFrom] {
            MailGreeting.check(try? values[MailGreeting.setting], from: from, reader)
        }
    }

    /// Whether the page of the outbox folder exists: on a loopback public address only.
    package static func showsMailbox(_ values: SettingValues) throws(SettingError) -> Bool {
        guard case .outbox = try values[mail] else { return false }
        return try values[FlowSettings.publicURL].isLoopback
    }
}
