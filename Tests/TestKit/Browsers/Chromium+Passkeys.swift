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

    /// The names of users that an authenticator shows.
    func names(of authenticator: String) async throws -> [String] {
        try await develop("WebAuthn.getCredentials", ["authenticatorId": .string(authenticator)])["credentials"]?.items
            .compactMap { $0["userDisplayName"]?.text } ?? []
    }

    /// Whether the user of an authenticator is the right one from now on.
    func set(_ authenticator: String, verified: Bool) async throws {
        _ = try await post("webauthn/authenticator/\(authenticator)/uv", ["isUserVerified": .bool(verified)])
    }

    /// What the only passkey of an authenticator says of itself from now on.
    func setPasskey(of authenticator: String, eligible: Bool, backedUp: Bool) async throws {
        let path = "webauthn/authenticator/\(authenticator)/credentials"
        guard let id = try await get(path).items.first?["credentialId"]?.text else {
            throw ProbeFailure("the authenticator has no passkey")
        }
        _ = try await post(
            "\(path)/\(id)/props", ["backupEligibility": .bool(eligible), "backupState": .bool(backedUp)])
    }

    /// A faulty authenticator: its next answers have a wrong signature, or the flags of no user.
    ///
    /// - Parameter fault: `isBogusSignature`, `isBadUV`, `isBadUP`; nil for a sound one.
    func set(_ authenticator: String, fault: String?) async throws {
        var parameters: [String: JSONValue] = ["authenticatorId": .string(authenticator)]
        for bit in ["isBogusSignature", "isBadUV", "isBadUP"] { parameters[bit] = .bool(bit == fault) }
        _ = try await develop("WebAuthn.setResponseOverrideBits", .object(parameters))
    }

    /// Whether a touch comes by itself.
    func set(_ authenticator: String, touches: Bool) async throws {
        _ = try await develop(
            "WebAuthn.setAutomaticPresenceSimulation",
            ["authenticatorId": .string(authenticator), "enabled": .bool(touches)])
    }

    func remove(_ authenticator: String) async throws {
        _ = try await develop("WebAuthn.removeVirtualAuthenticator", ["authenticatorId": .string(authenticator)])
    }
}
