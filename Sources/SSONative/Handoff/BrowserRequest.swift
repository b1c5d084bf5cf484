public import Foundation

/// A browser session that has not come back yet. It is stored before the browser opens, so that an app that the system
/// ends meanwhile can still take the result.
public struct BrowserRequest: Sendable, Hashable, Codable, Identifiable {
    /// What ties the result to this app and to this browser session.
    public enum Proof: Sendable, Hashable, Codable, CustomStringConvertible {
        /// Of a handoff to an identity provider's app.
        case verifier(CodeVerifier)
        /// The `state` of a relying party's authorize request. Verifier and cookie are with its server.
        case state(String)

        public var description: String { "<redacted>" }
    }

    public let id: UUID
    public let startedAt: Date
    public let proof: Proof
    /// The pages that asked for the sign-in.
    public internal(set) var retries: [URL]

    /// The server's 10 minutes for the sign-in and 60 seconds for the code.
    public static let lifetime: TimeInterval = 11 * 60

    init(id: UUID = UUID(), startedAt: Date, proof: Proof, retries: [URL]) {
        (self.id, self.startedAt, self.proof, self.retries) = (id, startedAt, proof, retries)
    }

    /// Also if the device's clock was set back by more than a minute.
    public func hasExpired(at now: Date) -> Bool {
        !(-60..<Self.lifetime).contains(now.timeIntervalSince(startedAt))
    }
}
