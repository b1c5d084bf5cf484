import SSOShared
import SSOWeb
import Synchronization

/// How the secret of a caller differs from the right one: what would have made a wrong signature, or a wrong client secret, right.
package enum NearSecret: Sendable, Equatable {
    /// The caller's has a line end behind it.
    case newline(fingerprint: String)
    /// The caller's has a blank at an end.
    case blank(fingerprint: String)
    /// The caller has decoded the hexadecimal digits. The text itself is the key.
    case hexDecoded(fingerprint: String)
    /// The client had it until this day.
    case retired(fingerprint: String, day: String)
    /// Another client has it.
    case other(fingerprint: String, client: String)

    /// The `detail` of the audit row: stable, and without a secret.
    package var detail: String {
        switch self {
        case .newline(let fingerprint): "newline_at_end:\(fingerprint)"
        case .blank(let fingerprint): "blank_at_end:\(fingerprint)"
        case .hexDecoded(let fingerprint): "hex_decoded:\(fingerprint)"
        case .retired(let fingerprint, let day): "retired:\(fingerprint):\(day)"
        case .other(let fingerprint, let client): "other_client:\(fingerprint):\(client)"
        }
    }

    /// - Parameter detail: of an audit row. Nil for what is no ``detail`` of this type.
    package init?(detail: String) {
        let parts = detail.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.count) {
        case ("newline_at_end", 2): self = .newline(fingerprint: parts[1])
        case ("blank_at_end", 2): self = .blank(fingerprint: parts[1])
        case ("hex_decoded", 2): self = .hexDecoded(fingerprint: parts[1])
        case ("retired", 3): self = .retired(fingerprint: parts[1], day: parts[2])
        case ("other_client", 3): self = .other(fingerprint: parts[1], client: parts[2])
        default: return nil
        }
    }

    /// What is wrong at the caller, and what to do.
    package var remedy: String {
        switch self {
        case .newline(let fingerprint):
            "The service has the secret \(fingerprint) with a line end behind it. Remove it from the service's setting or file."
        case .blank(let fingerprint):
            "The service has the secret \(fingerprint) with a blank at one end. Remove it from the service's setting."
        case .hexDecoded(let fingerprint):
            "The service has decoded the hexadecimal digits of the secret \(fingerprint). The text itself is the key: use it as it is written."
        case .retired(let fingerprint, let day):
            "The service has the secret \(fingerprint), which was retired on \(day). Give it the one that is in use, or a new one."
        case .other(let fingerprint, let client):
            "The service has the secret \(fingerprint), which is that of the service \(client). Give it its own."
        }
    }
}

/// Which secrets are tried, each with what it means if it is the caller's.
struct NearSecrets {
    struct Candidate {
        let key: [UInt8]
        let near: NearSecret
    }

    private(set) var candidates: [Candidate] = []

    /// - Parameters:
    ///   - retired: those that the client had.
    ///   - others: of all other clients; empty to leave them out.
    init(_ client: Client, retired: [RetiredSecret], others: [Client]) {
        for (secret, fingerprint) in zip(client.secrets, client.fingerprints) {
            addMistakes(with: secret.bytes, fingerprint)
        }
        for secret in retired {
            let day = String(PlainDate.rfc3339(secret.at).prefix(10))
            add(secret.secret.bytes, .retired(fingerprint: secret.secret.fingerprint, day: day))
        }
        for other in others where !other.id.utf8.elementsEqual(client.id.utf8) {
            for (secret, fingerprint) in zip(other.secrets, other.fingerprints) {
                add(secret.bytes, .other(fingerprint: fingerprint, client: other.id))
            }
        }
    }

    private mutating func add(_ key: [UInt8], _ near: NearSecret) { candidates.append(Candidate(key: key, near: near)) }

    private mutating func addMistakes(with key: [UInt8], _ fingerprint: String) {
        for end in ["\n", "\r\n", "\r"] { add(key + Array(end.utf8), .newline(fingerprint: fingerprint)) }
        for blank in [" ", "\t"] {
            add(key + Array(blank.utf8), .blank(fingerprint: fingerprint))
            add(Array(blank.utf8) + key, .blank(fingerprint: fingerprint))
        }
        if let bytes = Hex.decode(String(decoding: key, as: UTF8.self)) {
            add(bytes, .hexDecoded(fingerprint: fingerprint))
        }
    }
}

extension ClientDirectory {
    /// What would have made a request of a client right; nil where nothing would, and for further requests within a minute: a
    /// caller with a wrong secret tries again and again, and each search tries the secrets of all clients.
    ///
    /// It helps nobody to find a secret: the caller gets the same answer, and what would have matched is for operators alone.
    ///
    /// - Parameters:
    ///   - triesOthers: whether the secrets of other clients are tried, too.
    ///   - isRight: whether a key makes the request right.
    package func nearSecret(
        of client: Client, triesOthers: Bool = true, where isRight: @Sendable ([UInt8]) -> Bool
    ) async -> NearSecret? {
        guard let stored, nearSearches.begins(client.id, at: stored.clock.now()) else { return nil }
        // Without the database the rest is still worth knowing.
        let retired = (try? await stored.retired(of: client.id)) ?? []
        let all = NearSecrets(client, retired: retired, others: triesOthers ? self.all : [])
        return all.candidates.first { isRight($0.key) }?.near
    }
}

/// At most one search per minute and client.
final class NearSearches: Sendable {
    static let interval: Duration = .minutes(1)
    private let last = Mutex<[String: Timestamp]>([:])

    func begins(_ client: String, at now: Timestamp) -> Bool {
        last.withLock { last in
            // Also after a clock that was set back.
            if let earlier = last[client], earlier <= now, now - earlier < Self.interval { return false }
            // Bounded: clients that were removed leave with the rest.
            if last.count > 4 * ClientLimits.clients { last = [:] }
            last[client] = now
            return true
        }
    }
}
