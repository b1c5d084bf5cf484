import Foundation
import JWT
import SSOShared

/// Proves that a request comes from the holder of a key: a JWT (RFC 7519) signed with ES256.
///
/// Source: Apple, "Generating Tokens for API Requests".
struct AppStoreConnectToken {
    let keyID: String
    let issuer: String
    let key: AppStoreConnectKey

    /// Ten minutes. Apple accepts at most twenty minutes, and clocks can differ by some minutes.
    static let lifetime: TimeInterval = 600

    func text(now: Date) throws(AppStoreConnectError) -> String {
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

    private static func part(_ value: some Encodable) throws(AppStoreConnectError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(value) else { throw .badKey("its id or issuer cannot be written") }
        return Base64URL.encode(Array(data))
    }
}

/// A private key of the App Store Connect API: P-256, in the PEM file that Apple offers for download only once.
///
/// Its description is `<redacted>`. The key bytes stay in libcrypto.
struct AppStoreConnectKey: CustomStringConvertible {
    private let key: PrivateKey
    let description = "<redacted>"

    /// - Throws: ``AppStoreConnectError/badKey(_:)`` if the text is not an unencrypted P-256 key in PEM.
    ///
    /// - Parameter file: the name of the file, for the error message.
    init(pem: [UInt8], file: String = "it") throws(AppStoreConnectError) {
        guard let key = try? PrivateKey(pem: String(decoding: pem, as: UTF8.self)), key.algorithm == .es256 else {
            let text = String(decoding: pem.prefix(200), as: UTF8.self)
            if text.contains("ENCRYPTED") {
                throw .badKey("\(file) is sealed with a passphrase, which Apple's keys are not")
            }
            guard text.contains("-----BEGIN ") else { throw .badKey("\(file) is not a PEM file") }
            throw .badKey("\(file) holds no private key of the curve P-256")
        }
        self.key = key
    }

    /// Signs and returns 64 bytes in the form of RFC 7518 section 3.4.
    func sign(_ bytes: [UInt8]) throws(AppStoreConnectError) -> [UInt8] {
        guard let signature = try? key.sign(bytes, .es256) else { throw .badKey("it cannot sign") }
        return signature
    }

    /// Whether other users of this machine can read the file.
    static func isOpenToOthers(_ file: String) -> Bool {
        let mode = (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? NSNumber
        return (mode?.intValue ?? 0) & 0o077 != 0
    }
}
