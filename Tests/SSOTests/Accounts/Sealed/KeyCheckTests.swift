import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A key that the running IdP does not have opens nothing, and seals nothing that it could open.
@Suite("The check of IDP_SECRET_KEY", .program, .alsoOnPostgres)
struct KeyCheckTests {
    private static func keys(_ texts: [String]) throws -> DerivedKeys {
        try DerivedKeys.parse(texts.joined(separator: ","), setting: "IDP_SECRET_KEY")
    }

    private static func check(_ database: any Database, _ texts: String...) throws -> KeyCheck {
        let keys = try keys(texts)
        return KeyCheck(database, keys, SealedValueStore(database: database, keys))
    }

    @Test("the first key that a database sees is its key: a start and a command with another one are refused")
    func other() async throws {
        try await TestDeployment.open { deployment in
            let (own, other) = (TestSecret.new(), TestSecret.new())
            let database = deployment.database
            try await Self.check(database, own).seal()
            try await Self.check(database, own).start()
            let fingerprint = try Self.keys([own]).fingerprints[0]
            for body in [KeyCheck.start, KeyCheck.seal] {
                let check = try Self.check(database, other)
                let error = await #expect(throws: SettingError.self) { try await body(check)() }
                #expect(error?.description.contains("the key with the fingerprint \(fingerprint)") == true)
                #expect(error?.description.contains("idp database forget-keys --yes") == true)
            }
            try await Self.check(database, own).start()
        }
    }

    @Test("after a rotation of the service both keys seal; before it, a command with the new one first is refused")
    func rotation() async throws {
        try await TestDeployment.open { deployment in
            let (old, new) = (TestSecret.new(), TestSecret.new())
            let database = deployment.database
            try await Self.check(database, old).start()
            let early = await #expect(throws: SettingError.self) { try await Self.check(database, new, old).seal() }
            #expect(early?.description.contains("its first key, \(try Self.keys([new]).fingerprints[0])") == true)
            try await Self.check(database, old, new).seal()
            try await Self.check(database, new, old).start()
            try await Self.check(database, new).seal()
            try await Self.check(database, old).seal()
            // The old key leaves with the start without it.
            try await Self.check(database, new).start()
            await #expect(throws: SettingError.self) { try await Self.check(database, old).seal() }
            await #expect(throws: SettingError.self) { try await Self.check(database, old).start() }
        }
    }

    @Test("a value that somebody else has written for a fingerprint proves nothing")
    func forged() async throws {
        try await TestDeployment.open { deployment in
            let (own, other) = (TestSecret.new(), TestSecret.new())
            let database = deployment.database
            try await Self.check(database, own).start()
            let fingerprint = try Self.keys([other]).fingerprints[0]
            try await database.stored.keyChecks.setFingerprint(fingerprint)
            await #expect(throws: SettingError.self) { try await Self.check(database, other).start() }
        }
    }

    @Test("a database of before, which has no check value yet, tells a wrong key by what is sealed in it")
    func former() async throws {
        try await TestDeployment.open { deployment in
            let own = TestSecret.new()
            let box = ClientSecretBox(keys: try Self.keys([own]), randomness: SystemRandomness())
            let sealed = try box.seal(try SharedSecret.parse(TestSecret.new(), setting: "S"), of: "wiki")
            try await deployment.database.write {
                try ClientStore().insert(
                    sealed, SecretName(client: "wiki", fingerprint: "1"), at: deployment.clock.now, $0)
            }
            let other = try Self.check(deployment.database, TestSecret.new())
            #expect(try await other.problem()?.contains("no key of it opens anything that is sealed") == true)
            #expect(try await Self.check(deployment.database, own).problem() == nil)
        }
    }

    @Test("forgetting keys lets the database take the present one alone, once, with a row of the audit log")
    func forgetting() async throws {
        try await TestDeployment.open { deployment in
            let (lost, present) = (TestSecret.new(), TestSecret.new())
            try await Self.check(deployment.database, lost).start()
            let keys = try Self.keys([present])
            let changes = OperatorChanges(deployment.database, by: .program)
            #expect(try await changes.make(ForgetKeys(keys)).isChanged)
            #expect(try await !changes.make(ForgetKeys(keys)).isChanged)
            try await Self.check(deployment.database, present).start()
            await #expect(throws: SettingError.self) { try await Self.check(deployment.database, lost).start() }
            let rows = try await deployment.auditRows(.keysForgotten, untilThereAre: 1)
            #expect(rows.map(\.detail) == [keys.fingerprints[0]])
        }
    }
}
