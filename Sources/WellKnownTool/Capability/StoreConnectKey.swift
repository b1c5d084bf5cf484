import COpenSSL
import Foundation

/// A private key of the App Store Connect API: P-256, in the PEM file that Apple lets one download once.
///
/// Prints as `<redacted>`; the bytes never leave libcrypto.
final class StoreConnectKey: CustomStringConvertible {
    private let key: OpaquePointer
    let description = "<redacted>"

    /// - Throws: ``StoreConnectFault/badKey(_:)`` for anything but an unencrypted P-256 key in PEM.
    ///
    /// - Parameter file: where it was read, for the words of the fault.
    init(pem: [UInt8], file: String = "it") throws(StoreConnectFault) {
        guard let key = sso_es256_key(pem, pem.count) else {
            let text = String(decoding: pem.prefix(200), as: UTF8.self)
            if text.contains("ENCRYPTED") {
                throw .badKey("\(file) is sealed with a passphrase, which Apple's keys are not")
            }
            guard text.contains("-----BEGIN ") else { throw .badKey("\(file) is no PEM file") }
            throw .badKey("\(file) holds no private key of the curve P-256")
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// 64 bytes, as RFC 7518 section 3.4 has them.
    func sign(_ bytes: [UInt8]) throws(StoreConnectFault) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        guard sso_es256_sign(key, bytes, bytes.count, &signature) == 1 else { throw .badKey("it cannot sign") }
        return signature
    }

    /// Whether others on this machine may read the file.
    static func isOpenToOthers(_ file: String) -> Bool {
        let mode = (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? NSNumber
        return (mode?.intValue ?? 0) & 0o077 != 0
    }
}
