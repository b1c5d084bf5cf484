import SSOShared
package import SSOWeb
package import Storage

/// Owns the rule who may sign in: an address that `IDP_ALLOWED_EMAILS` names, or an account that an operator added, unless
/// the account is disabled or its end date is over.
///
/// Checked at every use of a session and of a token, not only at sign-in: an address that is removed from the setting is
/// signed out with the next request (ASVS 8.3.2).
package struct SignInEligibility: Sendable {
    package let allowed: AllowedEmails
    private let clock: ServiceClock

    package init(allowed: AllowedEmails, clock: ServiceClock) { (self.allowed, self.clock) = (allowed, clock) }

    /// For a command, which does not read `IDP_ALLOWED_EMAILS` and lets nobody sign in.
    package static let ofCommand = SignInEligibility(allowed: AllowedEmails(), clock: .system())

    /// Why an address or account may not sign in.
    package enum Reason: Sendable {
        /// `IDP_ALLOWED_EMAILS` does not name the address, and nobody has added its account. Or it is kept for an account whose
        /// user has changed the address.
        case notAllowed
        case disabled
        /// The account's end date is over.
        case ended
    }

    /// What is known about an address before its owner has proven it.
    package struct Standing: Sendable {
        /// Nil for one that may sign in.
        package let reason: Reason?
        /// The id of its account.
        package let account: String?

        package var isEligible: Bool { reason == nil }
    }

    /// Looks at the account and at the setting for every address, so that each answer takes the same time.
    package func standing(of email: String, _ connection: any SQLConnection) throws -> Standing {
        let account = try AccountStore.find(email: email, connection)
        let isKept = try AddressChangeStore.isKept(email, at: clock.now(), connection)
        let reason = reason(email, account)
        return Standing(reason: account == nil && isKept ? reason ?? .notAllowed : reason, account: account?.id)
    }

    package func maySignIn(_ account: Account) -> Bool { reason(account) == nil }

    /// Why an account may not sign in; nil for one that may.
    package func reason(_ account: Account) -> Reason? { reason(account.email, account) }

    private func reason(_ email: String, _ account: Account?) -> Reason? {
        let isNamed = allowed.contains(email)
        if !isNamed && account?.addedAt == nil { return .notAllowed }
        if account?.isDisabled == true { return .disabled }
        return account?.endsAt.map { $0 <= clock.now() } == true ? .ended : nil
    }
}

/// The rule that a sign-in still holds, whatever carries it (a session, a token, a code): its account may sign in, and its
/// sign-ins were not ended all at once since then. The one condition for every place that asks.
package struct SignInHolds: Sendable {
    let eligibility: SignInEligibility

    package enum Verdict: Sendable {
        case holds(Account)
        /// The account is gone, or may not sign in (``SignInEligibility``).
        case mayNotSignIn
        /// All sign-ins of the account were ended since then.
        case ended
    }

    /// - Parameter signOuts: the account's ``Account/signOuts`` at the sign-in.
    package func verdict(
        _ accountID: String, signOuts: Int64, _ connection: any SQLConnection
    ) throws -> Verdict {
        guard let account = try AccountStore.find(accountID, connection), eligibility.maySignIn(account) else {
            return .mayNotSignIn
        }
        return account.signOuts == signOuts ? .holds(account) : .ended
    }

    /// The account of a sign-in that holds; nil for any other.
    package func account(_ accountID: String, signOuts: Int64, _ connection: any SQLConnection) throws -> Account? {
        guard case .holds(let account) = try verdict(accountID, signOuts: signOuts, connection) else { return nil }
        return account
    }

    /// The condition on a row with `account_id` and `account_sign_outs`, as far as the database knows, with `:now`: whether
    /// `IDP_ALLOWED_EMAILS` names the address goes into the statement as a value.
    ///
    /// - Parameter row: the name of the table in the statement.
    package static func sql(_ row: String) -> String {
        accountSQL(row, and: "AND a.sign_outs = \(row).account_sign_outs")
    }

    /// The same for a row that hangs on a sign-in at a client (``ClientSignIns/holds(_:kind:)``). Whatever raises the number of
    /// sign-outs ends those of the account in the same transaction, but for the one session that goes on.
    package static func atClientSQL(_ row: String) -> String { accountSQL(row, and: "") }

    private static func accountSQL(_ row: String, and condition: String) -> String {
        """
        EXISTS (SELECT 1 FROM account a WHERE a.id = \(row).account_id AND a.disabled = 0 AND a.erase_at IS NULL
                   AND (a.ends_at IS NULL OR a.ends_at > :now) \(condition))
        """
    }
}

extension SignInEligibility {
    package var signIn: SignInHolds { SignInHolds(eligibility: self) }
}

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

    /// These, and further addresses: `IDP_ADMINS` lets its own sign in.
    package func adding(_ further: [String]) -> AllowedEmails {
        var all = self
        all.addresses.formUnion(further.map { Array($0.utf8) })
        return all
    }
}
