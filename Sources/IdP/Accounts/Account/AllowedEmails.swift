import SSOShared
package import SSOWeb

/// `*@example.com, ann@partner.org`: who may sign in without being added first.
package struct AllowedEmails: Sendable {
    package static let setting: Setting<AllowedEmails> = Setting(
        "IDP_ALLOWED_EMAILS", .empty, example: "*@example.com, ann@partner.org",
        "Who may sign in: addresses and *@domain, separated by commas, beside users whom you invite or import. While it is empty, only those can. A removed address is signed out at the next start."
    ) { try AllowedEmails($0) }
    .checked { allowed, reader, _ in
        guard allowed.isEmpty else { return }
        reader.warn(
            "\(setting.name): is empty, so only users whom you invite or import can sign in. To let others in, use addresses and "
                + "*@domain, for example *@example.com, ann@partner.org.")
    }

    private var domains: Set<[UInt8]> = []
    private var addresses: Set<[UInt8]> = []

    /// Whether nobody may sign in.
    package var isEmpty: Bool { domains.isEmpty && addresses.isEmpty }

    /// The domains of all items, also of single addresses.
    package var namedDomains: Set<[UInt8]> {
        domains.union(addresses.map { Array($0.drop { $0 != UInt8(ascii: "@") }.dropFirst()) })
    }

    /// Nobody.
    init() {}

    /// - Throws: ``SettingError`` naming each item that is neither an address nor `*@domain`.
    package init(_ text: String) throws {
        let items = text.split(separator: ",").filter { !$0.allSatisfy(\.isWhitespace) }
        for (isDomain, bytes) in try items.readAll(Self.read) {
            if isDomain { domains.insert(bytes) } else { addresses.insert(bytes) }
        }
    }

    private static func read(_ item: Substring) throws -> (isDomain: Bool, bytes: [UInt8]) {
        let words = item.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let written = words.first?.lowercased() else {
            throw SettingError(
                "\"\(item)\" contains a space. Separate items with commas, for example *@example.com, ann@partner.org.")
        }
        let pattern = Entered.bare(written)
        let isDomain = pattern.hasPrefix("*@") || pattern.hasPrefix("*＠")
        // A domain is checked as part of an address, so that one rule defines what an address is. An address may hold a
        // star. In this setting it would be taken for a pattern, so it is refused.
        do {
            guard !pattern.dropFirst(isDomain ? 1 : 0).contains("*") else { throw SettingError("") }
            let address = try Entered.address(isDomain ? "a" + pattern.dropFirst() : pattern)
            return (isDomain, Array(address.text.utf8.dropFirst(isDomain ? 2 : 0)))
        } catch {
            let reason = error is EmailAddressError ? "\(error) " : ""
            throw SettingError(
                "\"\(pattern)\" is not a valid item. \(reason)Use addresses and *@domain, for example *@example.com, ann@partner.org."
            )
        }
    }

    /// - Parameter email: the text of an ``EmailAddress``.
    package func contains(_ email: String) -> Bool {
        let bytes = Array(email.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return addresses.contains(bytes) || domains.contains(Array(bytes[(at + 1)...]))
    }
}
