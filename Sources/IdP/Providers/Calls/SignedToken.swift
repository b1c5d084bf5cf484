import JWT
import SSOShared

/// A JWS in compact form (RFC 7515 7.1) whose header is permitted and whose signature has not been checked yet.
struct SignedToken: Sendable {
    static let longest = 16 << 10

    let algorithm: SignatureAlgorithm
    let keyID: String?
    /// The claims as they were signed.
    let payload: [UInt8]
    /// Header, dot and payload as received.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Takes the token apart and reads its header strictly.
    ///
    /// `alg` is required. `kid` and `typ` may be absent or `null`. `crit` and `b64` must not be there. All others are ignored:
    /// a key that comes with the token (`jku`, `jwk`, `x5u`, `x5c`) proves nothing.
    ///
    /// - Parameter allowed: what the token may be signed with. The header only says which of them it was.
    init(_ text: String, allowed: [SignatureAlgorithm]) throws(ProviderError) {
        let bytes = [UInt8](text.utf8)
        guard bytes.count <= Self.longest else { throw .answer(.tokenTooLarge, "\(bytes.count) bytes") }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .answer(.tokenParts, "\(parts.count) parts") }
        func decoded(_ index: Int) throws(ProviderError) -> [UInt8] {
            guard let bytes = Base64URL.decode(Array(parts[index])), !bytes.isEmpty else {
                throw .answer(.tokenParts, "part \(index + 1) is not base64url")
            }
            return bytes
        }
        let header = try Self.object(try decoded(0), .tokenHeader)
        algorithm = try Self.algorithm(header, allowed)
        keyID = try Self.keyID(header)
        payload = try decoded(1)
        signature = try decoded(2)
        signed = Array(bytes[..<parts[1].endIndex])
    }

    private static func algorithm(
        _ header: JSONNode, _ allowed: [SignatureAlgorithm]
    ) throws(ProviderError) -> SignatureAlgorithm {
        guard let name = header["alg"]?.string else { throw .answer(.algorithm, "no alg") }
        guard let algorithm = allowed.first(where: { $0.isNamed(name) }) else {
            throw .answer(.algorithm, name)
        }
        // What must be understood is not (RFC 7515 4.1.11). b64 changes what is signed (RFC 7797).
        guard header["crit"] == nil, header["b64"] == nil else { throw .answer(.tokenCritical) }
        if let type = header.member("typ") {
            // RFC 7515 4.1.9: without a slash, `application/` is meant to be before it.
            let names = ["jwt", "application/jwt"]
            guard let name = type.string?.lowercased(), names.contains(where: { $0.utf8.elementsEqual(name.utf8) })
            else {
                // Access tokens ("at+jwt") and logout tokens are signed with the same keys (RFC 8725 3.11).
                throw .answer(.tokenType, type.string ?? type.typeName)
            }
        }
        return algorithm
    }

    private static func keyID(_ header: JSONNode) throws(ProviderError) -> String? {
        guard let node = header.member("kid") else { return nil }
        guard let id = node.string, (1...256).contains(id.utf8.count) else { throw .answer(.tokenHeader, "kid") }
        return id
    }

    /// A JSON object without anything that two readers could read differently.
    private static func object(
        _ bytes: [UInt8], _ problem: ProviderError.AnswerError
    ) throws(ProviderError) -> JSONNode {
        let node: JSONNode
        do throws(JSONError) {
            node = try JSONReader.readStrictly(bytes)
        } catch {
            throw .answer(problem, "\(error)")
        }
        guard node.object != nil else { throw .answer(problem, "not an object") }
        return node
    }

    /// The claims, after the signature has been checked with the one key for it.
    func claims(_ keys: SigningKeys) throws(ProviderError) -> TokenClaims {
        guard let key = try keys.verifier(id: keyID, algorithm) else {
            throw .answer(.keyUnknown, keyID ?? "no kid")
        }
        guard key.isValid(signature, for: signed) else { throw .answer(.signature, algorithm.rawValue) }
        return TokenClaims(json: try Self.object(payload, .claims))
    }

    /// Identifies the token. Without the signature, of which ECDSA has two valid spellings for each.
    var digest: [UInt8] { SHA256.hash(signed) }
}
