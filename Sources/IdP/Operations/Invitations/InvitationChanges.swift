package import IdPAccounts
package import IdPClients
package import SSOShared
package import SSOWeb
package import Storage

/// How invitations are made.
package struct InvitationMail: Sendable {
    private let keys: InvitationKeys
    private let sender: any InvitationSender

    package init(_ keys: InvitationKeys, sender: any InvitationSender) { (self.keys, self.sender) = (keys, sender) }

    /// Makes an invitation and queues its email, in the caller's transaction. Those of before end.
    ///
    /// - Throws: ``ChangeError`` beyond the number of a day, and for an account that may not sign in: its email would not leave.
    func invite(
        _ account: Account, client: String?, from inviter: String?, language: Language, _ context: ChangeContext,
        _ connection: any SQLConnection
    ) throws {
        guard !account.isDisabled else {
            throw ChangeError("\(account.email) is disabled. First: idp user enable \(account.email)")
        }
        guard !account.isOver(at: context.now) else {
            throw ChangeError(
                "the end date of \(account.email) is over. First set another one: idp user set-end \(account.email) DATE"
            )
        }
        guard try InvitationStore.remaining(at: context.now, connection) > 0 else {
            throw ChangeError(
                "\(Invitation.maximumPerDay) invitations were sent within the last 24 hours, and no more may be. Try again tomorrow."
            )
        }
        try InvitationStore.withdraw(of: account.id, at: context.now, connection)
        let id = "ivn_" + Base64URL.encode(try context.randomness.bytes(16))
        try InvitationStore.insert(
            id, keys.newKey(of: id), for: account, client: client, from: inviter, language: language, at: context.now,
            connection)
        try sender.enqueue(id, at: context.now, connection)
        try context.record(Event(.userInvited, account: account.id, client: client), connection)
    }
}

/// What became of an invitation.
package struct InvitedUser: Sendable {
    package let account: Account
    /// Whether an email was queued.
    package let isSent: Bool
    /// Whether the account was signed in to before.
    package let isUser: Bool
}

