/// Chromium's virtual authenticators (WebAuthn Level 3, 11): what a user's device would do.
extension Chromium {
    /// What a virtual authenticator is, and what its user does.
    struct Authenticator: Sendable {
        /// `internal` for the device itself, `usb` for a security key.
        var transport = "internal"
        var hasUserVerification = true
        /// Whether the user is the right one.
        var isUserVerified = true
        /// Whether the user touches it.
        var isUserConsenting = true
        var isBackupEligible = true

        /// A security key with a PIN.
        static let securityKey = Authenticator(transport: "usb", isBackupEligible: false)
    }

    /// - Returns: the id of the authenticator.
    @discardableResult
    func add(_ authenticator: Authenticator = Authenticator()) async throws -> String {
        let answer = try await post(
            "webauthn/authenticator",
            [
                "protocol": "ctap2", "transport": .string(authenticator.transport), "hasResidentKey": true,
                "hasUserVerification": .bool(authenticator.hasUserVerification),
                "isUserVerified": .bool(authenticator.isUserVerified),
                "isUserConsenting": .bool(authenticator.isUserConsenting),
                "defaultBackupEligibility": .bool(authenticator.isBackupEligible),
                "defaultBackupState": .bool(authenticator.isBackupEligible),
            ])
        guard let id = answer.text else { throw ProbeFailure("no authenticator: \(answer)") }
        return id
    }

    /// How many passkeys an authenticator has.
    func passkeys(of authenticator: String) async throws -> Int {
        try await get("webauthn/authenticator/\(authenticator)/credentials").items.count
    }
}
