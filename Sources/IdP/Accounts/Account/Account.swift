package import IdPClients
package import IdPSignOut
package import SSOShared
package import SSOWeb
package import Storage

/// A user's account.
package struct Account: Sendable {
    /// Stable and opaque: what relying parties key their rows by. Never the email address, which may change hands.
    package let id: String
    /// Lower-cased. Where emails to the user go.
    package let email: String
    /// What relying parties call the user.
    package let name: String
    /// Whether an operator has disabled it.
    package let isDisabledByOperator: Bool
    /// How often all sign-ins of the account were ended at once. A sign-in holds while this number is what it was at the
    /// sign-in. No clock is compared, so a wrong clock can neither keep a sign-in alive nor lock an account out.
    package let signOuts: Int64
    /// When the account was made: at its first sign-in, or when an operator added it.
    package let createdAt: Timestamp
    /// When an operator added it, by an invitation or an import. It may sign in then, whatever `IDP_ALLOWED_EMAILS` names.
    package let addedAt: Timestamp?
    /// From this moment on it may not sign in.
    package let endsAt: Timestamp?
    /// When it is erased. It is disabled until then.
    package let eraseAt: Timestamp?
    /// That of the browser at the latest sign-in, for emails that no request has caused.
    package let language: Language?
    /// What services call the user that want a short name (``Usernames``). Nil: given with the first token.
    package let username: String?
    /// When the name or the address changed last.
    package let updatedAt: Timestamp?
    /// When somebody signed in to it for the first time. It stays so, whatever ends afterwards.
    package let begunAt: Timestamp?

    package var isDisabled: Bool { isDisabledByOperator || eraseAt != nil }
    /// Whether its end date is over.
    package func isOver(at now: Timestamp) -> Bool { endsAt.map { $0 <= now } ?? false }
    /// Whether somebody has given it a name: the first one is made from the address, and nobody is called that.
    package var isNamed: Bool { name != DisplayName.initial(for: email) }
}

/// What a sign-in has proven: that the visitor controls an address, a passkey, or an account elsewhere.
package enum ProvenIdentity: Sendable {
    /// The visitor read an email to this address.
    case email(EmailAddress)
    /// The visitor used this passkey (WebAuthn Level 3, 5.1: the credential's id).
    case passkey(PasskeyID)
    /// An operator has printed a link for the account of this id. It is an identity once only, and has no row.
    case printedLink(accountID: String)
    /// The visitor signed in at a provider.
    case external(ExternalIdentity)

    /// The key of the row in `account_identity`.
    var key: (kind: String, issuer: String, subject: String) {
        switch self {
        case .email(let address): ("email", "", address.text)
        case .passkey(let id): ("passkey", id.relyingParty, id.text)
        case .printedLink(let id): ("operator", "", id)
        case .external(let identity): ("external", identity.issuer, identity.subject)
        }
    }
}

/// The account that an identity leads to.
package struct AccountMatch: Sendable {
    package let account: Account
    /// Whether this sign-in made it.
    package let isNew: Bool
    /// The identities that the first proof of the account's address has ended.
    package let revoked: [AccountIdentity]
    /// Whether it is the first sign-in by email to an account that began by an operator's word.
    package let isFirstMailbox: Bool

    package init(
        account: Account, isNew: Bool = false, revoked: [AccountIdentity] = [], isFirstMailbox: Bool = false
    ) {
        (self.account, self.isNew, self.revoked) = (account, isNew, revoked)
        self.isFirstMailbox = isFirstMailbox
    }
}

