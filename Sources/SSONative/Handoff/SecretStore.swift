public import Foundation

/// Where an app keeps secrets: the keychain of iOS, the Keystore of Android, memory in tests.
///
/// Store with "this device only, when unlocked", so that no backup and no other device has them: Apple,
/// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
public protocol SecretStore: Sendable {
    /// `nil` if nothing is stored under this name.
    func secret(named name: String) throws -> Data?
    /// Replaces what is stored. `nil` removes it, which is no error if nothing is stored.
    func setSecret(_ secret: Data?, named name: String) throws
}

extension SecretStore {
    /// The browser session that had not come back when the app ended. `nil` if there is none, also after an update that
    /// changed its form.
    public func browserRequest() throws -> BrowserRequest? {
        try secret(named: requestName).flatMap { try? JSONDecoder().decode(BrowserRequest.self, from: $0) }
    }

    /// Stores or removes it.
    public func setBrowserRequest(_ pending: BrowserRequest?) throws {
        try setSecret(try pending.map { try JSONEncoder().encode($0) }, named: requestName)
    }

    private var requestName: String { "browser-request" }
}

/// Keeps secrets until the process ends. For tests and previews.
public final class InMemorySecretStore: SecretStore, @unchecked Sendable {
    // Mutex needs iOS 18. The lock guards every access.
    private let lock = NSLock()
    private var secrets: [String: Data] = [:]

    public init() {}

    public func secret(named name: String) -> Data? { lock.withLock { secrets[name] } }

    public func setSecret(_ secret: Data?, named name: String) { lock.withLock { secrets[name] = secret } }
}
