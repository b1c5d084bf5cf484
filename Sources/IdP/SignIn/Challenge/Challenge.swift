import SSOShared
import SSOWeb

/// One attempt to prove a mailbox: what the email carries, bound to the browser that asked, valid for ten minutes.
///
/// Every sign-in method that uses email shares it, so that one success ends them all.
struct Challenge: Sendable {
    /// NIST SP 800-63B-4 3.1.3.2: at most ten minutes.
    static let lifetime: Duration = .minutes(10)
    /// After so many wrong codes the challenge accepts none.
    static let maximumTries = 5

    let id: String
    /// The text of an ``EmailAddress``. The email goes there.
    let address: String
    /// Whether the address may sign in. If not, everything takes the same steps, but no email is sent.
    let isEligible: Bool
    let codeMAC: [UInt8]
    /// The name of the client that asked.
    let service: String?
    /// The kind of device that asked: `iPhone`, `Windows computer`.
    let device: String
    /// The known browser that asked; nil for an unknown one.
    let deviceID: String?
    let createdAt: Timestamp
    let expiresAt: Timestamp
}

extension Challenge {
    init(_ row: SQLRow) throws {
        id = try row.text("id")
        address = try row.text("address")
        isEligible = try row.integer("eligible") != 0
        codeMAC = try row.blob("code_mac")
        service = try row.optionalText("service")
        device = try row.text("device")
        deviceID = try row.optionalText("device_id")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
    }
}
