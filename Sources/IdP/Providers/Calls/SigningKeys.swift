import JWT
import SSOShared

/// The public keys that a provider signs with (RFC 7517), ready for use.
struct SigningKeys: Sendable {
    static let most = 100

    private let keys: [SigningKey]
    /// The keys for signatures that cannot be used, each with the reason.
    let faults: [String]

    /// Reads a key set. Keys of unknown types and for encryption are skipped; a set in which two signature keys of one type
    /// have the same `kid` is refused, because which one counts would be a guess.
    init(_ json: JSONNode) throws(ProviderError) {
        guard let nodes = json["keys"]?.array else { throw .document(.keysMalformed, "no list of keys") }
        guard nodes.count <= Self.most else { throw .document(.keysTooMany, "\(nodes.count) keys") }
        var keys: [SigningKey] = []
        var (faults, skipped): ([String], [String]) = ([], [])
        for node in nodes {
            guard node.object != nil else { throw .document(.keysMalformed, "a key that is not an object") }
            let name = node["kid"]?.string ?? "no kid"
            guard let key = try SigningKey(node) else {
                SigningKey.reasonToSkip(node).map { skipped.append("\(name): \($0)") }
                continue
            }
            if let fault = key.fault { faults.append("\(name): \(fault)") }
            if let id = key.id, keys.contains(where: { $0.type == key.type && Self.isSame($0.id, id) }) {
                throw .document(.keysDuplicate, id)
            }
            keys.append(key)
        }
        guard keys.contains(where: { !$0.verifiers.isEmpty }) else {
            throw .document(.keysNoneUsable, nodes.isEmpty ? "no keys" : (faults + skipped).joined(separator: "; "))
        }
        (self.keys, self.faults) = (keys, faults)
    }

    /// How many keys can be used.
    var usableCount: Int { keys.count { !$0.verifiers.isEmpty } }

    /// The one key for a token. The algorithm has been checked against the allowlist; here it must fit the key's type.
    ///
    /// Returns nil when the set holds no such key, so that a newer set may be fetched.
    func verifier(
        id: String?, _ algorithm: SignatureAlgorithm
    ) throws(ProviderError) -> SigningKey.Verifier? {
        guard let id else {
            let fitting = keys.compactMap { $0.verifiers[algorithm] }
            // Trying one key after the other would let the signer choose.
            guard fitting.count <= 1 else { throw .answer(.keyAmbiguous, "no kid, \(fitting.count) keys") }
            return fitting.first
        }
        let named = keys.filter { Self.isSame($0.id, id) }
        if let verifier = named.lazy.compactMap({ $0.verifiers[algorithm] }).first { return verifier }
        guard let key = named.first(where: { $0.type == algorithm.keyType }) ?? named.first else { return nil }
        if let fault = key.fault { throw .answer(.keyUnusable, fault) }
        throw .answer(.keyMismatch, "\(algorithm.rawValue) with a key of type \(key.type)")
    }

    /// Byte by byte: `String ==` takes different spellings of a letter for the same.
    private static func isSame(_ id: String?, _ other: String) -> Bool {
        id.map { $0.utf8.elementsEqual(other.utf8) } ?? false
    }
}
