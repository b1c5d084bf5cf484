import SSOShared
import Testing
import WebAuthn

@testable import TestKit

/// A response with one thing wrong, and why it is refused.
struct Refusal: Sendable, CustomTestStringConvertible {
    enum Change: Sendable {
        /// The bytes that the browser sends, in both ceremonies.
        case text(@Sendable ([UInt8]) -> [UInt8])
        /// The JSON, in both ceremonies.
        case json(@Sendable (inout PasskeyDraft) -> Void)
        /// The client data, in both ceremonies. An assertion is signed after it.
        case client(@Sendable (inout DraftObject) -> Void)
        /// The authenticator data, in both ceremonies. An assertion is signed after it.
        case data(@Sendable (inout AuthenticatorDraft) -> Void)
        case registrationJSON(@Sendable (inout PasskeyDraft) -> Void)
        case registration(@Sendable (inout RegistrationCase) throws -> Void)
        case assertionJSON(@Sendable (inout PasskeyDraft) -> Void)
        case assertion(@Sendable (inout AssertionCase) throws -> Void)
    }

    let name: String
    let reason: WebAuthnError
    let change: Change

    init(_ name: String, _ reason: WebAuthnError, _ change: Change) {
        (self.name, self.reason, self.change) = (name, reason, change)
    }

    var testDescription: String { name }

    static let all = [
        texts, idForms, structure, clientDataForms, attestationObjectForms, authenticatorDataForms, signatureForms,
        userHandleForms, userHandles, transports,
        types, otherCeremonies, challengeForms, challenges, clientDataTexts, tokenBindings, originForms, origins,
        crossOrigins,
        topOrigins, hashes, authenticatorData, extensions, objectForms, objects, statementForms, statements,
        canonicalForms, cborLength, curveKeys, edwardsKeys, rsaKeys, algorithms, algorithmsNotOffered, signatures,
        storedValues,
        counters,
    ].flatMap { $0 }

    var concernsRegistration: Bool {
        switch change {
        case .assertion, .assertionJSON: false
        default: true
        }
    }

    var concernsAssertion: Bool {
        switch change {
        case .registration, .registrationJSON: false
        default: true
        }
    }
}

/// A registration that is right, until something in it is changed.
struct RegistrationCase: Sendable {
    var draft: RegistrationDraft
    var ceremony = RegistrationCase.ceremony
    var offered = CredentialAlgorithm.allCases

    static let ceremony = Ceremony(
        relyingPartyID: "example.com", origin: "https://example.com", challenge: Array(100..<132))
    static let userHandle = [UInt8](200..<232)

    /// - Parameter authenticator: the one that makes the passkey.
    init(_ authenticator: SoftwareAuthenticator = SoftwareAuthenticator()) throws {
        let user = CreationOptions.User(
            handle: Self.userHandle, name: "ann@example.com", displayName: "ann@example.com")
        let options = CreationOptions(Self.ceremony, relyingPartyName: "Example", user: user, excluding: [])
        draft = try authenticator.registration(options.json, at: "https://example.com")
    }

    func json(_ change: Refusal.Change? = nil) throws -> [UInt8] {
        var changed = self
        switch change {
        case .client(let edit): edit(&changed.draft.client)
        case .data(let edit): edit(&changed.draft.data)
        default: break
        }
        var passkey = try changed.draft.passkey()
        switch change {
        case .json(let edit), .registrationJSON(let edit): edit(&passkey)
        case .text(let edit): return edit(passkey.json)
        default: break
        }
        return passkey.json
    }

    func verified(_ change: Refusal.Change? = nil) throws -> NewCredential {
        try RegistrationResponse(json: json(change)).verify(ceremony, offered: offered)
    }
}

/// An assertion that is right, until something in it or in the store is changed.
struct AssertionCase: Sendable {
    var draft: AssertionDraft
    var ceremony = RegistrationCase.ceremony
    var storedID: [UInt8]
    var storedKey: [UInt8]
    var storedCount: UInt32
    var isStoredEligible: Bool
    var storedHandle = RegistrationCase.userHandle
    /// The member `signature`, in place of a new one.
    var signature: String?

    /// The second assertion of a new passkey, after a registration and a first one.
    init(_ authenticator: SoftwareAuthenticator = SoftwareAuthenticator()) throws {
        let registered = try RegistrationCase(authenticator).verified()
        (storedID, storedKey) = (registered.id, registered.publicKey)
        isStoredEligible = registered.isBackupEligible
        let options = RequestOptions(ceremony).json
        storedCount = try authenticator.assertion(options, at: "https://example.com").data.signCount
        draft = try authenticator.assertion(options, at: "https://example.com")
    }

    func json(_ change: Refusal.Change? = nil) throws -> [UInt8] {
        var changed = self
        switch change {
        case .client(let edit): edit(&changed.draft.client)
        case .data(let edit): edit(&changed.draft.data)
        default: break
        }
        var passkey = try changed.draft.passkey()
        if let signature { passkey.response["signature"] = signature }
        switch change {
        case .json(let edit), .assertionJSON(let edit): edit(&passkey)
        case .text(let edit): return edit(passkey.json)
        default: break
        }
        return passkey.json
    }

    func verified(_ change: Refusal.Change? = nil) throws -> VerifiedAssertion {
        let stored = StoredCredential(
            id: storedID, publicKey: storedKey, signCount: storedCount, isBackupEligible: isStoredEligible)
        return try AssertionResponse(json: json(change)).verify(
            ceremony, credential: stored, userHandle: storedHandle)
    }
}
