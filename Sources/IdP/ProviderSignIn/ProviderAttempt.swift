package import IdPFlow
import IdPProviders
package import SSOShared
import SSOWeb

/// One visit to a provider, from the button to its answer.
package struct ProviderAttempt: Sendable {
    /// What the answer is for: the ``AttemptPurpose`` of this id, which alone reads the rest.
    package struct Purpose: Sendable {
        let id: String
        /// The flow that the user signs in for, or what else the purpose gives such an id.
        package let flow: FlowID?
        package let accountID: String?

        package init(_ id: String, flow: FlowID? = nil, accountID: String? = nil) {
            (self.id, self.flow, self.accountID) = (id, flow, accountID)
        }
    }

    let id: String
    /// The id of the provider.
    let provider: String
    /// ``Provider/registration`` at the start.
    let registration: [UInt8]
    package let purpose: Purpose

    var signsIn: Bool { purpose.id == ProviderSignIn.id }

    /// What the user signs in for. Nil for other attempts, which have no flow in the browser's session.
    var flow: FlowID? { signsIn ? purpose.flow : nil }
}

extension Provider {
    /// Identifies issuer and client id. After a change of either in the file, no code of the old one is sent to the new one.
    var registration: [UInt8] { SHA256.hash(Array("\(issuer)\u{0}\(clientID)".utf8)) }
}

/// What an attempt sends to the provider: `state`, `nonce` and the PKCE verifier, all derived from the attempt's random id
/// with keys that are not in the database. So nothing that can be used is stored.
package struct ProviderAttemptKeys: Sendable {
    private static let idBytes = 16
    private static let tagBytes = 16
    private let stateKeys: [[UInt8]]
    private let nonceKeys: [[UInt8]]
    private let verifierKeys: [[UInt8]]

    package init(keys: DerivedKeys) {
        stateKeys = keys.derive("provider-state")
        nonceKeys = keys.derive("provider-nonce")
        verifierKeys = keys.derive("provider-verifier")
    }

    static func makeID(_ randomness: any Randomness) throws -> String {
        let bytes = try randomness.bytes(idBytes)
        guard bytes.count == idBytes else { throw RandomnessError() }
        return Base64URL.encode(bytes)
    }

    /// 43 base64url characters: the id and a tag that only this program can make.
    func state(of id: String) -> String {
        Base64URL.encode((Base64URL.decode(id) ?? []) + Self.tag(id, stateKeys.first ?? []))
    }

    /// The id that a state names, in constant time; nil for a state that was not made here.
    func id(ofState state: String) -> String? {
        guard let bytes = Base64URL.decode(state), bytes.count == Self.idBytes + Self.tagBytes else { return nil }
        let id = Base64URL.encode(Array(bytes.prefix(Self.idBytes)))
        let tag = Array(bytes.suffix(Self.tagBytes))
        // Every key is tried, so that time does not show which one matched.
        return stateKeys.map { ConstantTime.equal(Self.tag(id, $0), tag) }.contains(true) ? id : nil
    }

    func nonce(of id: String, state: String) -> String { derived(id, state, nonceKeys) }

    /// 43 characters (RFC 7636 section 4.1).
    func codeVerifier(of id: String, state: String) -> String { derived(id, state, verifierKeys) }

    /// With the key that made the state: the first one may be newer.
    private func derived(_ id: String, _ state: String, _ keys: [[UInt8]]) -> String {
        let tag = Array((Base64URL.decode(state) ?? []).suffix(Self.tagBytes))
        let index = stateKeys.firstIndex { ConstantTime.equal(Self.tag(id, $0), tag) } ?? 0
        return Base64URL.encode(
            HMACSHA256.code(for: Array(id.utf8), key: keys.indices.contains(index) ? keys[index] : []))
    }

    private static func tag(_ id: String, _ key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(for: Array(id.utf8), key: key).prefix(tagBytes))
    }
}

/// The session slot of attempts: it binds them to the browser. The row of an attempt says everything else.
package struct PendingProviderAttempts: SessionSlot {
    static let key = "providers"
    /// A sign-in in another tab replaces the session while this one is at a provider.
    static let survivesSignIn = true
    /// Beyond that the oldest is forgotten.
    static let maximumCount = 8

    /// Newest last.
    private var ids: [String] = []

    init() {}

    func contains(_ id: String) -> Bool { ids.contains { $0.utf8.elementsEqual(id.utf8) } }

    /// - Returns: the ids that were forgotten.
    mutating func add(_ id: String) -> [String] {
        let all = ids + [id]
        ids = all.suffix(Self.maximumCount)
        return all.dropLast(Self.maximumCount)
    }
}
