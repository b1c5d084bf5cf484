import SSOShared

/// Makes the codes and the links of changes of addresses from their ids, with keys that are not in the database. Nothing of them is
/// stored, so an attacker who reads the rows or the mail queue learns none.
struct AddressKeys: Sendable {
    private static let prefix = "adr_"
    private static let randomBytes = 16
    private static let tagBytes = 16

    private let codes, stops: [[UInt8]]

    init(_ keys: DerivedKeys) { (codes, stops) = (keys.derive("address-code"), keys.derive("address-stop")) }

    static func newID(_ randomness: any Randomness) throws -> String {
        prefix + Base64URL.encode(try randomness.bytes(randomBytes))
    }

    /// The six digits of a change, for its email.
    func code(of id: String) -> String { DerivedDigits.text(id, count: 6, key: codes.first ?? []) }

    /// Whether a typed code is that of a change, in constant time.
    func matches(_ code: String, _ id: String) -> Bool {
        codes.map { key in
            ConstantTime.equal(Array(DerivedDigits.text(id, count: 6, key: key).utf8), Array(code.utf8))
        }.contains(true)
    }

    /// What stands in the link that stops a change.
    func stopKey(of id: String) -> String {
        guard let random = Base64URL.decode(id.dropFirst(Self.prefix.count)), let key = stops.first else { return "" }
        return Base64URL.encode(random + Self.tag(random, key))
    }

    /// The id of the change that a link names; nil for a key that was not made here. Punctuation that a mail program took for a part
    /// of the link is ignored.
    func changeID(of key: some StringProtocol) -> String? {
        let length = ((Self.randomBytes + Self.tagBytes) * 4 + 2) / 3
        let text = String(decoding: key.utf8.prefix(length), as: UTF8.self)
        guard let bytes = Base64URL.decode(text), bytes.count == Self.randomBytes + Self.tagBytes else { return nil }
        let (random, tag) = (Array(bytes.prefix(Self.randomBytes)), Array(bytes.suffix(Self.tagBytes)))
        guard stops.map({ ConstantTime.equal(Self.tag(random, $0), tag) }).contains(true) else { return nil }
        return Self.prefix + Base64URL.encode(random)
    }

    private static func tag(_ random: [UInt8], _ key: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(for: random, key: key).prefix(tagBytes))
    }
}

/// The pages on which users change the address of their account.
enum AddressPath {
    static let page = "/address"
    static let ask = "/address/ask"
    static let code = "/address/code"
    static let changed = "/address/changed"
    /// The link in the email to the old address has a key after it.
    static let stop = "/address/stop"
    static let stopped = "/address/stopped"
}
