import IdPAccounts
import IdPMail
package import SSOShared
import SSOWeb
import Storage

/// One attempt to prove a mailbox: what the email carries, bound to the browser that asked, valid for ten minutes.
///
/// Every sign-in method that uses email shares it, so that one success ends them all.
package struct Challenge: Sendable {
    /// NIST SP 800-63B-4 3.1.3.2: at most ten minutes.
    static let lifetime: Duration = .minutes(10)
    /// After so many wrong codes the challenge accepts none.
    static let maximumTries = 5

    package let id: String
    /// The text of an ``EmailAddress``. The email goes there.
    let address: String
    /// Whether the address may sign in. If not, everything takes the same steps, but no email is sent.
    let isEligible: Bool
    let codeMAC: [UInt8]
    /// Codes that were typed and counted.
    var tries = 0
    /// Whether it has signed in.
    var isUsed = false
    /// Whether the owner of the mailbox has answered the email correctly.
    var isAnswered = false
    /// The ``FlowID`` of the newest request for it; nil without a flow, and ``appFlow`` for the own screen of an app.
    var flow: String?
    /// What the log calls that flow.
    var logFlow: String?
    /// The name of the client that asked.
    let service: String?
    /// The ``DeviceKind`` that asked.
    let device: String
    /// ``Places/name(of:)`` of the browser that asked first.
    var place: String?
    /// The language of the browser that asked last.
    let language: Language
    /// The known browser that asked; nil for an unknown one.
    let browserID: String?
    let createdAt: Timestamp
    let expiresAt: Timestamp

    /// "a Mac (Office Berlin)", in the language of the texts.
    func requester(_ texts: Texts, brand: String) -> String {
        let device = DeviceKind.words(for: device, texts)
        guard let place else { return device }
        return EmailContent.withoutIsolates(
            texts.plain(
                place.isEmpty
                    ? Text("mail.device-elsewhere", ["device": device, "brand": brand])
                    : Text("mail.device-place", ["device": device, "place": place])))
    }

    /// Stands for a flow where an app asked through the JSON API.
    static let appFlow = "app"

    /// Whether the own screen of an app asked. It takes the code alone: it shows no number for an answer, and no browser waits.
    var isOfApp: Bool { flow == Self.appFlow }

    /// Whether it accepts no further code, however much of its time is left.
    var isUsedUp: Bool { isUsed || tries >= Self.maximumTries }
}

extension Challenge {
    init(_ row: SQLRow) throws {
        id = try row.text("id")
        address = try row.text("address")
        isEligible = try row.integer("eligible") != 0
        codeMAC = try row.blob("code_mac")
        tries = Int(try row.integer("tries"))
        isUsed = try row.optionalInteger("used_at") != nil
        isAnswered = try row.optionalInteger("answered_at") != nil
        flow = try row.optionalText("flow")
        logFlow = try row.optionalText("log_flow")
        service = try row.optionalText("service")
        device = try row.text("device")
        place = try row.optionalText("place")
        language = Language(rawValue: try row.text("language")) ?? .english
        browserID = try row.optionalText("device_id")
        createdAt = try row.timestamp("created_at")
        expiresAt = try row.timestamp("expires_at")
    }
}

/// Names a challenge where an email carries it, in a link or in a reply address: the random part of the challenge's id and
/// a tag that only this program can make.
///
/// Nothing of it is stored, so an attacker who reads the database or the mail queue cannot make one. It is worth nothing
/// after its challenge has ended, and a key made for one purpose is worthless for another.
package struct ChallengeKey: Sendable {
    /// 16 random bytes of the id and 16 bytes of the tag.
    static let byteCount = 32
    private static let tagBytes = 16
    private let keys: [[UInt8]]

    /// - Parameter label: names the purpose, such as `email-link`.
    package init(keys: DerivedKeys, label: String) { self.keys = keys.derive(label) }

    /// The key of a challenge, made with the current secret; empty for an id that was not made here.
    func bytes(for challengeID: String) -> [UInt8] {
        guard let random = Challenge.randomPart(of: challengeID), let key = keys.first else { return [] }
        return random + Self.tag(random, key)
    }

    /// The id of the challenge that a key names, in constant time; nil for a key that was not made here. The challenge
    /// may have ended long ago.
    func challengeID(of bytes: [UInt8]) -> String? {
        guard bytes.count == Self.byteCount else { return nil }
        let (random, tag) = (Array(bytes.dropLast(Self.tagBytes)), Array(bytes.suffix(Self.tagBytes)))
        guard keys.map({ ConstantTime.equal(Self.tag(random, $0), tag) }).contains(true) else { return nil }
        return Challenge.id(random)
    }

    private static func tag(_ random: [UInt8], _ key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(for: random, key: key).prefix(tagBytes))
    }
}

extension Challenge {
    private static let prefix = "chl_"
    static let randomBytes = 16

    /// The id with these random bytes.
    static func id(_ random: [UInt8]) -> String { prefix + Base64URL.encode(random) }

    fileprivate static func randomPart(of id: String) -> [UInt8]? {
        guard id.hasPrefix(prefix), let bytes = Base64URL.decode(id.dropFirst(prefix.count)), bytes.count == randomBytes
        else { return nil }
        return bytes
    }
}

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
        /// Whether the user has ticked the box to stay signed in where the email was asked for. The next page shows it so, and its
        /// form decides.
        var remembers: Bool?
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
