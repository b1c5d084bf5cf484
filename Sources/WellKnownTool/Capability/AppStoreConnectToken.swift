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
        let seconds = Int(now.timeIntervalSince1970.rounded(.down))
        let claims: [JSONText.Member] = [
            .init("iss", issuer), .init("iat", seconds), .init("exp", seconds + Int(Self.lifetime)),
            .init("aud", "appstoreconnect-v1"),
        ]
        do { return try CompactToken.sign(claims, type: "JWT", keyID: keyID, key.key, .es256) } catch {
            throw .badKey("it cannot sign")
        }
    }
}

/// A private key of the App Store Connect API: P-256, in the PEM file that Apple offers for download only once.
///
/// Its description is `<redacted>`. The key bytes stay in libcrypto.
struct AppStoreConnectKey: CustomStringConvertible {
    fileprivate let key: PrivateKey
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

    /// Whether other users of this machine can read the file.
    static func isOpenToOthers(_ file: String) -> Bool {
        let mode = (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? NSNumber
        return (mode?.intValue ?? 0) & 0o077 != 0
    }
}
