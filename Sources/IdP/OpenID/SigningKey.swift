import JWTKit
import SSOShared

/// One key of a provider's key set (RFC 7517 4) with what checks signatures made with it.
///
/// jwt-kit verifies the signature and nothing else. Its `JWTKeyCollection` takes the default key for an unknown `kid`, keeps
/// the last of two keys with one `kid`, and for a key without `alg` lets the token's header choose; its base64url decoder
/// turns errors into empty bytes and its JSON reader keeps one of duplicate members. So each key gets a collection of its
/// own, from which the one algorithm is taken that key type and allowlist determine, and header, encoding and claims are
/// read here.
struct SigningKey: Sendable {
    /// Checks signatures of one algorithm with one key. The key is parsed already.
    struct Verifier: Sendable {
        fileprivate let algorithm: any JWTAlgorithm

        /// Whether the signature is the key's for these bytes.
        func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
            // Throws for a signature whose form is wrong.
            (try? algorithm.verify(signature, signs: bytes)) ?? false
        }
    }

    let id: String?
    /// `kty`.
    let type: String
    /// Empty when the key cannot be used, see ``fault``.
    let verifiers: [Provider.Algorithm: Verifier]
    /// Why the key cannot be used.
    let fault: String?

    /// Reads a key. Returns nil for one that is not for signatures of the algorithms here, see ``reasonToSkip(_:)``.
    init?(_ node: JSONNode) async throws(ProviderError) {
        guard let type = node["kty"]?.string else { throw .document(.keysMalformed, "a key without kty") }
        guard Self.reasonToSkip(node) == nil else { return nil }
        if let member = node["kid"], member.string == nil {
            throw .document(.keysMalformed, "a kid that is not a text")
        }
        id = node["kid"]?.string
        self.type = type
        do throws(KeyFault) {
            verifiers = try await Self.verifiers(node, type, Self.algorithms(node))
            fault = nil
        } catch {
            verifiers = [:]
            fault = error.words
        }
    }

    /// Why a key has nothing to do with signatures of the algorithms here; nil if it has.
    static func reasonToSkip(_ node: JSONNode) -> String? {
        let type = node["kty"]?.string ?? "none"
        let isKnown = Provider.Algorithm.allCases.contains { $0.keyType == type }
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
    private static func algorithms(_ node: JSONNode) -> [Provider.Algorithm] {
        Provider.Algorithm.allCases.filter { algorithm in
            algorithm.keyType == node["kty"]?.string
                && (node["alg"].map { $0.string.map(algorithm.isNamed) ?? false } ?? true)
        }
    }

    private struct KeyFault: Error { let words: String }

    private static func verifiers(
        _ node: JSONNode, _ type: String, _ algorithms: [Provider.Algorithm]
    ) async throws(KeyFault) -> [Provider.Algorithm: Verifier] {
        // Every reader of the key set could sign with it (RFC 7517 9.2).
        guard !["d", "p", "q", "dp", "dq", "qi", "oth"].contains(where: { node[$0] != nil }) else {
            throw KeyFault(words: "a private key that is published")
        }
        switch type {
        case "RSA":
            let key = try rsa(node)
            var verifiers: [Provider.Algorithm: Verifier] = [:]
            for algorithm in algorithms {
                let keys = JWTKeyCollection()
                verifiers[algorithm] =
                    algorithm == .ps256
                    ? try await verifier(keys.add(pss: key, digestAlgorithm: .sha256))
                    : try await verifier(keys.add(rsa: key, digestAlgorithm: .sha256))
            }
            return verifiers
        case "EC": return [.es256: try await verifier(JWTKeyCollection().add(ecdsa: try p256(node)))]
        default: return [.eddsa: try await verifier(JWTKeyCollection().add(eddsa: try ed25519(node)))]
        }
    }

    /// The algorithm of a collection's only key.
    private static func verifier(_ keys: JWTKeyCollection) async throws(KeyFault) -> Verifier {
        do {
            return Verifier(algorithm: try await keys.getKey())
        } catch {
            throw KeyFault(words: "the key cannot be used")
        }
    }

    /// 2048 to 8192 bits: below, a key can be factored (NIST SP 800-131A), above, one check takes milliseconds.
    private static func rsa(_ node: JSONNode) throws(KeyFault) -> Insecure.RSA.PublicKey {
        let modulus = try bytes(node, "n")
        let exponent = try bytes(node, "e")
        guard let first = modulus.first, first != 0, let last = modulus.last, last & 1 == 1 else {
            throw KeyFault(words: "RSA with a modulus that is not an odd number")
        }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard (2048...8192).contains(bits) else { throw KeyFault(words: "RSA of \(bits) bits") }
        guard exponent.count <= 4, exponent.first != 0, let low = exponent.last, low & 1 == 1,
            exponent.count > 1 || low >= 3
        else { throw KeyFault(words: "RSA with an unusable exponent") }
        do {
            return try Insecure.RSA.PublicKey(modulus: Base64URL.encode(modulus), exponent: Base64URL.encode(exponent))
        } catch {
            throw KeyFault(words: "RSA numbers that are not a key")
        }
    }

    /// A point of P-256, both coordinates with all 32 bytes (RFC 7518 6.2.1.2). The point is checked to be on the curve.
    private static func p256(_ node: JSONNode) throws(KeyFault) -> ES256PublicKey {
        guard node["crv"]?.string == "P-256" else { throw KeyFault(words: "EC of a curve other than P-256") }
        let (x, y) = (try bytes(node, "x"), try bytes(node, "y"))
        guard x.count == 32, y.count == 32 else { throw KeyFault(words: "EC coordinates of another length than 32") }
        do {
            return try ES256PublicKey(parameters: (x: Base64URL.encode(x), y: Base64URL.encode(y)))
        } catch {
            throw KeyFault(words: "EC coordinates that are not on the curve")
        }
    }

    private static func ed25519(_ node: JSONNode) throws(KeyFault) -> EdDSA.PublicKey {
        guard node["crv"]?.string == "Ed25519" else { throw KeyFault(words: "OKP of a curve other than Ed25519") }
        let x = try bytes(node, "x")
        guard x.count == 32 else { throw KeyFault(words: "an Ed25519 key of another length than 32") }
        do {
            return try EdDSA.PublicKey(x: Base64URL.encode(x), curve: .ed25519)
        } catch {
            throw KeyFault(words: "bytes that are not an Ed25519 key")
        }
    }

    private static func bytes(_ node: JSONNode, _ name: String) throws(KeyFault) -> [UInt8] {
        guard let text = node[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw KeyFault(words: "\(name) is missing or not base64url")
        }
        return bytes
    }
}