/// Adds an account that may sign in, and sends its user an email with a link. Of an account that was signed in to it changes
/// nothing but that it may sign in, and its groups.
package struct InviteUser: OperatorChange {
    private let address: EmailAddress
    private let name: String?
    private let inviter: String?
    private let groups: [String]
    private let client: String?
    private let end: Timestamp?
    private let language: Language
    private let mail: InvitationMail?

    /// - Parameters:
    ///   - mail: nil where no email is sent.
    ///   - name: of a new account; nil for the part of its address before the @.
    ///   - inviter: who invites, for the email; nil for nobody in particular.
    ///   - client: the id of the client that its user goes on to.
    ///   - end: from when on the account may not sign in; nil for never.
    ///   - language: of the email, until the user signs in.
    package init(
        _ address: EmailAddress, name: String? = nil, from inviter: String? = nil, groups: [String] = [],
        client: String? = nil, end: Timestamp? = nil, language: Language = .english, mail: InvitationMail?
    ) {
        (self.name, self.inviter) = (name, inviter)
        (self.address, self.groups, self.client, self.end) = (address, groups, client, end)
        (self.language, self.mail) = (language, mail)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<InvitedUser> {
        if let end, end <= context.now { throw ChangeError("\(EndDate.text(end)) is in the past. Use a later day.") }
        for group in groups where try GroupStore.find(group, connection) == nil {
            throw ChangeError(try UnknownName.group(group, connection))
        }
        let known = try AccountStore.find(email: address.text, connection)
        try known?.refuseIfErasing()
        var isChanged = false
        if let known {
            isChanged = try AccountStore.markAdded(known, at: context.now, connection)
            if try setEnd(of: known, isNew: isChanged, context, connection) { isChanged = true }
        } else {
            let added = AddedAccount(email: address, name: name, end: end, language: language, .invited)
            try AccountStore.add(added, context, connection)
            isChanged = true
        }
        guard let account = try AccountStore.find(email: address.text, connection) else {
            throw DatabaseError.unavailable("an account vanished while it was made")
        }
        let joined = try groups.filter { try !GroupStore.join([account], $0, context, connection).isEmpty }
        let isUser = try AccountStore.hasBegun(account, connection)
        let isInvited = try InvitationStore.latest(of: account.id, connection)?.isPending(at: context.now) ?? false
        let sends = mail != nil && !isUser && !isInvited
        if sends {
            try mail?.invite(
                account, client: client, from: inviter, language: language, context, connection)
        } else if isChanged {
            try context.note(.added, account, connection)
        }
        return Changed(
            InvitedUser(account: account, isSent: sends, isUser: isUser),
            isChanged: isChanged || sends || !joined.isEmpty)
    }
}

extension InviteUser {
    /// An account that nobody has signed in to gets the end date of its invitation. Without one its own stays, but for an account that
    /// was not added: that date belonged to an invitation that was withdrawn.
    ///
    /// - Returns: whether the date is another one.
    private func setEnd(
        of known: Account, isNew: Bool, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> Bool {
        let wished = Self.end(of: known, isNew: isNew, invitedUntil: end)
        guard wished != known.endsAt else { return false }
        guard try !AccountStore.hasBegun(known, connection) else {
            guard end != nil else { return false }
            throw ChangeError(
                "\(known.email) has signed in already, and an invitation sets no end date. Set it with: idp user set-end \(known.email) DATE"
            )
        }
        try context.setEnd(wished, of: known, connection)
        try context.note(.endDate, known, detail: wished.map(EndDate.text) ?? "never", connection)
        return true
    }

    /// The end date of an account that nobody has signed in to, after an invitation.
    ///
    /// - Parameter isNew: whether it was not added before.
    package static func end(of known: Account, isNew: Bool, invitedUntil end: Timestamp?) -> Timestamp? {
        isNew ? end : end ?? known.endsAt
    }
}

/// Sends an invitation again, with a new link. The one of before ends.
package struct ResendInvitation: OperatorChange {
    private let address: String
    private let mail: InvitationMail

    package init(_ address: String, mail: InvitationMail) { (self.address, self.mail) = (address, mail) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<InvitedUser> {
        let account = try context.keptAccount(address, connection)
        guard try !AccountStore.hasBegun(account, connection) else {
            throw ChangeError("\(account.email) has signed in already, and needs no invitation.")
        }
        guard account.addedAt != nil else {
            throw ChangeError("\(account.email) is not invited. Invite again: idp user invite \(account.email)")
        }
        let earlier = try InvitationStore.latest(of: account.id, connection)
        try mail.invite(
            account, client: earlier?.clientID, from: earlier?.inviter,
            language: earlier?.language ?? account.language ?? .english, context,
            connection)
        return Changed(InvitedUser(account: account, isSent: true, isUser: false), isChanged: true)
    }
}

/// Takes an invitation back: its link ends, and the account may sign in only if `IDP_ALLOWED_EMAILS` names its address. An
/// account that was imported stays added.
package struct WithdrawInvitation: OperatorChange {
    private let address: String

    package init(_ address: String) { self.address = address }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.account(address, connection)
        guard try !AccountStore.hasBegun(account, connection) else {
            throw ChangeError(
                "\(account.email) has signed in already, so there is no invitation to withdraw. To keep the user out: idp user disable \(account.email)"
            )
        }
        let ended = try InvitationStore.withdraw(of: account.id, at: context.now, connection)
        let isRemoved = try AccountStore.unmarkInvited(account.id, connection)
        // A user who signs in with the address by another right must not be in groups that the invitation gave.
        if isRemoved {
            for group in try GroupStore.groups(of: account.id, connection) {
                guard try GroupStore.leave(group, account: account.id, connection) else { continue }
                try context.record(.group(group, .left, account), connection)
            }
        }
        guard ended > 0 || isRemoved else { return account.unchanged }
        try context.note(.invitationWithdrawn, account, connection)
        return try account.changed(connection)
    }
}
