package import IdPClients
package import IdPSignOut
import SSOShared
package import SSOWeb
package import Storage

extension AccountStore {
    /// Lets an identity lead to an account from now on, in the caller's transaction. An identity that leads to an account
    /// already is left alone.
    ///
    /// - Returns: whether it leads to the account now and did not before.
    @discardableResult
    package func add(_ identity: ProvenIdentity, to account: Account, _ connection: any SQLConnection) throws -> Bool {
        var values = Self.values(identity).merging([
            "account": .text(account.id), "now": .timestamp(clock.now()), "provider": .optional(String?.none),
            "email": .optional(String?.none), "private": .integer(0), "token": .optional([UInt8]?.none),
            "vouched": .integer(0),
        ])
        if case .external(let external) = identity {
            values["provider"] = .text(external.provider)
            values["email"] = .optional(external.email?.text)
            values["private"] = .integer(external.isPrivateEmail ? 1 : 0)
            values["token"] = .optional(external.sealedRefreshToken)
            values["vouched"] = .integer(external.vouches(for: account.email) ? 1 : 0)
        }
        let isAdded =
            try connection.execute(
                """
                INSERT INTO account_identity (kind, issuer, subject, account_id, created_at, provider, email,
                                              is_private_email, refresh_token, is_vouched)
                VALUES (:kind, :issuer, :subject, :account, :now, :provider, :email, :private, :token, :vouched)
                    ON CONFLICT (kind, issuer, subject) DO NOTHING
                """, values) == 1
        if isAdded { try Self.noteBegun(account, at: clock.now(), connection) }
        return isAdded
    }

    /// Notes that somebody has signed in to an account. A statement only the first time.
    static func noteBegun(_ account: Account, at now: Timestamp, _ connection: any SQLConnection) throws {
        guard account.begunAt == nil else { return }
        try connection.execute(
            "UPDATE account SET begun_at = :now WHERE id = :id AND begun_at IS NULL",
            ["now": .timestamp(now), "id": .text(account.id)])
    }

    /// What became of the link of an identity to an account.
    package enum AddOutcome: Sendable {
        case added
        /// It led to this account before.
        case already
        /// It leads to another account.
        case elsewhere
    }

    /// Links an identity of a provider to an account, and tells its owner, in the caller's transaction.
    package func addOnce(
        _ identity: ExternalIdentity, to account: Account, reporting changes: any AccountChangeReporter,
        by origin: ChangeOrigin, _ connection: any SQLConnection
    ) throws -> AddOutcome {
        if let owner = try Self.find(.external(identity), connection) {
            return owner.id.utf8.elementsEqual(account.id.utf8) ? .already : .elsewhere
        }
        try add(.external(identity), to: account, connection)
        try changes.report(.linked(provider: identity.provider), of: account, by: origin, connection)
        return .added
    }

    /// Whether an identity of a provider opens the account that it leads to, without a proof of its mailbox.
    ///
    /// The owner of the mailbox has proven it at least once, or the provider owns the domain of the account's address and
    /// has vouched for that address. Otherwise the account may have been made in advance for the address of another user
    /// (Sudhodanan and Paverd, "Pre-hijacked accounts", 2022).
    package func opens(
        _ external: ExternalIdentity, _ account: Account, _ connection: any SQLConnection
    ) throws -> Bool {
        if external.vouches(for: account.email) { return true }
        return try !connection.query(
            """
            SELECT 1 FROM account_identity
             WHERE account_id = :account
               AND (kind = 'email' OR is_vouched = :vouched AND kind = 'external' AND issuer = :issuer AND subject = :subject)
             LIMIT 1
            """,
            [
                "account": .text(account.id), "issuer": .text(external.issuer), "subject": .text(external.subject),
                // Such a provider may have given its user another address since. No row has -1.
                "vouched": .integer(external.owns(account.email) ? 1 : -1),
            ]
        ).isEmpty
    }

