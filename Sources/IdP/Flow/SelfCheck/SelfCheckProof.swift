package import SSOShared
package import SSOWeb

/// Proves that `idp check --connect` and the program that answers it have a key of `IDP_SECRET_KEY` in common.
///
/// The question is worth one minute, and says nothing of the key. Who repeats it within that minute learns how a request of their own
/// arrives.
package struct SelfCheckProof: Sendable {
    package static let path = "/auth/check"
    package static let field = "X-SSO-Check"
    static let lifetime: Duration = .minutes(1)

    /// The value of the field: `TIME.NONCE.MAC`, the time in seconds since 1970.
    package let text: String
    private let signed: String
    /// The one of the list that has made it.
    private let key: [UInt8]

    /// A new question.
    package init(_ keys: DerivedKeys, at now: Timestamp, _ randomness: any Randomness) throws {
        signed = "\(now.seconds).\(Base64URL.encode(try randomness.bytes(16)))"
        key = keys.derive(Self.label).first ?? []
        text = "\(signed).\(Base64URL.encode(Self.mac("ask", signed, key)))"
    }

    /// Nil for a question that no key of the list has made, or not within the last minute.
    package init?(_ text: String, _ keys: DerivedKeys, at now: Timestamp) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let seconds = Int64(parts[0]), let mac = Base64URL.decode(parts[2]) else { return nil }
        let signed = "\(parts[0]).\(parts[1])"
        var found: [UInt8]?
        for key in keys.derive(Self.label) where ConstantTime.equal(Self.mac("ask", signed, key), mac) { found = key }
        guard let found else { return nil }
        // The number is one of ours from here on.
        guard abs(Int64(now.seconds) - seconds) <= Self.lifetime.components.seconds else { return nil }
        (self.text, self.signed, key) = (text, signed, found)
    }

    /// What the program answers beside what it has seen.
    package var answer: String { Base64URL.encode(Self.mac("answer", signed, key)) }

    /// Whether a program that has the key has answered.
    package func isAnswered(by text: String) -> Bool {
        Base64URL.decode(text).map { ConstantTime.equal(Self.mac("answer", signed, key), $0) } ?? false
    }

    private static let label = "self-check"

    private static func mac(_ word: String, _ signed: String, _ key: [UInt8]) -> [UInt8] {
        HMACSHA256.code(for: Array("\(word) \(signed)".utf8), key: key)
    }
}

/// How a request has arrived, as the server saw it.
package struct SelfCheckAnswer: Codable, Sendable, Equatable {
    package var proof: String
    /// Seconds since 1970.
    package var time: Int
    package var host: String?
    package var forwardedProto: String?
    package var forwardedFor: String?
    /// The other end of the connection, and whether `IDP_TRUSTED_PROXIES` names it.
    package var peer: String?
    package var isProxy: Bool
    /// The address that limits and logs have.
    package var client: String?
    package var version: String

    package init(
        proof: String, time: Int, host: String?, forwardedProto: String?, forwardedFor: String?, peer: String?,
        isProxy: Bool, client: String?, version: String
    ) {
        (self.proof, self.time, self.host, self.version) = (proof, time, host, version)
        (self.forwardedProto, self.forwardedFor) = (forwardedProto, forwardedFor)
        (self.peer, self.isProxy, self.client) = (peer, isProxy, client)
    }
}
