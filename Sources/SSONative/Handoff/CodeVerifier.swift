import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import COpenSSL
#endif

/// The secret that proves that the app which takes the result of a sign-in is the one that started it (RFC 7636, PKCE).
///
/// Any app can claim a private scheme. One that steals the callback has the code without the verifier, and the server
/// refuses it.
public struct CodeVerifier: Sendable, Hashable, Codable, CustomStringConvertible {
    /// 43 to 128 unreserved characters.
    public let value: String

    /// A new one: 32 random bytes as 43 base64url characters (RFC 7636, section 4.1).
    public init() {
        var generator = SystemRandomNumberGenerator()
        value = Self.base64URL(Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }

    /// `nil` unless `value` has the form of RFC 7636, section 4.1.
    public init?(_ value: String) {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        guard (43...128).contains(value.utf8.count), value.utf8.allSatisfy(unreserved.contains) else { return nil }
        self.value = value
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let verifier = CodeVerifier(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a code verifier")
        }
        self = verifier
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// `BASE64URL(SHA256(verifier))`, the method `S256` (RFC 7636, section 4.2). Not a secret.
    public var challenge: String { Self.base64URL(Self.digest(Data(value.utf8))) }

    public var description: String { "<redacted>" }

    private static func digest(_ data: Data) -> Data {
        #if canImport(CryptoKit)
            return Data(SHA256.hash(data: data))
        #else
            var digest = [UInt8](repeating: 0, count: 32)
            // Without a digest the challenge is empty, and the server refuses it.
            return sso_sha256([UInt8](data), data.count, &digest) == 1 ? Data(digest) : Data()
        #endif
    }

    /// RFC 4648, section 5, without padding.
    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
