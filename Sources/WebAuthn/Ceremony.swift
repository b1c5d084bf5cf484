/// What a response must answer: one challenge, on the pages of one origin, for one relying party.
package struct Ceremony: Sendable {
    /// How long the browser lets the user try, in milliseconds [15.1].
    static let timeout = 300_000

    package let relyingPartyID: String
    /// The one origin that the browser may have been at, as browsers write it: `https://id.example`.
    package let origin: String
    /// At least 16 bytes. Shorter ones, and so a missing one, match nothing [13.4.3].
    package let challenge: [UInt8]

    package init(relyingPartyID: String, origin: String, challenge: [UInt8]) {
        (self.relyingPartyID, self.origin, self.challenge) = (relyingPartyID, origin, challenge)
    }
}