/// Owns the rows of `account` and `account_identity`: an account, and the identities that lead to it. Does not decide who
/// may sign in: see ``SignInEligibility``.
package struct AccountStore: Sendable {
    package let database: any Database
    package let clock: ServiceClock
    let randomness: any Randomness
    package let eligibility: SignInEligibility
    /// Tells clients when sign-ins end.
    package let signOuts: SignOuts

    package init(
        database: any Database, clock: ServiceClock, randomness: any Randomness, eligibility: SignInEligibility,
        signOuts: SignOuts
    ) {
        (self.database, self.clock, self.randomness, self.eligibility) = (database, clock, randomness, eligibility)
        self.signOuts = signOuts
    }

    /// The account that a proven identity leads to, in the caller's transaction.
    ///
    /// An address makes an account at its first sign-in, and so does a provider's identity with a verified address that has
    /// no account yet, where the provider may make accounts and owns the domain. A verified address never leads to an
    /// account that exists: that would let a provider open it.
    ///
    /// - Parameters:
    ///   - audit: the audit log of the request.
    ///   - current: the sign-in of this browser until now. The first proof of an address leaves the other identities alone
    ///     if it comes from a browser that one of them has signed in to the same account.
    ///   - waiting: the identity that the caller links after this proof of its address. A new account has its name, and the
    ///     first proof of an address leaves it alone.
    /// - Returns: nil for an identity that is not linked to an account and may not make one, and for one that does not open
    ///   its account (``opens(_:_:_:)``).
    package func account(
        of identity: ProvenIdentity, after current: CurrentSignIn.SignIn? = nil,
        adding waiting: ExternalIdentity? = nil, auditing audit: RequestAudit? = nil,
        _ connection: any SQLConnection
    ) throws -> AccountMatch? {
        if case .printedLink(let id) = identity {
            return try Self.find(id, connection).map { AccountMatch(account: $0) }
        }
        if let account = try Self.find(identity, connection) {
            if case .external(let external) = identity, try !opens(external, account, connection) { return nil }
            try noteUse(of: identity, by: account, connection)
            // One whose first sign-in was at a node of an earlier version.
            try Self.noteBegun(account, at: clock.now(), connection)
            return AccountMatch(account: account)
        }
        if try isKept(identity, connection) { return nil }
        switch identity {
        case .email(let address):
            let (account, isNew) = try make(address, name: waiting?.name, connection)
            // Until now only a provider vouched for the address.
            // An account that began by an operator's word was set up by its user: email is one more way, and the weaker one.
            let isOfLink = try PrintedLinkStore.hasUsed(account.id, connection)
            let isOwn = isOfLink || current?.accountID == account.id && current?.accountSignOuts == account.signOuts
            let revoked = isNew || isOwn ? [] : try revokeUnproven(account, keeping: waiting, audit, connection)
            try add(identity, to: account, connection)
            let current = revoked.isEmpty ? account : try Self.find(account.id, connection) ?? account
            return AccountMatch(
                account: current, isNew: isNew, revoked: revoked, isFirstMailbox: isOfLink)
        case .external(let external):
            guard external.mayMakeAccount, let address = external.email, external.vouches(for: address.text),
                try Self.find(email: address.text, connection) == nil
            else { return nil }
            let (account, isNew) = try make(address, name: external.name, connection)
            try add(identity, to: account, connection)
            return AccountMatch(account: account, isNew: isNew)
        case .passkey, .printedLink: return nil
        }
    }

    /// Whether an identity would make an account for an address that is kept for another one (``AddressChangeStore``).
    private func isKept(_ identity: ProvenIdentity, _ connection: any SQLConnection) throws -> Bool {
        let address: EmailAddress? =
            switch identity {
            case .email(let address): address
            case .external(let external): external.email
            case .passkey, .printedLink: nil
            }
        guard let address, try Self.find(email: address.text, connection) == nil else { return false }
        return try AddressChangeStore.isKept(address.text, at: clock.now(), connection)
    }

    /// The account of an address. Makes one for an address without an account.
    private func make(
        _ address: EmailAddress, name: String?, _ connection: any SQLConnection
    ) throws -> (Account, isNew: Bool) {
        let id = try Self.newID(randomness)
        let made = try connection.execute(
            """
            INSERT INTO account (id, email, name, created_at, begun_at) VALUES (:id, :email, :name, :now, :now)
                ON CONFLICT (email) DO NOTHING
            """,
            [
                "id": .text(id), "email": .text(address.text),
                "name": .text(name ?? DisplayName.initial(for: address.text)), "now": .timestamp(clock.now()),
            ])
        if made == 1 { try Usernames.give(id, for: address.text, randomness, connection) }
        guard let account = try Self.find(email: address.text, connection) else {
            throw DatabaseError.unavailable("an account vanished while it was made")
        }
        return (account, made == 1)
    }

    /// Gives an account the name that its user has chosen, which answers the question for it (``ProfileStore``).
    package func rename(_ account: Account, to name: String, _ audit: RequestAudit?) async throws {
        try await database.write { connection in
            try ProfileStore.noteNameAnswered(by: account.id, at: clock.now(), connection)
            let changed = try connection.execute(
                "UPDATE account SET name = :name, updated_at = :now WHERE id = :id AND name <> :name",
                ["name": .text(name), "id": .text(account.id), "now": .timestamp(clock.now())])
            guard changed > 0 else { return }
            let event = Event(
                .userChanged, by: .user(account.id), account: account.id, cause: UserChange.name.rawValue)
            try audit?.record(event.only(in: .auditLog), connection)
        }
    }

    package static func find(_ id: String, _ connection: any SQLConnection) throws -> Account? {
        try connection.query("SELECT \(Account.columns) FROM account WHERE id = :id", ["id": .text(id)]).first.map(
            Account.init)
    }

    package static func find(email: String, _ connection: any SQLConnection) throws -> Account? {
        try connection.query("SELECT \(Account.columns) FROM account WHERE email = :email", ["email": .text(email)])
            .first.map(Account.init)
    }

    /// The account that an identity leads to; nil if it leads to none.
    package static func find(_ identity: ProvenIdentity, _ connection: any SQLConnection) throws -> Account? {
        try connection.query(
            """
            SELECT \(Account.columns) FROM account WHERE id = (
                SELECT account_id FROM account_identity
                 WHERE kind = :kind AND issuer = :issuer AND subject = :subject)
            """, values(identity)
        ).first.map(Account.init)
    }

    static func values(_ identity: ProvenIdentity) -> SQLArguments {
        let (kind, issuer, subject) = identity.key
        return ["kind": .text(kind), "issuer": .text(issuer), "subject": .text(subject)]
    }
}

