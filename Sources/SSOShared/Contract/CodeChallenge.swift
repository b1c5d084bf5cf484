/// The optional proof that the callback runs where the sign-in began (RFC 7636, method S256).
///
/// The relying party keeps a random verifier for the browser and sends its hash with the authorize request. A stolen token
/// is worthless without the verifier.
public enum CodeChallenge {
    /// The only method. `plain` would send the verifier itself through the browser.
    public static let method = "S256"

    /// Creates a verifier: 43 characters of 32 random bytes (RFC 7636 section 4.1).
    public static func makeVerifier(randomness: some Randomness = SystemRandomness()) throws -> String {
        Base64URL.encode(try randomness.bytes(32))
    }

    /// The challenge of a verifier: base64url of its SHA-256 (RFC 7636 section 4.2).
    public static func s256(_ verifier: String) -> String {
        Base64URL.encode(SHA256.hash([UInt8](verifier.utf8)))
    }

    /// 43 to 128 unreserved characters (RFC 7636 section 4.1).
    public static func isWellFormedVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(PercentCoding.isUnreserved)
    }

    /// 43 base64url characters that decode to the 32 bytes of a SHA-256.
    public static func isWellFormedChallenge(_ text: String) -> Bool {
        text.utf8.count == 43 && Base64URL.decode(text)?.count == 32
    }
}
