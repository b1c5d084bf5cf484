import SSOShared
import Testing
import WebAuthn

@testable import TestKit

@Suite("Mutated responses of passkeys", .rules)
struct FuzzTests {
    private static let rounds = TestLength.of(short: 6_000, nightly: 1_000_000)

    @Test("whatever of an assertion is changed, one that is accepted says the same")
    func assertions() throws {
        for authenticator in [SoftwareAuthenticator(), SoftwareAuthenticator(.hardware)] {
            let right = try AssertionCase(authenticator)
            let valid = try PasskeyContent(right.json())
            var (mutations, accepted) = (PasskeyMutations(seed: 52), 0)
            for _ in 0..<Self.rounds / 2 {
                let json = mutations.mutated(valid)
                let stored = StoredCredential(
                    id: right.storedID, publicKey: right.storedKey, signCount: right.storedCount,
                    isBackupEligible: right.isStoredEligible)
                let verified = try? AssertionResponse(json: json).verify(
                    right.ceremony, credential: stored, userHandle: right.storedHandle)
                guard verified != nil else { continue }
                accepted += 1
                let content = try PasskeyContent(json)
                #expect(content.signedBytes == valid.signedBytes, "\(String(decoding: json, as: UTF8.self))")
                #expect(content["userHandle"] == valid["userHandle"])
                #expect(content.id == valid.id)
            }
            #expect(accepted > 0, "the mutations leave nothing that is read")
        }
    }

    @Test("whatever of an attested registration is changed, one that is accepted says the same")
    func registrations() throws {
        let right = try RegistrationCase(SoftwareAuthenticator(.hardware))
        let (valid, expected) = (try PasskeyContent(right.json()), try right.verified())
        var (mutations, accepted) = (PasskeyMutations(seed: 53), 0)
        for _ in 0..<Self.rounds {
            let json = mutations.mutated(valid)
            guard let made = try? RegistrationResponse(json: json).verify(right.ceremony) else { continue }
            accepted += 1
            #expect(made.id == expected.id && made.publicKey == expected.publicKey && made.aaguid == expected.aaguid)
            #expect(made.signCount == expected.signCount && made.isBackupEligible == expected.isBackupEligible)
            #expect(try PasskeyContent(json)["clientDataJSON"] == valid["clientDataJSON"])
        }
        #expect(accepted > 0, "the mutations leave nothing that is read")
    }

    @Test("bytes that nobody has made end no process, and are no registration")
    func noise() throws {
        let ceremony = RegistrationCase.ceremony
        var mutations = PasskeyMutations(seed: 54)
        let valid = try PasskeyContent(RegistrationCase().json())
        for _ in 0..<Self.rounds {
            var content = valid
            content["attestationObject"] = mutations.noise()
            #expect(throws: WebAuthnError.self) { try RegistrationResponse(json: content.json).verify(ceremony) }
        }
    }
}