extension Account {
    package static let columns =
        """
        id, email, name, disabled, sign_outs, created_at, added_at, ends_at, erase_at, language, username, updated_at, \
        begun_at
        """

    /// The condition that what decides whether it may sign in, and what clients are told of it, is as it was read, with
    /// ``values(unchanged:)``.
    ///
    /// - Parameter id: the column with its id.
    package static func unchangedSQL(_ id: String) -> String {
        """
        EXISTS (SELECT 1 FROM account o WHERE o.id = \(id) AND o.email = :email AND o.name = :name
                   AND CASE WHEN o.added_at IS NULL THEN 0 ELSE 1 END = :added)
        """
    }

    package static func values(unchanged account: Account) -> SQLArguments {
        [
            "email": .text(account.email), "name": .text(account.name),
            "added": .integer(account.addedAt == nil ? 0 : 1),
        ]
    }

    /// The columns of a statement with several tables.
    package static func columns(of table: String) -> String {
        columns.split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
    }

    package init(_ row: any SQLColumns) throws {
        id = try row.text("id")
        email = try row.text("email")
        name = try row.text("name")
        isDisabledByOperator = try row.integer("disabled") != 0
        signOuts = try row.integer("sign_outs")
        createdAt = try row.timestamp("created_at")
        addedAt = try row.optionalTimestamp("added_at")
        endsAt = try row.optionalTimestamp("ends_at")
        eraseAt = try row.optionalTimestamp("erase_at")
        language = try row.optionalText("language").flatMap(Language.init)
        username = try row.optionalText("username")
        updatedAt = try row.optionalTimestamp("updated_at")
        begunAt = try row.optionalTimestamp("begun_at")
    }
}

extension DisplayName {
    /// The name of a new account: the part of its address before the @.
    package static func initial(for email: String) -> String { String(email.prefix { $0 != "@" }) }
}
