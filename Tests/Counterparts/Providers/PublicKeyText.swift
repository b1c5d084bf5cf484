import Foundation
import SSOShared

@testable import TestKit

/// A public key in the forms that libraries take for the secret of an HMAC.
enum PublicKeyText {
    /// SubjectPublicKeyInfo of RSA with 2048 bits and the exponent 65537 (RFC 3279 2.3.1).
    static func der(_ jwk: [String: JSONValue]) -> [UInt8] {
        let modulus = Base64URL.decode(jwk["n"]?.text ?? "") ?? []
        let key: [UInt8] =
            [0x30, 0x82, 0x01, 0x0a, 0x02, 0x82, 0x01, 0x01, 0x00] + modulus + [0x02, 0x03, 0x01, 0x00, 0x01]
        let algorithm: [UInt8] = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return [0x30, 0x82, 0x01, 0x22] + algorithm + [0x03, 0x82, 0x01, 0x0f, 0x00] + key
    }

    static func pem(_ jwk: [String: JSONValue]) -> String {
        let text = Data(der(jwk)).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    }
}