    /// Notes that an identity has signed in to its account, and what its provider says now, in the caller's transaction.
    func noteUse(of identity: ProvenIdentity, by account: Account, _ connection: any SQLConnection) throws {
        var values = Self.values(identity)
        values["now"] = .timestamp(clock.now())
        guard case .external(let external) = identity else {
            try connection.execute(
                """
                UPDATE account_identity SET used_at = :now
                 WHERE kind = :kind AND issuer = :issuer AND subject = :subject
                """, values)
            return
        }
        values["provider"] = .text(external.provider)
        values["email"] = .optional(external.email?.text)
        values["private"] = .integer(external.isPrivateEmail ? 1 : 0)
        values["token"] = .optional(external.sealedRefreshToken)
        values["vouched"] = .integer(external.vouches(for: account.email) ? 1 : 0)
        try connection.execute(
            """
            UPDATE account_identity SET used_at = :now, provider = :provider, email = COALESCE(:email, email),
                   is_private_email = CASE WHEN :email IS NULL THEN is_private_email ELSE :private END,
                   refresh_token = COALESCE(:token, refresh_token),
                   is_vouched = CASE WHEN :vouched = 1 THEN 1 ELSE is_vouched END
             WHERE kind = :kind AND issuer = :issuer AND subject = :subject
            """, values)
    }

    /// The identities of an account, the oldest first.
    package static func identities(of accountID: String, _ connection: any SQLConnection) throws -> [AccountIdentity] {
        try connection.query(
            """
            SELECT \(AccountIdentity.columns) FROM account_identity
             WHERE account_id = :account ORDER BY created_at, kind, issuer, subject
            """, ["account": .text(accountID)]
        ).map(AccountIdentity.init)
    }

    /// Removes an account elsewhere from an account, in the caller's transaction and in one statement. The last identity stays.
    ///
    /// - Returns: whether it was removed.
    package func unlink(
        _ identity: AccountIdentity, from accountID: String, _ connection: any SQLConnection
    ) throws -> Bool {
        guard case .external(let issuer, let subject) = identity.kind else { return false }
        let isRemoved =
            try connection.execute(
                """
                DELETE FROM account_identity
                 WHERE kind = 'external' AND issuer = :issuer AND subject = :subject AND account_id = :account
                   AND (SELECT COUNT(*) FROM account_identity WHERE account_id = :account) > 1
                """, ["issuer": .text(issuer), "subject": .text(subject), "account": .text(accountID)]) == 1
        if isRemoved { try TokenRevocations.add([identity], at: clock.now(), connection) }
        return isRemoved
    }

    /// Ends what was linked to an account before the owner of its address has proven it, the name of that time, and every
    /// sign-in, in the caller's transaction.
    ///
    /// An account that a provider's word has made may have been made by an attacker in advance (Sudhodanan and Paverd,
    /// "Pre-hijacked accounts", 2022). The owner of the mailbox begins without their identities and sessions.
    ///
    /// - Parameter own: an identity of the browser that has proven the address. It stays. If it is the only one, every
    ///   earlier sign-in was the owner's, and nothing ends.
    func revokeUnproven(
        _ account: Account, keeping own: ExternalIdentity? = nil, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws -> [AccountIdentity] {
        let kept = own.map { AccountIdentity.Kind.external(issuer: $0.issuer, subject: $0.subject) }
        let unproven = try Self.identities(of: account.id, connection).filter { $0.kind != kept }
        guard !unproven.isEmpty else { return [] }
        try PasskeyStore.removeAll(of: account.id, .addressProven, connection) { try audit?.record($0, connection) }
        try connection.execute(
            """
            DELETE FROM account_identity
             WHERE account_id = :account AND NOT (kind = 'external' AND issuer = :issuer AND subject = :subject)
            """,
            [
                "account": .text(account.id), "issuer": .text(own?.issuer ?? ""), "subject": .text(own?.subject ?? ""),
            ])
        // A passkey has made them known for a mailbox that it had not proven.
        try KnownBrowserStore.forget(account.email, connection)
        try TokenRevocations.add(unproven, at: clock.now(), connection)
        // Their provider or they themselves have chosen it.
        try connection.execute(
            "UPDATE account SET name = :name WHERE id = :id",
            ["name": .text(DisplayName.initial(for: account.email)), "id": .text(account.id)])
        // The sign-in that proves the address goes on.
        try endSignIns(.others(of: account.id, keeping: nil), .addressProven, by: .user(account.id), audit, connection)
        return unproven
    }

    /// Ends every sign-in of an account, in the caller's transaction, and tells the clients. The caller gives the sign-in that
    /// goes on, if there is one, the account's new number.
    ///
    /// - Parameter what: ``EndedSessions/all(of:)`` or ``EndedSessions/others(of:keeping:)``.
    package func endSignIns(
        _ what: EndedSessions, _ cause: SignOutCause, by actor: AuditActor, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws {
        guard let id = what.account else { return }
        try connection.execute(
            "UPDATE account SET sign_outs = sign_outs + 1 WHERE id = :account", ["account": .text(id)])
        try signOuts.end(what, cause, by: actor, audit, connection)
    }
}
