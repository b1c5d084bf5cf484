import IdPClients
import SSOShared
import Storage
import Testing

@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A signing key that no key of IDP_SECRET_KEY opens", .program)
struct UnreadableSigningKeyTests {
    @Test("is followed by a new one at the next ID token, and stays published for the tokens that it has signed")
    func followed() async throws {
        try await TestDeployment.open { deployment in
            let keys = { (text: String) throws -> SigningKeys in
                let box = SigningKeyBox(
                    keys: try DerivedKeys.parse(text, setting: "IDP_SECRET_KEY"), randomness: SystemRandomness())
                return SigningKeys(
                    box, deployment.audit, clock: deployment.clock.clock, logger: deployment.log.logger("idp"))
            }
            let (before, after) = (try keys(TestSecret.new()), try keys(TestSecret.new()))
            let (old, new) = (try await Self.signed(before, deployment), try await Self.signed(after, deployment))
            #expect(old != new)
            let published = try await after.published { _ in false }
            #expect(Set(published.map(\.id)) == [old, new])
            #expect(try await Self.signed(after, deployment) == new, "and no further one")
        }
    }

    @Test("is found out before anything is used up: the code is still good after the 503")
    func nothingUsedUp() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let first = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
            #expect(first.status == 200)
            // As another node renews it whose first key this one does not have.
            let foreign = SigningKeyBox(
                keys: try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"), randomness: SystemRandomness()
            )
            let now = deployment.clock.now
            for algorithm in SigningAlgorithm.allCases {
                let next = try SigningKey(algorithm, generation: 50, foreign, at: now, usedFrom: now)
                try await deployment.database.write { _ = try SigningKeyStore().insert(next, $0) }
            }
            let code = try await deployment.oidcCode(browser, nil, ["state": "again"])
            #expect(try await deployment.oidcToken(code, as: deployment.client).status == 503)
            #expect(try await deployment.oidcToken(code, as: deployment.client).status == 200)
        }
    }

    /// The id of the key that signs now, after it has signed.
    private static func signed(_ keys: SigningKeys, _ deployment: TestDeployment) async throws -> String {
        try await keys.prepare(.es256)
        return try await deployment.database.read { connection in
            let key = try keys.current(.es256, connection)
            _ = try keys.sign([], type: "JWT", with: key)
            return key.id
        }
    }
}
