import SSOShared
import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What a command has answered holds for requests that no transaction answers, too. No request before them has read the
/// clients again.
@Suite("Clients of the database: what is known at once", .program)
struct ClientsAtOnceTests {
    private static let oidc: [String: ClientEntry.Value] = [
        "protocols": .list(["oidc"]), "origins": .list(["https://one.example"]),
    ]

    @Test(
        "the key set has all keys as soon as a command has added the first client; an empty one is not kept by anybody")
    func keySet() async throws {
        try await TestDeployment.open { deployment in
            let empty = try await deployment.oidcProbe.get(OIDCPath.keys)
            #expect(try empty.json()["keys"] == [])
            #expect(empty.header("cache-control") == "no-store")
            try await deployment.add(AddedClient(), Self.oidc)
            let full = try await deployment.oidcProbe.get(OIDCPath.keys)
            let keys = try JSONReader.readStrictly(full.body)["keys"]?.array
            #expect(keys?.count == SigningAlgorithm.allCases.count)
            #expect(full.header("cache-control") == "public, max-age=300")
        }
    }

    @Test("an origin that a command has added may read an answer, and a removed one may not, from the first request on")
    func origins() async throws {
        try await TestDeployment.open { deployment in
            func allowed(_ origin: String) async throws -> String? {
                try await deployment.oidcProbe.get(OIDCPath.userInfo, [("Origin", origin)])
                    .header("access-control-allow-origin")
            }
            #expect(try await allowed("https://one.example") == nil)
            let client = AddedClient()
            try await deployment.add(client, Self.oidc)
            #expect(try await allowed("https://one.example") == "https://one.example")
            try await deployment.make(
                SetClient(
                    client.id, ["origins": .list(["https://two.example"])], logo: nil, deployment.registrar))
            #expect(try await allowed("https://one.example") == nil)
            #expect(try await allowed("https://two.example") == "https://two.example")
        }
    }
}
