import SSOShared
import SSOWeb

/// The session slot of challenges: a browser may type the code that it asked for last. Codes for other addresses are kept
/// while they are valid, so that a user who types a wrong address and comes back gets the same code again.
package struct BrowserChallenges: SessionSlot {
    static let key = "challenges"
    static let survivesSignIn = false

    struct Entry: Codable, Sendable {
        let address: String
        let id: String
        /// When the email with this code leaves, or left. Nil if the budget of the address is used up and no email is sent.
        var emailAt: Timestamp?
        /// When the user asked again and another email left for it, to confirm that on the page. Nil if none did.
        var sentAgainAt: Timestamp?
        /// The flow of the newest request for it. Nil without one.
        var flow: String?
        /// Whether another browser with the same invitation has asked for it first. Then only its code signs in here: an answer to
        /// the email is for the browser that shows its number.
        var isShared: Bool?

        private enum CodingKeys: String, CodingKey {
            case address, id, sentAgainAt, flow, isShared
            case emailAt = "letterAt"
        }
    }

    /// Five covers typing errors and a shared browser. Beyond that the oldest is dropped, and asking for it again makes a
    /// new code.
    static let maximumCount = 5

    /// Newest last, one per address.
    private var all: [Entry] = []

    init() {}

    /// What the page shows, and what a code is compared with.
    var current: Entry? { all.last }

    /// The challenge for an address, if this browser still holds it.
    func held(for address: EmailAddress) -> Entry? { all.last { $0.address == address.text } }

    /// What this browser holds of a challenge, also of one that is not the current one.
    func held(id: String) -> Entry? { all.last { $0.id == id } }

    /// What a page waits for that was shown for this flow: tabs with two addresses wait side by side.
    func awaited(for flow: String?) -> Entry? {
        flow.flatMap { flow in all.last { $0.flow == flow } } ?? current
    }

    /// Makes this the current one.
    mutating func keep(_ held: Entry) {
        all = Array((all.filter { $0.address != held.address } + [held]).suffix(Self.maximumCount))
    }
}
