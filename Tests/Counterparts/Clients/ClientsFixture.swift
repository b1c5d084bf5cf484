import SSOWeb

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPSSO
@testable import TestKit

/// Reads a registry from text and keeps the messages about it.
struct ClientsFixture {
    let clients: [Client]
    let problems: [String]
    let warnings: [String]
    let path: String

    init(
        _ yaml: String, of protocols: ClientProtocols = .tested, environment: [String: String] = [:],
        in folder: TemporaryFolder
    ) throws {
        path = try folder.write(yaml, to: "clients.yaml")
        let reader = SettingsReader(SettingsSource([:]))
        clients = ClientsFile(
            path: path, of: protocols, environment: { environment[$0] }, problem: reader.problem, warn: reader.warn,
            checkForExampleSecret: { reader.checkForExampleSecret($0, setting: $1) }
        ).read()
        _ = ClientRegistry(clients, of: protocols, problem: reader.problem)
        (problems, warnings) = (reader.problems, reader.warnings)
    }
}

extension ClientProtocols {
    /// Those of the program.
    static let tested = ClientProtocols([SSOSettings.self, OIDCSettings.self])
}

extension Client {
    /// The same as a client of `/auth/sso` alone.
    func ofSSO(logoutURI: String? = nil) -> Client {
        var client = self
        var settings = SSOSettings()
        settings.logoutURI = logoutURI
        client.protocols = [settings]
        return client
    }
}
