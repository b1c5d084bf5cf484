import Foundation
import SSOShared

/// The proof that a request comes from the holder of a key: a JWT (RFC 7519) signed with ES256.
///
/// Source: Apple, "Generating Tokens for API Requests".
struct StoreConnectToken {
    let keyID: String
    let issuer: String
    let key: StoreConnectKey

    /// Ten minutes: Apple takes no more than twenty, and a clock may be some minutes off.
    static let lifetime: TimeInterval = 600

    func text(now: Date) throws(StoreConnectFault) -> String {
        struct Header: Encodable {
            let alg = "ES256"
            let kid: String
            let typ = "JWT"
        }
        struct Claims: Encodable {
            let iss: String
            let iat: Int
            let exp: Int
            let aud = "appstoreconnect-v1"
        }
        let seconds = Int(now.timeIntervalSince1970.rounded(.down))
        let claims = Claims(iss: issuer, iat: seconds, exp: seconds + Int(Self.lifetime))
        let signed = "\(try Self.part(Header(kid: keyID))).\(try Self.part(claims))"
        return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
    }

    private static func part(_ value: some Encodable) throws(StoreConnectFault) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value) else { throw .badKey("its id or issuer cannot be written") }
        return Base64URL.encode(Array(data))
    }
}
