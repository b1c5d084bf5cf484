import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WebAuthn

/// A vector of WebAuthn Level 3, section 16: a registration and an assertion at https://example.org.
///
/// The section makes its vectors from one seed, and signs without chance. `Tests/Vectors/webauthn` has them made again by its
/// rules.
private struct SpecificationVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let registration: [String: [UInt8]]
    let assertion: [String: [UInt8]]

    static let all: [SpecificationVector] = {
        let file = TestVectors.folder.appending(path: "webauthn/level-3-section-16.json")
        let rows = (try? Data(contentsOf: file)).flatMap { JSONReader.read(Array($0)).root?.array } ?? []
        return rows.map { row in
            SpecificationVector(
                testDescription: row["name"]?.string ?? "", registration: bytes(row["registration"]),
                assertion: bytes(row["assertion"]))
        }
    }()

    private static func bytes(_ node: JSONNode?) -> [String: [UInt8]] {
        let pairs = (node?.object ?? []).map { ($0.key, $0.value.string.flatMap { Hex.decode($0) } ?? []) }
        return Dictionary(pairs) { $1 }
    }

    func ceremony(_ part: [String: [UInt8]]) -> Ceremony {
        Ceremony(relyingPartyID: "example.org", origin: "https://example.org", challenge: part["challenge"] ?? [])
    }

    var object: AttestationObject { get throws { try AttestationObject(registration["attestationObject"] ?? []) } }

    func registered() throws -> NewCredential {
        let id = try object.authenticatorData.attested?.credentialID ?? []
        return try RegistrationResponse(json: json(id, registration)).verify(ceremony(registration))
    }

    /// With a user handle, which the section leaves out.
    func signedIn() throws -> VerifiedAssertion {
        let data = try object.authenticatorData
        let attested = try #require(data.attested)
        let stored = StoredCredential(
            id: attested.credentialID, publicKey: attested.publicKey, signCount: data.signCount,
            isBackupEligible: data.flags.contains(.backupEligible))
        let response = assertion.merging(["userHandle": [1]]) { $1 }
        return try AssertionResponse(json: json(attested.credentialID, response)).verify(
            ceremony(assertion), credential: stored, userHandle: [1])
    }

    private func json(_ id: [UInt8], _ part: [String: [UInt8]]) -> [UInt8] {
        let members = part.map { (name: $0.key, json: DraftObject.encoded($0.value)) }
        return PasskeyDraft(id: id, attachment: "platform", results: "{}", response: DraftObject(members)).json
    }
}

@Suite("The vectors of WebAuthn", .rules)
struct SpecificationVectorTests {
    /// Why the policy refuses a registration and an assertion; nil where it does not.
    private static let expected: [String: (registration: WebAuthnError?, assertion: WebAuthnError?)] = [
        "none.ES256": (.userNotVerified, .userNotVerified), "packed-self.ES256": (nil, .userNotVerified),
        "none.ES256.crossOrigin": (.crossOrigin, .crossOrigin), "none.ES256.topOrigin": (.crossOrigin, .crossOrigin),
        "none.ES256.long-credential-id": (.userNotVerified, nil), "packed.ES256": (nil, nil),
        "packed.ES384": (.userNotVerified, .storedKey), "packed.ES512": (.algorithmNotOffered, .userNotVerified),
        "packed.RS256": (nil, .userNotVerified), "packed.EdDSA": (.userNotVerified, .userNotVerified),
        "packed.Ed448": (.userNotVerified, .storedKey), "tpm.ES256": (nil, nil),
        "android-key.ES256": (nil, .userNotVerified), "apple.ES256": (.userNotVerified, .userNotVerified),
        "fido-u2f.ES256": (.userNotVerified, .userNotVerified),
    ]

    @Test("each vector is accepted, or refused for what the policy adds", arguments: SpecificationVector.all)
    fileprivate func policy(_ vector: SpecificationVector) throws {
        let expected = try #require(Self.expected[vector.testDescription])
        #expect(reason { try vector.registered() } == expected.registration)
        #expect(reason { try vector.signedIn() } == expected.assertion)
    }

    @Test("the signatures of our algorithms are valid, whatever the policy says", arguments: SpecificationVector.all)
    fileprivate func signatures(_ vector: SpecificationVector) throws {
        let attested = try #require(try vector.object.authenticatorData.attested)
        let signed =
            (vector.assertion["authenticatorData"] ?? []) + SHA256.hash(vector.assertion["clientDataJSON"] ?? [])
        if ["ES384", "ES512", "Ed448"].contains(where: { vector.testDescription.hasSuffix($0) }) {
            #expect(throws: WebAuthnError.self) {
                try CredentialKey(attested.key, offered: CredentialAlgorithm.allCases)
            }
        } else {
            let key = try CredentialKey(attested.key, offered: CredentialAlgorithm.allCases)
            #expect(key.isValid(vector.assertion["signature"] ?? [], for: signed))
            #expect(!key.isValid(vector.assertion["signature"] ?? [], for: signed + [0]))
        }
    }

    @Test("all 15 vectors are there")
    func count() { #expect(SpecificationVector.all.map(\.testDescription).sorted() == Self.expected.keys.sorted()) }

    private func reason(_ body: () throws -> Any) -> WebAuthnError? {
        do { _ = try body() } catch { return error as? WebAuthnError }
        return nil
    }
}
