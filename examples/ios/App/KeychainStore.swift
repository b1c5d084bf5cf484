import Foundation
import SSONative
import Security

/// Secrets in the keychain: on this device only, and only while it is unlocked. They are in no backup.
///
/// Source: Apple, "Restricting keychain item accessibility".
struct KeychainStore: SecretStore {
    /// A status of the keychain. SecCopyErrorMessageString explains it.
    struct KeychainError: Error {
        let status: OSStatus
    }

    func secret(named name: String) throws -> Data? {
        var query = item(name)
        query[kSecReturnData] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status != errSecItemNotFound else { return nil }
        guard status == errSecSuccess else { throw KeychainError(status: status) }
        return result as? Data
    }

    func setSecret(_ secret: Data?, named name: String) throws {
        let removed = SecItemDelete(item(name) as CFDictionary)
        guard removed == errSecSuccess || removed == errSecItemNotFound else { throw KeychainError(status: removed) }
        guard let secret else { return }
        var new = item(name)
        new[kSecValueData] = secret
        new[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        let added = SecItemAdd(new as CFDictionary, nil)
        guard added == errSecSuccess else { throw KeychainError(status: added) }
    }

    private func item(_ name: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "sso", kSecAttrAccount: name]
    }
}
