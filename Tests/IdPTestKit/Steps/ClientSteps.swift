import Foundation
import SSOShared
import SSOWeb
import Storage

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import TestKit
@testable import WebTestKit

/// A client that a test has added to the database.
struct AddedClient: TestClient {
    let id: String
    var name = "Wiki"
    var secret: String
    var origin = "http://127.0.0.9:4100"

    init(_ id: String = "wiki", secret: String = TestSecret.new()) { (self.id, self.secret) = (id, secret) }
}

/// Changes of clients as a command beside the running IdP makes them.
extension TestDeployment {
    var registrar: ClientRegistrar { ClientRegistrar(file: idp.clients.clients) }
    var secretBox: ClientSecretBox { ClientSecretBox(keys: keys, randomness: SystemRandomness()) }

    @discardableResult
    func make<Change: OperatorChange>(_ change: Change) async throws -> Changed<Change.Result> {
        try await OperatorChanges(database, by: .command(user: "root", sudo: nil), clock: clock.clock).make(change)
    }

    func addition(
        _ client: AddedClient, _ values: [String: ClientEntry.Value] = [:], logo: [UInt8]? = nil
    ) throws -> AddClient {
        var entry = ClientEntry(id: client.id)
        entry["name"] = .text(client.name)
        if values["protocols"] != .list(["gate"]) { entry["redirect_uris"] = .list([client.callback]) }
        entry["access"] = .text("everyone")
        for (key, value) in values { entry[key] = value }
        return AddClient(
            client.id, entry, logo: logo, secret: try SharedSecret.parse(client.secret, setting: "S"), secretBox,
            registrar)
    }

    func add(_ client: AddedClient, _ values: [String: ClientEntry.Value] = [:], logo: [UInt8]? = nil) async throws {
        try await make(addition(client, values, logo: logo))
    }

    /// - Returns: the client with its new secret.
    func rotate(_ client: AddedClient, endingAfter after: Duration = .days(7)) async throws -> AddedClient {
        let new = AddedClient(client.id)
        try await make(
            RotateSecret(
                client.id, to: try SharedSecret.parse(new.secret, setting: "S"), endingAfter: after, secretBox,
                registrar))
        return new
    }

    func fingerprints(of client: String) async throws -> [String] {
        let views = try await database.read { [file = idp.clients.clients] in
            try ClientView.all(file: file, $0)
        }
        return views.first { $0.client.id == client }?.secrets.map(\.fingerprint) ?? []
    }

    /// The answer to a token that a client redeems.
    func redeem(_ token: String, as client: AddedClient) async throws -> ProbeReply {
        let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
        return try await backChannel(body, signed(body, by: client))
    }
}

extension AddedClient {
    var fingerprint: String { (try? SharedSecret.parse(secret, setting: "S"))?.fingerprint ?? "" }
}
