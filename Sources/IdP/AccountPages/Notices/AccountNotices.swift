import IdPAccounts
package import IdPMail
package import IdPProviders
package import SSOShared
package import SSOWeb
import Storage

/// Owns the rows of `account_notice`: one for each change of how a user signs in, with an email about it.
///
/// Row and email are in the transaction of the change: there is no change without its email, and no email without a change.
package struct AccountNotices: AccountChangeReporter {
    /// After so many within a day the next change that takes something away is reported by one email, which says that no
    /// more of them follow for a day. A link is reported always: otherwise a thief of a session could make enough noise
    /// first, and then add an identity in silence.
    static let maximumPerDay = 20
    /// Sign-ins that an account is told of within a day. They count by themselves: a user of private windows causes many, which
    /// must not keep other notices away.
    static let signInsPerDay = 10

    let mail: MailQueue
    let providers: ProviderRegistry
    let clock: ServiceClock
    let randomness: any Randomness

    package init(
        mail: MailQueue, providers: ProviderRegistry, clock: ServiceClock, randomness: any Randomness
    ) {
        (self.mail, self.providers, self.clock, self.randomness) = (mail, providers, clock, randomness)
    }

    func report(
        _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
    ) throws {
        if case .addressChanged(let old) = change {
            for address in [old, account.email] {
                try insert(.address, change, of: account, to: address, by: origin, connection)
            }
            return
        }
        var kind = change.kind
        if kind.isSignIn {
            guard try earlier(account, signIns: true, connection).count < Self.signInsPerDay else { return }
        } else if !kind.isAlwaysTold {
            let earlier = try earlier(account, signIns: false, connection)
            if earlier.count >= Self.maximumPerDay {
                guard !earlier.hasFurther else { return }
                kind = .further
            }
        }
        try insert(kind, change, of: account, to: account.email, by: origin, connection)
    }

    /// The notices of the last day, of sign-ins or of changes: how many, and whether one of them says that no more follow.
    private func earlier(
        _ account: Account, signIns: Bool, _ connection: any SQLConnection
    ) throws -> (count: Int64, hasFurther: Bool) {
        let now = clock.now()
        let row = try connection.query(
            """
            SELECT COUNT(*) AS count, COALESCE(SUM(CASE WHEN change = :further THEN 1 ELSE 0 END), 0) AS further FROM account_notice
             WHERE account_id = :account AND created_at > :since AND created_at <= :latest
               AND CASE WHEN change IN (:passkey, :provider) THEN 1 ELSE 0 END = :sign_ins
            """,
            [
                "account": .text(account.id), "since": .timestamp(now - .days(1)),
                "further": .text(AccountNotice.Change.further.rawValue),
                "passkey": .text(AccountNotice.Change.signedInByPasskey.rawValue),
                "provider": .text(AccountNotice.Change.signedInByProvider.rawValue),
                "sign_ins": .integer(signIns ? 1 : 0),
                // One that is further ahead was written while the clock was wrong.
                "latest": .timestamp(now + ClockSkew.tolerated),
            ]
        ).first
        return (try row?.integer("count") ?? 0, try row?.integer("further") ?? 0 > 0)
    }

    private func insert(
        _ kind: AccountNotice.Change, _ change: AccountChange, of account: Account, to address: String,
        by origin: ChangeOrigin, _ connection: any SQLConnection
    ) throws {
        let now = clock.now()
        let id = "not_" + Base64URL.encode(try randomness.bytes(16))
        try connection.execute(
            """
            INSERT INTO account_notice (id, account_id, address, change, provider, device, language, created_at, new_address)
            VALUES (:id, :account, :address, :change, :provider, :device, :language, :now, :new)
            """,
            [
                "id": .text(id), "account": .text(account.id), "address": .text(address),
                "change": .text(kind.rawValue),
                // As users know it now: the file may have another name for it when the email is sent.
                "provider": .text(change.name ?? providers.provider(id: change.provider)?.name ?? change.provider),
                "device": .optional(origin.device), "language": .text(origin.language.rawValue),
                "now": .timestamp(now), "new": .optional(kind == .address ? account.email : nil),
            ])
        try mail.enqueueNotice(id, kind: AccountNoticeMail.kind, subjectID: id, now: now, connection)
    }

    /// Removes notices that have been sent, or cannot be sent any more.
    package func purge(limit: Int) async throws -> Int {
        let old = clock.now() - MailQueue.noticeLifetime - .days(1)
        return try await mail.database.purge(
            """
            DELETE FROM account_notice WHERE id IN (
                SELECT id FROM account_notice WHERE created_at <= :old LIMIT :limit)
            """, ["old": .timestamp(old)], limit: limit)
    }
}

