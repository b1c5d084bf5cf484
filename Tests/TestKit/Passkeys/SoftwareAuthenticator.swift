import JWT
import SSOShared
import Synchronization

/// A browser with an authenticator in memory: answers the options of the server with what `PublicKeyCredential.toJSON()` makes.
///
/// It does what the options ask for, and nothing checks the origin: a test may be a phishing page.
final class SoftwareAuthenticator: Sendable {
    /// What the authenticator says of itself and of its user.
    struct Traits: Sendable {
        var isUserPresent = true
        var isUserVerified = true
        var isBackupEligible = true
        var isBackedUp = true
        /// What each assertion adds to the counter. 0 for an authenticator that counts nothing.
        var step: UInt32 = 0
        var algorithm = SignatureAlgorithm.es256
        var isSelfAttested = false
        var aaguid = [UInt8](repeating: 0, count: 16)
        var transports = ["internal", "hybrid"]

        /// A password manager or a phone: copies to other devices, counts nothing.
        static let synced = Traits()
        /// A security key: stays where it is, and counts.
        static let hardware = Traits(
            isBackupEligible: false, isBackedUp: false, step: 1, isSelfAttested: true, transports: ["usb"])
    }

    /// A passkey that it holds.
    struct Credential: Sendable {
        let id: [UInt8]
        let relyingPartyID: String
        var userHandle: [UInt8]
        let key: PrivateKey
        var signCount: UInt32
    }

    private let state: Mutex<(traits: Traits, credentials: [Credential])>

    init(_ traits: Traits = .synced, holding credentials: [Credential] = []) { state = Mutex((traits, credentials)) }

    /// A later change holds for all passkeys.
    var traits: Traits {
        get { state.withLock { $0.traits } }
        set { state.withLock { $0.traits = newValue } }
    }

    /// The passkeys, the oldest first. A test may copy, change or drop them.
    var credentials: [Credential] {
        get { state.withLock { $0.credentials } }
        set { state.withLock { $0.credentials = newValue } }
    }

    /// Answers creation options.
    ///
    /// - Throws: ``ProbeFailure`` where a browser would: an excluded credential is here, or no algorithm fits.
    func create(_ options: String, at origin: String) throws -> String {
        String(decoding: try registration(options, at: origin).passkey().json, as: UTF8.self)
    }

    /// Answers request options with the newest passkey of the relying party, or the one that is named.
    func get(_ options: String, at origin: String, id: [UInt8]? = nil) throws -> String {
        String(decoding: try assertion(options, at: origin, id: id).passkey().json, as: UTF8.self)
    }

    /// ``create(_:at:)`` before the response is written, for tests that change something.
    func registration(_ options: String, at origin: String) throws -> RegistrationDraft {
        let (asked, traits) = (try PasskeyQuestion(options), traits)
        guard let relyingPartyID = asked.root["rp"]?["id"]?.string,
            let userHandle = asked.bytes(asked.root["user"]?["id"])
        else { throw ProbeFailure("creation options without a relying party or a user: \(options)") }
        let excluded = (asked.root["excludeCredentials"]?.array ?? []).compactMap { asked.bytes($0["id"]) }
        guard !credentials.contains(where: { excluded.contains($0.id) }) else {
            throw ProbeFailure("InvalidStateError: the authenticator has a passkey for this account")
        }
        let offered = (asked.root["pubKeyCredParams"]?.array ?? []).compactMap { $0["alg"]?.integer }
        let number = PasskeySignature.number(traits.algorithm)
        guard offered.contains(number) else { throw ProbeFailure("NotSupportedError: no algorithm in common") }
        let credential = Credential(
            id: try RandomBytes.generate(32), relyingPartyID: relyingPartyID, userHandle: userHandle,
            key: try PrivateKey(new: traits.algorithm), signCount: 0)
        state.withLock { $0.credentials.append(credential) }
        var data = Self.data(credential, traits)
        data.flags |= AuthenticatorDraft.Flag.attested
        (data.aaguid, data.credentialID) = (traits.aaguid, credential.id)
        data.key = try PasskeySignature.publicKey(credential.key)
        var draft = RegistrationDraft(
            client: asked.client("webauthn.create", origin), data: data, key: credential.key)
        draft.transports = "[" + traits.transports.map(JSONText.string).joined(separator: ",") + "]"
        if traits.isSelfAttested {
            (draft.format, draft.statement) = (.text("packed"), .selfAttestation(algorithm: number))
        }
        return draft
    }

    /// ``get(_:at:id:)`` before the response is written, for tests that change something.
    func assertion(_ options: String, at origin: String, id: [UInt8]? = nil) throws -> AssertionDraft {
        let asked = try PasskeyQuestion(options)
        let allowed = (asked.root["allowCredentials"]?.array ?? []).compactMap { asked.bytes($0["id"]) }
        let relyingPartyID = asked.root["rpId"]?.string
        let (credential, traits) = try state.withLock { state in
            let found = state.credentials.lastIndex {
                $0.relyingPartyID == relyingPartyID && (id == nil || $0.id == id)
                    && (allowed.isEmpty || allowed.contains($0.id))
            }
            guard let found else {
                throw ProbeFailure("NotAllowedError: no passkey for \(relyingPartyID ?? "nothing")")
            }
            state.credentials[found].signCount += state.traits.step
            return (state.credentials[found], state.traits)
        }
        return AssertionDraft(
            client: asked.client("webauthn.get", origin), data: Self.data(credential, traits), id: credential.id,
            userHandle: credential.userHandle, key: credential.key)
    }

    private static func data(_ credential: Credential, _ traits: Traits) -> AuthenticatorDraft {
        typealias Flag = AuthenticatorDraft.Flag
        let flags = [
            (Flag.present, traits.isUserPresent), (Flag.verified, traits.isUserVerified),
            (Flag.eligible, traits.isBackupEligible), (Flag.backedUp, traits.isBackedUp),
        ]
        return AuthenticatorDraft(
            relyingPartyIDHash: SHA256.hash(credential.relyingPartyID),
            flags: flags.reduce(0) { $1.1 ? $0 | $1.0 : $0 }, signCount: credential.signCount)
    }
}

/// Options of the server, as a browser reads them.
private struct PasskeyQuestion {
    let root: JSONNode
    private let challenge: String

    init(_ options: String) throws {
        root = try JSONReader.readStrictly(Array(options.utf8))
        guard let challenge = root["challenge"]?.string else { throw ProbeFailure("options without a challenge") }
        self.challenge = challenge
    }

    func bytes(_ node: JSONNode?) -> [UInt8]? { node?.string.flatMap { Base64URL.decode($0) } }

    /// Client data as Chromium writes it.
    func client(_ type: String, _ origin: String) -> DraftObject {
        DraftObject([
            ("type", JSONText.string(type)), ("challenge", JSONText.string(challenge)),
            ("origin", JSONText.string(origin)), ("crossOrigin", "false"),
        ])
    }
}
