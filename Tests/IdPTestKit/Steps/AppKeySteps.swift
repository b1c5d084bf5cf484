import ProbeKit
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

    /// Registers ``appKeyService``, if that is not done.
    func addAppKeyService(_ client: String = "app-wiki") async throws {
        if try await stored.clients.id(client).count() == 0 { try await add(AddedClient(client), Self.appKeyService) }
    }

    /// A key that a user has made on the page, and the answer that shows it.
    ///
    /// - Parameter browser: of nobody; nil for a new one.
    func makeAppKey(
        as address: String, client: String = "app-wiki", in browser: Browser? = nil
    ) async throws -> (browser: Browser, made: Visit) {
        try await addAppKeyService(client)
        let browser = browser ?? self.browser()
        _ = try await browser.signIn(at: self.client, of: self, as: address)
        let list = try await browser.get(origin + "/app-keys")
        let made = try await browser.submit(
            list.page().form(to: "/app-keys/add"), on: list, ["client": client, "name": "My phone"])
        return (browser, made)
    }
}
