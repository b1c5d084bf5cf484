import Foundation
import Logging
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Sealed values after a new key of IDP_SECRET_KEY", .program)
struct SealedValueTests {
    private static func keys(_ texts: String...) throws -> DerivedKeys {
        try DerivedKeys.parse(texts.joined(separator: ","), setting: "IDP_SECRET_KEY")
    }

    private static func store(_ database: any Database, _ keys: DerivedKeys) -> SealedValueStore {
        SealedValueStore(database: database, columns: .all(keys, SystemRandomness()))
    }

    @Test("are sealed anew with the first key; then the old one can go, and nothing else has changed")
    func renewal() async throws {
        try await TestDeployment.open { deployment in
            let (old, new) = (TestSecret.new(), TestSecret.new())
            let secret = try SharedSecret.parse(TestSecret.new(), setting: "S")
            let (oldKeys, both, newKeys) = (try Self.keys(old), try Self.keys(new, old), try Self.keys(new))
            let count = SealedValueStore.pageSize + 3
            try await deployment.database.write { connection in
                let box = ClientSecretBox(keys: oldKeys, randomness: SystemRandomness())
                for number in 0..<count {
                    try ClientStore().insert(
                        try box.seal(secret, of: "c\(number)"),
                        SecretName(client: "c\(number)", fingerprint: "\(number)"),
                        at: deployment.clock.now, connection)
                }
            }
            func secrets(_ keys: DerivedKeys) async throws -> SealedValueStore.Count? {
                try await Self.store(deployment.database, keys).count().first
            }
            #expect(try await secrets(oldKeys)?.current == count)
            #expect(try await secrets(newKeys)?.unreadable == count)
            #expect(try await secrets(both)?.old == count)
            let renewed = try await Self.store(deployment.database, both).renew()
            #expect(renewed.map(\.old) == [count, 0, 0])
            #expect(try await Self.store(deployment.database, both).renew().map(\.old) == [0, 0, 0])
            #expect(try await secrets(newKeys)?.current == count)
            let box = ClientSecretBox(keys: newKeys, randomness: SystemRandomness())
            let rows = try await deployment.stored.clientSecrets.sealed()
            #expect(rows.allSatisfy { box.open($0.secret, of: $0.client)?.isSame(as: secret) == true })
            #expect(rows.allSatisfy { box.open($0.secret, of: "another") == nil }, "a secret belongs to its client")
        }
    }

    @Test("the log and the audit log say what was sealed anew, and nothing when there was nothing")
    func event() async throws {
        try await TestDeployment.open { deployment in
            let (old, new) = (TestSecret.new(), TestSecret.new())
            let log = CapturedLog()
            let audit = AuditLog(
                store: deployment.audit, addresses: AuditAddressKeys(try Self.keys(new)), logger: log.logger("idp"))
            let oldKeys = try Self.keys(old)
            try await deployment.database.write { connection in
                try ClientStore().insert(
                    try ClientSecretBox(keys: oldKeys, randomness: SystemRandomness()).seal(
                        try SharedSecret.parse(TestSecret.new(), setting: "S"), of: "wiki"),
                    SecretName(client: "wiki", fingerprint: "1"), at: deployment.clock.now, connection)
            }
            let job = SealedValueRenewal(
                values: Self.store(deployment.database, try Self.keys(new, old)), audit: audit, isChosen: { true },
                logger: log.logger("idp"))
            for _ in 1...2 { await job.renew() }
            #expect(log.text.components(separatedBy: "sealed_values_renewed").count == 2)
            let rows = try await deployment.auditRows(.sealedValuesRenewed, untilThereAre: 1)
            #expect(rows.map(\.detail) == ["1 client secrets"])
        }
    }

    @Test("a client secret that no key opens is left out with a warning at the start, and the rest goes on")
    func unreadable() async throws {
        try await TestDeployment.open { deployment in
            let (wiki, shop) = (AddedClient(), AddedClient("shop"))
            try await deployment.add(wiki)
            try await deployment.add(shop)
            let other = ClientSecretBox(keys: try Self.keys(TestSecret.new()), randomness: SystemRandomness())
            let sealed = try other.seal(try SharedSecret.parse(TestSecret.new(), setting: "S"), of: wiki.id)
            try await deployment.stored.clientSecrets.of(client: wiki.id).setSecret(sealed)
            try await deployment.withSecondIdP { second in
                try await StoredRegistry(deployment.idp.settings, deployment.database).checkStart(
                    second.log.logger("idp"))
                #expect(second.log.contains("no key of it opens 1 of the client secrets"))
                #expect(try await second.browser().get(second.authorize(wiki, state: "s")).status == 400)
                #expect(try await second.browser().get(second.authorize(shop, state: "s")).status == 303)
                #expect(second.log.contains("no key of IDP_SECRET_KEY opens its secret \(wiki.fingerprint)"))
            }
        }
    }
}
