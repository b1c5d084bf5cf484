import JWT
import SSOShared

/// One key of a provider's key set (RFC 7517 4) with what checks signatures made with it.
struct SigningKey: Sendable {
    /// Checks signatures of one algorithm with one key.
    struct Verifier: Sendable {
        fileprivate let key: PublicKey
        fileprivate let algorithm: SignatureAlgorithm

        /// Whether the signature is the key's for these bytes.
        func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool { key.isValid(signature, for: bytes, algorithm) }

        /// Whether both have the same key.
        func isSame(as other: Verifier) -> Bool { key.isSame(as: other.key) }
    }

    /// What an entry of a key set is.
    enum Entry {
        /// A key for signatures of the algorithms here.
        case key(SigningKey)
        /// A key that has nothing to do with them, and why.
        case skipped(String)
        /// No key by RFC 7517, and why.
        case ignored(String)
    }

    let id: String?
    /// `kty`.
    let type: String
    /// Empty when the key cannot be used, see ``fault``.
    let verifiers: [SignatureAlgorithm: Verifier]
    /// Why the key cannot be used.
    let fault: String?

    /// Reads an entry of a key set by itself: whatever is wrong with it, the others count (RFC 7517 5).
    ///
    /// `kty` is required. `kid`, `use`, `key_ops` and `alg` may be left out or `null`. One of another type makes it no key.
    /// The numbers are required, and what is wrong with them is the ``fault``. All other members, such as `x5c`, are not read.
    static func read(_ node: JSONNode) -> Entry {
        guard node.object != nil else { return .ignored("\(node.typeName) in place of a key") }
        // Two readers would see two keys.
        if let key = node.duplicateKey { return .ignored("\(key) appears twice") }
        for name in ["kty", "kid", "use", "alg"] {
            if let member = node.member(name), member.string == nil { return .ignored("\(name) is \(member.typeName)") }
        }
        if let member = node.member("key_ops"), member.array == nil { return .ignored("key_ops is \(member.typeName)") }
        guard let type = node["kty"]?.string else { return .ignored("no kty") }
        if let reason = reasonToSkip(node, type) { return .skipped(reason) }
        return .key(SigningKey(node, type))
    }

    private init(_ node: JSONNode, _ type: String) {
        id = node["kid"]?.string
        self.type = type
        do throws(KeyError) {
            let key = try PublicKey(node)
            verifiers = Dictionary(
                uniqueKeysWithValues: Self.algorithms(node, type).map { ($0, Verifier(key: key, algorithm: $0)) })
            fault = nil
        } catch {
            verifiers = [:]
            fault = error.description
        }
    }

    /// Why a key has nothing to do with signatures of the algorithms here; nil if it has.
    private static func reasonToSkip(_ node: JSONNode, _ type: String) -> String? {
        let isKnown = SignatureAlgorithm.allCases.contains { $0.keyType == type }
        guard isKnown else { return "a key of type \(type)" }
        // RFC 7517 4.2 and 4.3.
        if let use = node.member("use")?.string, use != "sig" { return "use is \(use)" }
        if let operations = node.member("key_ops")?.array, !operations.contains(where: { $0.string == "verify" }) {
            return "key_ops has no verify"
        }
        // A key for ES512 or RS512, for example.
        return algorithms(node, type).isEmpty ? "alg is \(node["alg"]?.string ?? "missing")" : nil
    }

    /// The algorithms that `kty` and `alg` permit. A key without `alg` is for each algorithm of its type.
    private static func algorithms(_ node: JSONNode, _ type: String) -> [SignatureAlgorithm] {
        let name = node.member("alg")?.string
        return SignatureAlgorithm.allCases.filter { $0.keyType == type && (name.map($0.isNamed) ?? true) }
    }
}
