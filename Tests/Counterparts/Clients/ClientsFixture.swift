import SSOWeb

@testable import IdPClients
@testable import TestKit

/// Reads a registry from text and keeps the messages about it.
struct ClientsFixture {
    let clients: [Client]
    let problems: [String]
    let warnings: [String]
    let path: String

    init(_ yaml: String, environment: [String: String] = [:], in folder: TemporaryFolder) throws {
        path = try folder.write(yaml, to: "clients.yaml")
        let reader = SettingsReader(SettingsSource([:]))
        clients = ClientsFile(
            path: path, environment: { environment[$0] }, problem: reader.problem, warn: reader.warn,
            checkForExampleSecret: { reader.checkForExampleSecret($0, setting: $1) }
        ).read()
        _ = ClientRegistry(clients, problem: reader.problem)
        (problems, warnings) = (reader.problems, reader.warnings)
    }
}
