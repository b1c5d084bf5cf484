import SSOShared
import SSOWeb

/// One attempt to prove a mailbox: what the letter carries, bound to the browser that asked, good for ten minutes.
///
/// Every way in that goes by letter shares it, so that one success ends them all.
struct Challenge: Sendable {
    /// NIST SP 800-63B-4 3.1.3.2: at most ten minutes.
    static let lifetime: Duration = .minutes(10)
    /// Wrong codes; then this challenge takes no more.
    static let maximumTries = 5

    let id: String
    /// Lower-cased and checked; letters go here and nowhere else.
    let address: String
    /// Whether the address may sign in. If not, everything goes the same way, but no letter leaves.
    let isEligible: Bool
    let codeMAC: [UInt8]
    /// The service that asked, as people know it.
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
