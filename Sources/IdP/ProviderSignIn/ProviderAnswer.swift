import Foundation
package import SSOShared
import SSOWeb

/// What a provider sends to the callback, before any check (OpenID Connect Core 1.0, 3.1.2.5; RFC 9207).
struct ProviderAnswer: Codable, Sendable {
    /// The longest value of each field. Codes of Microsoft Entra have more than 1 KiB, and RFC 6749 sets no limit.
    private enum Longest {
        static let state = 1024, code = 4096, error = 1024, issuer = 1024, user = 2048
    }

    let state: String
    let code: String?
    /// The error code of OAuth 2.0, such as `access_denied`.
    let error: String?
    /// `iss`.
    let issuer: String?
    /// Apple's field `user` of the first answer: JSON, which nothing signs.
    let user: String?

    /// - Returns: nil for an answer with a field twice, too long, not printable, or without what it must have.
    init?(_ fields: URLEncodedFields) {
        do {
            guard let state = try Self.text("state", fields, Longest.state) else { return nil }
            self.state = state
            code = try Self.text("code", fields, Longest.code)
            error = try Self.text("error", fields, Longest.error)
            issuer = try Self.text("iss", fields, Longest.issuer)
            user = try Self.text("user", fields, Longest.user, isPlain: false)
        } catch { return nil }
        guard (code == nil) != (error == nil) else { return nil }
    }

    private struct OddField: Error {}

    /// Nil for a field that is missing or empty.
    private static func text(
        _ name: String, _ fields: URLEncodedFields, _ longest: Int, isPlain: Bool = true
    ) throws -> String? {
        guard let value = try fields.text(name), !value.isEmpty else { return nil }
        guard value.utf8.count <= longest, !isPlain || value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
            throw OddField()
        }
        return value
    }

    /// The user pressed "Cancel". Apple has a word of its own.
    var isCancelled: Bool { error == "access_denied" || error == "user_cancelled_authorize" }
}

/// Keeps answers of `form_post` until their browser comes for them: sealed, under a one-time handle. One for each attempt, so a
/// session has at most ``PendingProviderAttempts/maximumCount``. Their requests come without our cookies: a count of them by network
/// would let one visitor keep its other users out.
package struct ParkedAnswers: Sendable {
    /// The longest answer as it is kept: a code of 4 KiB with its `iss`, or Apple's code with the field `user`. Anybody with a
    /// pending attempt can send one.
    static let maximumBytes = 5 << 10

    let store: ProviderAttemptStore
    let box: SealedBox
    let randomness: any Randomness

    package init(store: ProviderAttemptStore, keys: DerivedKeys, randomness: any Randomness) {
        self.store = store
        self.randomness = randomness
        box = SealedBox(keys: keys, label: "provider-answer", randomness: randomness)
    }

    enum Parked {
        case handle(String)
        /// All its fields together are too long.
        case tooLong
        /// The attempt takes no answer any more.
        case attemptUsed
    }

    func park(_ answer: ProviderAnswer, for id: String, provider: String) async throws -> Parked {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let plain = Array(try encoder.encode(answer))
        guard plain.count <= Self.maximumBytes else { return .tooLong }
        let bytes = try randomness.bytes(32)
        guard bytes.count == 32 else { throw RandomnessError() }
        let handle = Base64URL.encode(bytes)
        let isParked = try await store.park(
            try box.seal(plain), handleDigest: SHA256.hash(Array(handle.utf8)), for: id, provider: provider)
        return isParked ? .handle(handle) : .attemptUsed
    }

    enum Found {
        case answer(ProviderAnswer)
        /// The attempt has been taken since.
        case taken(id: String)
    }

    /// The answer of a handle. It stays until its attempt is taken, so that only the right browser can use it up.
    func find(_ handle: String) async throws -> Found? {
        guard Base64URL.decode(handle)?.count == 32 else { return nil }
        guard let parked = try await store.parked(SHA256.hash(Array(handle.utf8))) else { return nil }
        guard let sealed = parked.answer else { return .taken(id: parked.id) }
        return box.open(sealed).flatMap { try? JSONDecoder().decode(ProviderAnswer.self, from: Data($0)) }
            .map(Found.answer)
    }
}
