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
    }

    let id: String?
    /// `kty`.
    let type: String
    /// Empty when the key cannot be used, see ``fault``.
    let verifiers: [SignatureAlgorithm: Verifier]
    /// Why the key cannot be used.
    let fault: String?

    /// Reads a key. Returns nil for one that is not for signatures of the algorithms here, see ``reasonToSkip(_:)``.
    init?(_ node: JSONNode) throws(ProviderError) {
        guard let type = node["kty"]?.string else { throw .document(.keysMalformed, "a key without kty") }
        guard Self.reasonToSkip(node) == nil else { return nil }
        if let member = node["kid"], member.string == nil {
            throw .document(.keysMalformed, "a kid that is not a text")
        }
        id = node["kid"]?.string
        self.type = type
        do throws(KeyError) {
            let key = try PublicKey(node)
            verifiers = Dictionary(
                uniqueKeysWithValues: Self.algorithms(node).map { ($0, Verifier(key: key, algorithm: $0)) })
            fault = nil
        } catch {
            verifiers = [:]
            fault = error.description
        }
    }

    /// Why a key has nothing to do with signatures of the algorithms here; nil if it has.
    static func reasonToSkip(_ node: JSONNode) -> String? {
        let type = node["kty"]?.string ?? "none"
        let isKnown = SignatureAlgorithm.allCases.contains { $0.keyType == type }
        guard isKnown else { return "a key of type \(type)" }
        // RFC 7517 4.2 and 4.3.
        if let use = node["use"], use.string != "sig" { return "use is \(use.string ?? use.typeName)" }
        if let operations = node["key_ops"], operations.array?.contains(where: { $0.string == "verify" }) != true {
            return "key_ops has no verify"
        }
        // A key for ES512 or RS512, for example.
        return algorithms(node).isEmpty ? "alg is \(node["alg"]?.string ?? "not a text")" : nil
    }

    /// The algorithms that `kty` and `alg` permit.
    private static func algorithms(_ node: JSONNode) -> [SignatureAlgorithm] {
        SignatureAlgorithm.allCases.filter { algorithm in
            algorithm.keyType == node["kty"]?.string
                && (node["alg"].map { $0.string.map(algorithm.isNamed) ?? false } ?? true)
        }
    }
}
