import Foundation
import SSOShared
import Testing
import WebAuthn

@testable import TestKit

/// Mutated responses of passkeys, and two libraries in Python that judge those that are accepted here: fido2 of Yubico, and
/// webauthn of Duo Labs.
@Suite(
    "Mutated passkeys as fido2 and webauthn read them", .deployment,
    .enabled(if: PasskeyReaders.areInstalled, "needs the Python packages fido2 and webauthn"))
struct PasskeyReadersTests {
    private static let rounds = TestLength.of(short: 30_000, nightly: 100_000)
    private static let ceremony = Ceremony(
        relyingPartyID: "example.com", origin: "https://example.com", challenge: Array(100..<132))

    @Test("no registration is accepted that both refuse", arguments: [SoftwareAuthenticator.Traits.synced, .hardware])
    func registrations(_ traits: SoftwareAuthenticator.Traits) async throws {
        let valid = try PasskeyContent(Self.registered(SoftwareAuthenticator(traits)).json)
        var (mutations, accepted): (PasskeyMutations, [[UInt8]]) = (PasskeyMutations(seed: 52), [valid.json])
        for _ in 0..<Self.rounds {
            let json = mutations.mutated(valid)
            if (try? RegistrationResponse(json: json).verify(Self.ceremony)) != nil { accepted.append(json) }
        }
        #expect(accepted.count > 100)
        #expect(try await PasskeyReaders.refusedByBoth(accepted, Self.ceremony) == "")
    }

    @Test("no assertion is accepted that both refuse", arguments: [SoftwareAuthenticator.Traits.synced, .hardware])
    func assertions(_ traits: SoftwareAuthenticator.Traits) async throws {
        let authenticator = SoftwareAuthenticator(traits)
        let (registered, handle) = (try Self.registered(authenticator).made, [UInt8](1...32))
        let valid = try PasskeyContent(
            Array(authenticator.get(RequestOptions(Self.ceremony).json, at: Self.ceremony.origin).utf8))
        let stored = StoredCredential(
            id: registered.id, publicKey: registered.publicKey, signCount: 0,
            isBackupEligible: registered.isBackupEligible)
        var (mutations, accepted): (PasskeyMutations, [[UInt8]]) = (PasskeyMutations(seed: 53), [valid.json])
        for _ in 0..<Self.rounds {
            let json = mutations.mutated(valid)
            let response = try? AssertionResponse(json: json)
            let verified = try? response?.verify(Self.ceremony, credential: stored, userHandle: handle)
            if verified != nil { accepted.append(json) }
        }
        #expect(try await PasskeyReaders.refusedByBoth(accepted, Self.ceremony, registered) == "")
    }

    @Test("both refuse a response to another challenge, so that their silence means something")
    func control() async throws {
        let json = try Self.registered(SoftwareAuthenticator()).json
        let other = Ceremony(
            relyingPartyID: "example.com", origin: "https://example.com", challenge: Array(1..<33))
        #expect(try await PasskeyReaders.refusedByBoth([json], other) != "")
    }

    private static func registered(
        _ authenticator: SoftwareAuthenticator
    ) throws -> (json: [UInt8], made: NewCredential) {
        let user = CreationOptions.User(handle: Array(1...32), name: "ann@example.com", displayName: "Ann")
        let options = CreationOptions(ceremony, relyingPartyName: "Example", user: user, excluding: [])
        let json = Array(try authenticator.create(options.json, at: ceremony.origin).utf8)
        return (json, try RegistrationResponse(json: json).verify(ceremony))
    }
}

/// The two libraries, as `script/setup --test-all` fetches them.
private enum PasskeyReaders {
    private static let library = TestVectors.repository.appending(path: ".build/fido2").path
    /// In CI a missing library is a failure.
    static let areInstalled =
        FileManager.default.fileExists(atPath: library) || ProcessInfo.processInfo.environment["CI"] != nil

    /// Prints each response that both refuse, with their words.
    private static let script = """
        import base64, json, sys
        from fido2 import cbor, cose, server, webauthn as fido2
        import webauthn

        bytes_of = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        given = json.load(open(sys.argv[1], encoding="utf-8"))
        challenge, key = bytes_of(given["challenge"]), bytes_of(given.get("key", ""))
        relying_party = fido2.PublicKeyCredentialRpEntity(id="example.com", name="Example")
        state = {"challenge": given["challenge"], "user_verification": "required"}
        expected = dict(expected_challenge=challenge, expected_rp_id="example.com", expected_origin="https://example.com",
                        require_user_verification=True)

        def by_fido2(response):
            party = server.Fido2Server(relying_party)
            if not key:
                return party.register_complete(state, response)
            known = fido2.AttestedCredentialData.create(
                fido2.Aaguid.NONE, bytes_of(given["id"]), cose.CoseKey.parse(cbor.decode(key)))
            return party.authenticate_complete(state, [known], response)

        def by_webauthn(response):
            if not key:
                return webauthn.verify_registration_response(credential=response, **expected)
            return webauthn.verify_authentication_response(
                credential=response, credential_public_key=key, credential_current_sign_count=0, **expected)

        def refusal(reader, response):
            try:
                reader(response)
            except Exception as error:
                return repr(error)

        for text in given["responses"]:
            words = [refusal(reader, json.loads(text)) for reader in (by_fido2, by_webauthn)]
            if all(words):
                print(*words, text)
        """

    static func refusedByBoth(
        _ responses: [[UInt8]], _ ceremony: Ceremony, _ credential: NewCredential? = nil
    ) async throws -> String {
        let folder = try TemporaryFolder()
        var members: [JSONText.Member] = [
            .init("challenge", Base64URL.encode(ceremony.challenge)),
            .init("responses", responses.map { String(decoding: $0, as: UTF8.self) }),
        ]
        if let credential {
            members.append(.init("id", Base64URL.encode(credential.id)))
            members.append(.init("key", Base64URL.encode(credential.publicKey)))
        }
        try folder.write(script, to: "judge.py")
        try folder.write(JSONText.object(members), to: "responses.json")
        let environment = Programs.inherited.merging([
            "PYTHONPATH": library, "HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8",
        ]) { $1 }
        let child = try ChildProcess(
            "/usr/bin/env", ["python3", "judge.py", "responses.json"], environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "stdout"), standardError: folder.path(of: "stderr"))
        guard case .code(0) = try await child.waitForExit() else { return "failed: \(folder.text(of: "stderr"))" }
        return folder.text(of: "stdout")
    }
}
