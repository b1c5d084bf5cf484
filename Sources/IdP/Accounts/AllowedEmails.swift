import SSOWeb

/// `*@example.com, ann@partner.org`: who may sign in without being added first.
struct AllowedEmails: Sendable {
    private var domains: Set<[UInt8]> = []
    private var addresses: Set<[UInt8]> = []

    /// - Throws: ``SettingFault`` naming the item that is neither an address nor `*@domain`.
    init(_ text: String) throws {
        for item in text.split(separator: ",") {
            let words = item.split(whereSeparator: \.isWhitespace)
            guard let pattern = words.first.map({ $0.lowercased() }) else { continue }
            guard words.count == 1 else { throw SettingFault("\"\(item)\" has a blank in it. Put commas between.") }
            let isDomain = pattern.hasPrefix("*@")
            // A domain is checked as the address of somebody in it, so that one rule says what an address is.
            guard let address = try? LetterAddress(isDomain ? "a" + pattern.dropFirst() : pattern) else {
                throw SettingFault("\"\(pattern)\" is neither an address nor *@domain.")
            }
            if isDomain {
                domains.insert(Array(address.text.utf8.dropFirst(2)))
            } else {
                addresses.insert(Array(address.text.utf8))
            }
        }
    }

    /// - Parameter email: as ``LetterAddress`` wrote it.
    func contains(_ email: String) -> Bool {
        let bytes = Array(email.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return addresses.contains(bytes) || domains.contains(Array(bytes[(at + 1)...]))
    }
}
