import Logging
import SSOShared
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The clients of the file as commands know them", .program, .alsoOnPostgres)
struct FileClientTests {
    private static func client(_ id: String, _ access: ClientAccess, exposing groups: [String]? = nil) -> Client {
        var client = Client(id: id, name: "Name of \(id)", redirectURIs: [], secrets: [])
        (client.access, client.exposedGroups) = (access, groups)
        client.origin = .file(path: "clients.yaml", line: 1, secretLines: [], isFixed: false)
        return client
    }

    @Test("are those of the last start or SIGHUP, and not those of the database")
    func recorded() async throws {
        try await TestDeployment.open { deployment in
            let database = deployment.database
            func record(_ clients: [Client]) async throws -> [FileClient] {
                await FileClientStore.record(
                    clients, in: database, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                return try await database.read { try FileClientStore.all($0) }
            }
            let (wiki, shop) = (
                Self.client("wiki", .groups(["a", "b"]), exposing: ["c"]), Self.client("shop", .unstated)
            )
            var stored = Self.client("stored", .everyone)
            stored.origin = .database
            let first = try await record([wiki, shop, stored])
            #expect(first.map(\.id) == ["shop", "wiki"] && first.map(\.access) == [.everyone, .groups(["a", "b"])])
            #expect(first.last?.exposed == ["c"] && first.last?.name == "Name of wiki")
            let next = try await record([Self.client("wiki", .groups([]))])
            #expect(next == [FileClient(Self.client("wiki", .groups([])))])
            let known = try await database.read { try KnownClients($0).problem(with: "wikki") }
            #expect(known == "there is no client wikki. Did you mean wiki? idp client list has all.")
            #expect(try await record([]) == [])
        }
    }
}
