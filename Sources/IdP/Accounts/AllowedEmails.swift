import SSOWeb

/// `*@example.com, ann@partner.org`: who may sign in without being added first.
struct AllowedEmails: Sendable {
    private var domains: Set<[UInt8]> = []
    private var addresses: Set<[UInt8]> = []

    /// - Throws: ``SettingError`` naming each item that is neither an address nor `*@domain`.
    init(_ text: String) throws {
        let items = text.split(separator: ",").filter { !$0.allSatisfy(\.isWhitespace) }
        for (isDomain, bytes) in try items.readAll(Self.read) {
            if isDomain { domains.insert(bytes) } else { addresses.insert(bytes) }
        }
    }

    private static func read(_ item: Substring) throws -> (isDomain: Bool, bytes: [UInt8]) {
        let words = item.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let pattern = words.first?.lowercased() else {
            throw SettingError("\"\(item)\" has a blank in it. Put commas between.")
        }
        let isDomain = pattern.hasPrefix("*@")
        // A domain is checked as the address of somebody in it, so that one rule says what an address is.
        // An address may have a star in it; who writes one here means more than that one person.
        guard !pattern.dropFirst(isDomain ? 1 : 0).contains("*"),
            let address = try? LetterAddress(isDomain ? "a" + pattern.dropFirst() : pattern)
        else {
            throw SettingError("\"\(pattern)\" is neither an address nor *@domain.")
        }
        return (isDomain, Array(address.text.utf8.dropFirst(isDomain ? 2 : 0)))
    }

    /// - Parameter email: as ``LetterAddress`` wrote it.
    func contains(_ email: String) -> Bool {
        let bytes = Array(email.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return addresses.contains(bytes) || domains.contains(Array(bytes[(at + 1)...]))
    }
}
