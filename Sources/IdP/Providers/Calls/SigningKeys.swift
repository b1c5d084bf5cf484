import JWT
import SSOShared

/// The public keys that a provider signs with (RFC 7517), ready for use.
struct SigningKeys: Sendable {
    static let most = 100

    private let keys: [SigningKey]
    /// What cannot be used although it is meant to be, each with the reason. Keys for other purposes are not among them.
    let faults: [String]

    /// Reads a key set. Only `keys` is required. Each entry is read by itself, see ``SigningKey/read(_:)``.
    init(_ json: JSONNode) throws(ProviderError) {
        let others = (json.object ?? []).map { $0.key == "keys" ? JSONMember(key: $0.key, value: JSONNode(.null)) : $0 }
        if let key = JSONNode(.object(others)).duplicateKey {
            throw .call(.keys, .json, "\(key) appears twice")
        }
        guard let nodes = json["keys"]?.array else { throw .document(.keysMalformed, "no list of keys") }
        guard nodes.count <= Self.most else { throw .document(.keysTooMany, "\(nodes.count) keys") }
        var keys: [SigningKey] = []
        var (faults, skipped): ([String], [String]) = ([], [])
        for node in nodes {
            let name = node["kid"]?.string ?? "no kid"
            switch SigningKey.read(node) {
            case .key(let key):
                keys.append(key)
                if let fault = key.fault { faults.append("\(name): \(fault)") }
            case .skipped(let reason): skipped.append("\(name): \(reason)")
            case .ignored(let reason): faults.append("\(name): \(reason)")
            }
        }
        guard keys.contains(where: { !$0.verifiers.isEmpty }) else {
            throw .document(.keysNoneUsable, nodes.isEmpty ? "no keys" : (faults + skipped).joined(separator: "; "))
        }
        self.keys = keys
        self.faults = faults + Self.ambiguous(keys)
    }

    /// How many different keys can be used.
    var usableCount: Int { Self.different(keys.compactMap(\.verifiers.values.first)).count }

    /// The one key for a token. The algorithm has been checked against the allowlist; here it must fit the key.
    ///
    /// Several keys may have one `kid` (RFC 7517 4.5): those of another type, use or algorithm play no part.
    ///
    /// Returns nil when the set holds no such key, so that a newer set may be fetched.
    func verifier(
        id: String?, _ algorithm: SignatureAlgorithm
    ) throws(ProviderError) -> SigningKey.Verifier? {
        let named = id.map { Self.named($0, in: keys) } ?? keys
        let fitting = Self.different(named.compactMap { $0.verifiers[algorithm] })
        // Trying one key after the other would let the signer choose.
        guard fitting.count <= 1 else { throw .answer(.keyAmbiguous, "\(id ?? "no kid"), \(fitting.count) keys") }
        if let verifier = fitting.first { return verifier }
        guard id != nil, let key = named.first(where: { $0.type == algorithm.keyType }) ?? named.first else {
            return nil
        }
        if let fault = key.fault { throw .answer(.keyUnusable, fault) }
        throw .answer(.keyMismatch, "\(algorithm.rawValue) with a key of type \(key.type)")
    }

    /// The same key may be there several times, with other members beside its numbers.
    private static func different(_ verifiers: [SigningKey.Verifier]) -> [SigningKey.Verifier] {
        verifiers.reduce(into: []) { list, one in
            if !list.contains(where: one.isSame) { list.append(one) }
        }
    }

    /// Byte by byte: `String ==` takes different spellings of a letter for the same.
    private static func named(_ id: String, in keys: [SigningKey]) -> [SigningKey] {
        keys.filter { $0.id.map { $0.utf8.elementsEqual(id.utf8) } ?? false }
    }

    /// Each `kid` and algorithm for which two different keys fit: no token can name one of them.
    private static func ambiguous(_ keys: [SigningKey]) -> [String] {
        var lines: [String] = []
        for id in keys.compactMap(\.id) {
            for algorithm in SignatureAlgorithm.allCases {
                let count = different(named(id, in: keys).compactMap { $0.verifiers[algorithm] }).count
                let line = "\(id): \(count) keys for \(algorithm.rawValue)"
                if count > 1, !lines.contains(line) { lines.append(line) }
            }
        }
        return lines
    }
}
