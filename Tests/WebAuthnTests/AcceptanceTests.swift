import JWT
import SSOShared
import Testing

@testable import TestKit
@testable import WebAuthn

@Suite("Responses of passkeys that are accepted", .rules)
struct AcceptanceTests {
    @Test(
        "a passkey of each algorithm registers, with its own word for it or without, and signs in",
        arguments: [SignatureAlgorithm.es256, .eddsa, .rs256], [false, true])
    func algorithms(_ algorithm: SignatureAlgorithm, isSelfAttested: Bool) throws {
        var traits = SoftwareAuthenticator.Traits.synced
        (traits.algorithm, traits.isSelfAttested) = (algorithm, isSelfAttested)
        #expect(
            try RegistrationCase(SoftwareAuthenticator(traits)).verified().algorithm.rawValue
                == PasskeySignature.number(algorithm))
        let verified = try AssertionCase(SoftwareAuthenticator(traits)).verified()
        #expect(verified == expected(.fine, signCount: 0, isBackedUp: true))
    }

    @Test("a registration says what the authenticator has said")
    func registration() throws {
        var traits = SoftwareAuthenticator.Traits.hardware
        traits.aaguid = Array(1...16)
        let authenticator = SoftwareAuthenticator(traits)
        var right = try RegistrationCase(authenticator)
        right.draft.data.signCount = 0x0102_0304
        let registered = try right.verified()
        #expect(registered.id == authenticator.credentials[0].id)
        #expect(registered.publicKey == right.draft.data.key?.encoded)
        #expect(registered.signCount == 0x0102_0304)
        #expect(registered.aaguid.bytes == traits.aaguid)
        #expect(registered.transports == ["usb"])
        #expect(!registered.isBackupEligible && !registered.isBackedUp)
        #expect(registered.isDiscoverable == true)
    }

    @Test("the counter of a key on one device grows, and the answer has the new one")
    func counter() throws {
        let verified = try AssertionCase(SoftwareAuthenticator(.hardware)).verified()
        #expect(verified == expected(.fine, signCount: 2, isBackedUp: false))
    }

    @Test(
        "the counter of a copied passkey may stand still or go back, and is marked", arguments: [0, 4, 5] as [UInt32])
    func copiedCounter(count: UInt32) throws {
        var right = try AssertionCase()
        right.storedCount = 5
        right.draft.data.signCount = count
        #expect(try right.verified() == expected(.repeated, signCount: count, isBackedUp: true))
    }

    @Test("a passkey that loses its copy is accepted, and the answer says so")
    func backupState() throws {
        var right = try AssertionCase()
        right.draft.data.flags &= ~AuthenticatorDraft.Flag.backedUp
        #expect(try right.verified() == expected(.fine, signCount: 0, isBackedUp: false))
    }

    @Test("what browsers may add or leave out changes nothing", arguments: Self.harmlessChanges)
    fileprivate func harmless(_ change: Harmless) throws {
        _ = try RegistrationCase().verified(change.change)
        _ = try AssertionCase().verified(change.change)
    }

    @Test(
        "a statement of a registered format counts as none",
        arguments: [
            "packed", "tpm", "android-key", "android-safetynet", "fido-u2f", "apple",
        ])
    func formats(_ format: String) throws {
        var right = try RegistrationCase()
        right.draft.format = .text(format)
        right.draft.statement = .item(
            .map([(.text("x5c"), .array([.bytes([1])])), (.text("sig"), .bytes([1])), (.text("alg"), .integer(-7))]))
        _ = try right.verified()
    }

    @Test("the list of a compound statement counts as none, and the order of members does not count")
    func orders() throws {
        var right = try RegistrationCase()
        (right.draft.format, right.draft.statement) = (.text("compound"), .item(.array([.empty, .empty])))
        _ = try right.verified()
        right.draft.object =
            CBORItem.map([
                (.text("authData"), .bytes(right.draft.data.bytes)), (.text("attStmt"), .empty),
                (.text("fmt"), .text("none")),
            ]).encoded
        _ = try right.verified()
    }

    @Test("ids of 1 and of 1023 bytes are accepted", arguments: [1, 1023])
    func idLengths(count: Int) throws {
        var right = try RegistrationCase()
        right.draft.data.credentialID = [UInt8](repeating: 7, count: count)
        #expect(try right.verified().id.count == count)
    }

    @Test("words of transports that no list has yet are kept, and each stands once")
    func transports() throws {
        var right = try RegistrationCase()
        right.draft.transports = #"["usb","nfc","usb","smart-card","tele-2030"]"#
        #expect(try right.verified().transports == ["usb", "nfc", "smart-card", "tele-2030"])
    }

    private static let harmlessChanges: [Harmless] = [
        Harmless("more members of client data", .client { $0["more"] = #"{"a":[1,null]}"# }),
        Harmless("no crossOrigin", .client { $0["crossOrigin"] = nil }),
        Harmless(
            "token binding that the browser could do", .client { $0["tokenBinding"] = #"{"status":"supported"}"# }),
        Harmless("more members", .json { $0.outer["more"] = "1" }),
        Harmless("more members of the response", .json { $0.response["publicKeyAlgorithm"] = "-257" }),
        Harmless("no attachment", .json { $0.outer["authenticatorAttachment"] = nil }),
        Harmless("the attachment null", .json { $0.outer["authenticatorAttachment"] = "null" }),
        Harmless("another attachment", .json { $0.outer["authenticatorAttachment"] = #""implant""# }),
        Harmless("no transports", .json { $0.response["transports"] = nil }),
        Harmless("transports null", .json { $0.response["transports"] = "null" }),
        Harmless(
            "results of other extensions", .json { $0.outer["clientExtensionResults"] = #"{"prf":{"enabled":true}}"# }),
        Harmless("flags that no standard uses yet", .data { $0.flags |= 0x22 }),
        Harmless("no extension outputs", .data { setExtensions(&$0, .empty) }),
        Harmless("extension outputs", .data { setExtensions(&$0, .map([(.text("credProtect"), .integer(2))])) }),
        Harmless(
            "extension outputs four deep",
            .data { setExtensions(&$0, .map([(.text("a"), .array([.array([.array([])])]))])) }),
    ]

    private static func setExtensions(_ data: inout AuthenticatorDraft, _ item: CBORItem) {
        data.flags |= AuthenticatorDraft.Flag.extensions
        data.extensions = item.encoded
    }
}

/// A change that means nothing.
private struct Harmless: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: Refusal.Change

    init(_ name: String, _ change: Refusal.Change) { (testDescription, self.change) = (name, change) }
}

/// What a test expects of an assertion.
private func expected(_ counter: VerifiedAssertion.Counter, signCount: UInt32, isBackedUp: Bool) -> VerifiedAssertion {
    VerifiedAssertion(signCount: signCount, counter: counter, isBackedUp: isBackedUp, isUserVerified: true)
}
