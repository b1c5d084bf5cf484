import SSOWeb

@testable import Counterparts
@testable import IdP
@testable import IdPDirectory
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

    /// Settings of an IdP that are valid except for `extra`.
    static func settings(_ extra: [String: String], in folder: TemporaryFolder) -> SettingsReader {
        let base = [
            "IDP_SECRET_KEY": TestSecret.new(), "IDP_MAIL_URL": "outbox:\(folder.path)",
            "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
        ]
        let reader = SettingsReader(SettingsSource(base.merging(extra) { $1 }))
        _ = IdPSettings.read(reader, environment: { _ in nil })
        return reader
    }
}
