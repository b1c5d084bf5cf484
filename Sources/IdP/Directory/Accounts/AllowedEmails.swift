import SSOShared
import SSOWeb
package import Storage

/// `*@example.com, ann@partner.org`: who may sign in without being added first.
package struct AllowedEmails: Sendable {
    private var domains: Set<[UInt8]> = []
    private var addresses: Set<[UInt8]> = []

    /// Whether nobody may sign in.
    package var isEmpty: Bool { domains.isEmpty && addresses.isEmpty }

    /// - Throws: ``SettingError`` naming each item that is neither an address nor `*@domain`.
    package init(_ text: String) throws {
        let items = text.split(separator: ",").filter { !$0.allSatisfy(\.isWhitespace) }
        for (isDomain, bytes) in try items.readAll(Self.read) {
            if isDomain { domains.insert(bytes) } else { addresses.insert(bytes) }
        }
    }

    private static func read(_ item: Substring) throws -> (isDomain: Bool, bytes: [UInt8]) {
        let words = item.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, let pattern = words.first?.lowercased() else {
            throw SettingError(
                "\"\(item)\" contains a space. Separate items with commas, for example *@example.com, ann@partner.org.")
        }
        let isDomain = pattern.hasPrefix("*@")
        // A domain is checked as part of an address, so that one rule defines what an address is. An address may hold a
        // star. In this setting it would be taken for a pattern, so it is refused.
        guard !pattern.dropFirst(isDomain ? 1 : 0).contains("*"),
            let address = try? EmailAddress(isDomain ? "a" + pattern.dropFirst() : pattern)
        else {
            throw SettingError(
                "\"\(pattern)\" is not a valid item. Use addresses and *@domain, for example *@example.com, ann@partner.org."
            )
        }
        return (isDomain, Array(address.text.utf8.dropFirst(isDomain ? 2 : 0)))
    }

    /// - Parameter email: the text of an ``EmailAddress``.
    package func contains(_ email: String) -> Bool {
        let bytes = Array(email.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
        return addresses.contains(bytes) || domains.contains(Array(bytes[(at + 1)...]))
    }
}

/// Owns the rule who may sign in: an address that `IDP_ALLOWED_EMAILS` names, unless its account is disabled.
///
/// Checked at every use of a session and of a token, not only at sign-in: an address that is removed from the setting is
/// signed out with the next request (ASVS 8.3.2).
package struct SignInEligibility: Sendable {
    package let allowed: AllowedEmails

    package init(allowed: AllowedEmails) {
        self.allowed = allowed
    }

    /// What is known about an address before its owner has proven it.
    package struct Standing: Sendable {
        package let isAllowed: Bool
        package let isDisabled: Bool
        package let hasAccount: Bool

        package var isEligible: Bool { isAllowed && !isDisabled }
    }

    /// Looks the account up in either case, so that both answers take the same time.
    package func standing(of email: String, _ connection: any SQLConnection) throws -> Standing {
        let account = try AccountStore.find(email: email, connection)
        return Standing(
            isAllowed: allowed.contains(email), isDisabled: account?.isDisabled == true, hasAccount: account != nil)
    }

    package func maySignIn(_ account: Account) -> Bool { !account.isDisabled && allowed.contains(account.email) }
}
