package import IdPClients
import IdPFlow
import IdPGate
package import IdPProviders
import IdPSSO
import IdPSignIn
package import SSOShared
package import SSOWeb

/// The clients of the settings: those of the file, and the one of the `SSO_…` settings.
package struct ClientsSetting: ReadableSetting {
    package let name = "clients"
    /// Those that clients may use.
    var protocols = ClientProtocols.builtIn

    package var descriptions: [SettingDescription] { EnvironmentClient.descriptions }

    /// The clients are read again with every check of the start, on the settings as they were then.
    package func read(_ reader: SettingsReader, _ values: SettingValues) -> ClientSource? {
        let keys = try? values[FlowSettings.secretKey]
        let clients = registered(reader, keys: keys)
        guard reader.text(ClientsFile.setting.name) != nil else { return ClientSource(clients) }
        return ClientSource(clients) { [source = reader.source] in
            let again = SettingsReader(source)
            let clients = registered(again, keys: keys)
            InboundMailSettings.setting.read(again, values)?.check(beside: clients, again)
            again.reportExampleSecrets(
                publicURL: try? values[FlowSettings.publicURL], listen: try? values[IdPSettings.listen])
            return ClientSource.Reading(clients: clients, problems: again.problems, warnings: again.warnings)
        }
    }

    /// - Parameter withAllSecrets: false for commands, which may not be allowed to read all.
    package func registered(_ reader: SettingsReader, keys: DerivedKeys?, withAllSecrets: Bool = true) -> ClientRegistry
    {
        var clients: [Client] = []
        if let path = reader.text(ClientsFile.setting.name) {
            clients += ClientsFile(
                path: path, of: protocols, environment: reader.variable, problem: reader.problem, warn: reader.warn,
                checkForExampleSecret: { reader.checkForExampleSecret($0, setting: $1) },
                withAllSecrets: withAllSecrets
            ).read()
        }
        if let client = EnvironmentClient.read(reader, using: SSOSettings()) { clients.append(client) }
        let registry = ClientRegistry(clients, of: protocols, problem: reader.problem)
        for client in registry.all {
            for secret in client.secrets {
                reader.requireDifferent(
                    keys, FlowSettings.secretKey.name, from: secret, "the secret of the client \(client.id)")
            }
            reader.record(
                "client \(client.id)", client.shown(fingerprints: client.secrets.map(\.fingerprint)),
                from: client.origin.place)
        }
        return registry
    }
}

extension Client {
    /// What `check` and the log of a start say of it: what there is of name, state, fingerprints and addresses.
    ///
    /// - Parameter state: where it is registered, and whether it is disabled.
    func shown(_ state: [String] = [], fingerprints: [String]) -> String {
        let prints = fingerprints.isEmpty ? [] : ["fingerprints \(fingerprints.joined(separator: ", "))"]
        let addresses = redirectURIs + [gate.map { "gate at \($0.origin)" }].compactMap(\.self)
        return ([name] + state + prints + (addresses.isEmpty ? [] : [addresses.joined(separator: " ")]))
            .joined(separator: ", ")
    }
}

/// The accounts elsewhere that users may sign in with, as the file of ``ProvidersFile`` describes them.
package struct ProvidersSetting: ReadableSetting {
    package let name = "providers"
    package let descriptions: [SettingDescription] = []

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> ProviderSource? {
        ProviderSource.read(
            reader, publicURL: try? values[FlowSettings.publicURL], listen: try? values[IdPSettings.listen],
            keys: try? values[FlowSettings.secretKey])
    }
}