/// A row of `account_notice`.
struct AccountNotice: Sendable {
    /// The raw values are stored and never change.
    enum Change: String, Sendable, CaseIterable {
        case linked, unlinked, revoked, withdrawn
        /// One of the last three, and no more emails about them for a day.
        case further
        case address
        case passkeyAdded = "passkey_added"
        case passkeyRenamed = "passkey_renamed"
        case passkeyRemoved = "passkey_removed"
        case passkeysRevoked = "passkeys_revoked"
        case passkeysForgotten = "passkeys_forgotten"
        case passkeyCopied = "passkey_copied"
        case firstMailbox = "first_mailbox"
        case printedLinkUsed = "printed_link_used"
        case signedInByPasskey = "signed_in_by_passkey"
        case signedInByProvider = "signed_in_by_provider"

        /// Whether it is about a sign-in in a browser that was not known.
        var isSignIn: Bool { self == .signedInByPasskey || self == .signedInByProvider }

        /// What gives somebody a way in is told whatever else happens.
        var isAlwaysTold: Bool {
            [.linked, .passkeyAdded, .passkeyCopied, .firstMailbox, .printedLinkUsed].contains(self)
        }
    }

    let accountID, address: String
    let change: Change
    /// What users call the provider or the passkey; empty where none has to do with it.
    let provider: String
    /// A ``DeviceKind``; nil for a change by another server.
    let device: String?
    let language: Language
    let createdAt: Timestamp
    /// The address that the account has now; nil where it has not changed.
    let newAddress: String?
}

extension AccountNotice {
    /// Nil for a change that this version does not know.
    init?(_ row: SQLRow) throws {
        guard let change = Change(rawValue: try row.text("change")) else { return nil }
        self.change = change
        (accountID, address) = (try row.text("account_id"), try row.text("address"))
        provider = try row.text("provider")
        device = try row.optionalText("device")
        language = Language(rawValue: try row.text("language")) ?? .english
        createdAt = try row.timestamp("created_at")
        newAddress = try row.optionalText("new_address")
    }
}

extension AccountChange {
    fileprivate var kind: AccountNotice.Change {
        switch self {
        case .linked: .linked
        case .unlinked: .unlinked
        case .revoked: .revoked
        case .withdrawn: .withdrawn
        case .addressChanged: .address
        case .passkeyAdded: .passkeyAdded
        case .passkeyRenamed: .passkeyRenamed
        case .passkeyRemoved: .passkeyRemoved
        case .passkeysRevoked: .passkeysRevoked
        case .passkeysForgotten: .passkeysForgotten
        case .passkeyCopied: .passkeyCopied
        case .firstMailbox: .firstMailbox
        case .printedLinkUsed: .printedLinkUsed
        case .signedInByPasskey: .signedInByPasskey
        case .signedInByProvider: .signedInByProvider
        }
    }

    /// The id of the provider; empty where none has to do with it.
    fileprivate var provider: String {
        switch self {
        case .linked(let id), .unlinked(let id), .revoked(let id), .withdrawn(let id), .signedInByProvider(let id): id
        default: ""
        }
    }

    /// What its user calls a passkey; nil where none has to do with it.
    fileprivate var name: String? {
        switch self {
        case .passkeyAdded(let name), .passkeyRenamed(let name), .passkeyRemoved(let name): name
        default: nil
        }
    }
}
