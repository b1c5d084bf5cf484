import Storage

@testable import IdPClients
@testable import IdPOperations
@testable import TestKit

extension TestDeployment {
    /// A service behind the gate that takes keys of apps, registered by command.
    static let appKeyService: [String: ClientEntry.Value] = [
        "name": .text("Wiki of apps"), "protocols": .list(["gate"]), "access": .text("everyone"),
        "gate_origin": .text("https://apps.wiki.example.com"), "app_keys": .text("true"),
    ]

    /// A key that a user has made on the page, and the answer that shows it.
    func makeAppKey(as address: String, client: String = "app-wiki") async throws -> (browser: Browser, made: Visit) {
        let known = try await database.read { connection in
            try !connection.query("SELECT 1 FROM client WHERE id = :id", ["id": .text(client)]).isEmpty
        }
        if !known { try await add(AddedClient(client), Self.appKeyService) }
        let browser = try await signedIn(as: address)
        let list = try await browser.get(origin + "/app-keys")
        let made = try await browser.submit(
            list.page().form(to: "/app-keys/add"), on: list, ["client": client, "name": "My phone"])
        return (browser, made)
    }
}
