import JWT
import SSOShared
import Synchronization

@testable import TestKit

/// A key pair of a ``StandInProvider``. Signs ID tokens, at once and in the caller's thread.
struct StandInKey: Sendable {
    /// The `kid`.
    let id: String
    let algorithm: SignatureAlgorithm
    private let lease: KeyLease

    init(_ algorithm: SignatureAlgorithm, id: String) throws {
        (self.algorithm, self.id) = (algorithm, id)
        lease = try KeyLease(algorithm)
    }

    /// The public half as a member of a key set (RFC 7517, RFC 8037).
    var jwk: [String: JSONValue] {
        let common: [String: JSONValue] = [
            "kid": .string(id), "alg": .string(algorithm.rawValue), "use": "sig",
        ]
        guard case .object(let own)? = try? JSONDecoding.value([UInt8](JSONText.object(lease.key.publicMembers).utf8))
        else { return common }
        return common.merging(own) { $1 }
    }

    /// The signature as it is in a JWS.
    func sign(_ bytes: [UInt8]) throws -> [UInt8] { try lease.key.sign(bytes, algorithm) }
}

/// The keys of a program, which nobody else uses meanwhile.
final class KeyLeases: Sendable {
    private let leases = Mutex<[KeyLease]>([])

    func new(_ algorithm: SignatureAlgorithm) throws -> PrivateKey {
        let lease = try KeyLease(algorithm)
        leases.withLock { $0.append(lease) }
        return lease.key
    }
}

/// One key that nobody else uses meanwhile. Making an RSA key takes a tenth of a second, so finished tests return theirs.
private final class KeyLease: Sendable {
    private static let returned = Mutex<[PrivateKey]>([])

    let key: PrivateKey

    init(_ algorithm: SignatureAlgorithm) throws {
        let isRSA = algorithm.keyType == "RSA"
        key = try (isRSA ? Self.returned.withLock { $0.popLast() } : nil) ?? PrivateKey(new: algorithm)
    }

    deinit {
        let key = key
        if key.algorithm == .rs256 { Self.returned.withLock { $0.append(key) } }
    }
}
