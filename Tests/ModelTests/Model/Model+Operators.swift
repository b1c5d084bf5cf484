/// What operators do.
extension Model {
    enum Change: String { case changed, unchanged, refused }

    /// An account that does not wait to be erased. Others are left alone by what gives an account something.
    func lasting(_ address: Int) -> Int? { account(of: address).flatMap { accounts[$0].eraseAt == nil ? $0 : nil } }

    mutating func disable(_ address: Int) -> Change {
        guard let account = account(of: address) else { return .refused }
        guard !accounts[account].isDisabled else { return .unchanged }
        accounts[account].isDisabled = true
        endAll(of: account, "account_ended")
        return record("user_changed", account: account, "disabled")
    }

    /// What ended when it was disabled does not come back (docs/decisions/0094).
    mutating func enable(_ address: Int) -> Change {
        guard let account = lasting(address) else { return .refused }
        guard accounts[account].isDisabled else { return .unchanged }
        accounts[account].isDisabled = false
        return record("user_changed", account: account, "enabled")
    }

    mutating func signOutUser(_ address: Int) -> Change {
        guard let account = account(of: address) else { return .refused }
        let isEntered = signIns.contains { $0.account == account && $0.isOpen }
        let isSignedIn = isEntered || sessions.indices.contains { live($0)?.account == account }
        endAll(of: account, "signed_out")
        return isSignedIn ? record("user_changed", account: account, "signed_out") : .unchanged
    }

    mutating func signOutEveryone() -> Change {
        for it in accounts where !it.isErased { _ = signOutUser(it.address) }
        return .changed
    }

    mutating func setEnd(_ address: Int, _ days: Int?) -> Change {
        guard let account = lasting(address) else { return .refused }
        let end = days.map { now + $0 * Span.day }
        guard accounts[account].endsAt != end else { return .unchanged }
        if let end, end <= now { return .refused }
        // docs/decisions/0094: a later date gives nothing back that an earlier one has ended.
        endOverdue(account)
        accounts[account].endsAt = end
        return record("user_changed", account: account, "end_date")
    }

    /// The account keeps its id. Every sign-in and every known browser ends, and both addresses are told.
    mutating func move(_ address: Int, _ new: Int) -> Change {
        guard let account = lasting(address) else { return .refused }
        guard address != new else { return .unchanged }
        guard self.account(of: new) == nil, !isKept(new, besides: account) else { return .refused }
        addressChanges.mark(\.isDeleted) { $0.account == account }
        endAll(of: account, "signed_out")
        forgetBrowsers(new)
        notify(account, isAlwaysTold: true)
        (accounts[account].address, accounts[account].invitedUntil) = (new, nil)
        notify(account, isAlwaysTold: true)
        return record("user_changed", account: account, "address")
    }

    mutating func erase(_ address: Int, _ mode: Operation.Erasing) -> Change {
        guard let account = account(of: address) else { return .refused }
        switch mode {
        case .now: return erase(account)
        case .later:
            guard accounts[account].eraseAt == nil else { return .unchanged }
            accounts[account].eraseAt = now + 7 * Span.day
            endAll(of: account, "account_ended")
            return record("user_changed", account: account, "erase_requested")
        case .cancel:
            guard accounts[account].eraseAt != nil else { return .unchanged }
            accounts[account].eraseAt = nil
            return record("user_changed", account: account, "erase_cancelled")
        }
    }

    /// Nothing names the address any more, not even what other browsers have typed.
    @discardableResult
    mutating func erase(_ account: Int) -> Change {
        let address = accounts[account].address
        endAll(of: account, "account_ended")
        endPasskeys(of: account, "erased")
        endLinks(of: account)
        for _ in admins.roles[account] ?? [:] { record("role_changed", account: account, "revoked") }
        addressChanges.mark(\.isDeleted) { $0.account == account }
        (accounts[account].isErased, accounts[account].groups, admins.roles[account]) = (true, [], nil)
        challenges.mark(\.isDeleted) { $0.address == address }
        for (session, it) in sessions.enumerated() where it.held.contains(where: { $0.address == address }) {
            sessions[session].held = []
        }
        emails.removeAll { $0.address == address }
        guesses.removeAll { $0.address == address }
        return record("user_erased", account: account)
    }

    // MARK: Invitations

    mutating func invite(_ address: Int) -> Change {
        if account(of: address) == nil, !isKept(address) { accounts.append(Account(address: address)) }
        guard let account = lasting(address) else { return .refused }
        let it = accounts[account]
        let sends = !it.hasBegun && it.invitedUntil.map { $0 <= now } ?? true
        // The end date of an invitation that was withdrawn is not that of the next one.
        let end = it.isAdded || it.hasBegun ? it.endsAt : nil
        if sends, it.isDisabled || end.map({ $0 <= now }) ?? false { return .refused }
        if end != it.endsAt { _ = setEnd(address, nil) }
        accounts[account].isAdded = true
        guard sends else { return it.isAdded ? .unchanged : record("user_changed", account: account, "added") }
        accounts[account].invitedUntil = now + Span.invitation
        sent.append("\(address): invitation")
        return record("user_invited", account: account)
    }

    mutating func withdraw(_ address: Int) -> Change {
        guard let account = account(of: address), !accounts[account].hasBegun else { return .refused }
        guard accounts[account].isAdded else { return .unchanged }
        for _ in accounts[account].groups { record("group_changed", account: account, "left") }
        (accounts[account].isAdded, accounts[account].invitedUntil, accounts[account].groups) = (false, nil, [])
        return record("user_changed", account: account, "invitation_withdrawn")
    }

    // MARK: Groups and sessions

    mutating func join(_ address: Int, _ group: Int) -> Change {
        guard let account = account(of: address) else { return .refused }
        guard accounts[account].groups.insert(group).inserted else { return .unchanged }
        return record("group_changed", account: account, "joined")
    }

    mutating func leave(_ address: Int, _ group: Int) -> Change {
        guard let account = account(of: address) else { return .refused }
        guard accounts[account].groups.remove(group) != nil else { return .unchanged }
        record("group_changed", account: account, "left")
        for (client, it) in clients.enumerated() where it.groups?.contains(group) == true { loseAccess(at: client) }
        return .changed
    }

    mutating func endByOperator(_ address: Int, _ session: Int?) -> Change {
        guard let account = account(of: address), let session, live(session)?.account == account else {
            return .refused
        }
        sessions[session].isGone = true
        end(.one(session), "signed_out")
        return .changed
    }

    // MARK: Clients

    /// A client of the file is left alone. Who may not enter it any more is signed out there.
    private mutating func set<Value: Equatable>(
        _ property: WritableKeyPath<Client, Value>, of client: Int, to new: Value
    ) -> Change {
        guard Cast.stored.contains(client) else { return .refused }
        guard clients[client][keyPath: property] != new else { return .unchanged }
        clients[client][keyPath: property] = new
        loseAccess(at: client)
        return record("client_changed", client: client)
    }

    mutating func access(_ client: Int, groups: Bool) -> Change { set(\.groups, of: client, to: groups ? [0] : nil) }

    /// Checked with the next authorization, redemption and refresh. It ends nothing.
    mutating func require(_ client: Int, isStrict: Bool) -> Change {
        set(\.isStrict, of: client, to: isStrict)
    }

    mutating func enableClient(_ client: Int, _ isEnabled: Bool) -> Change {
        set(\.isEnabled, of: client, to: isEnabled)
    }

    /// Removes a client, and adds one with the same id: it must get nothing of what the first one had.
    mutating func replaceClient(_ client: Int) -> Change {
        guard enableClient(client, false) != .refused else { return .refused }
        let new = clients[client].last + 1
        clients[client] = Client(isDown: clients[client].isDown, secrets: [new], last: new)
        // Removed, and added.
        for _ in 0..<2 { record("client_changed", client: client) }
        return record("client_secret_added", client: client)
    }

    /// docs/operations.md, "Rotate a secret or a key": the new secret is the first, and the one of before verifies until it is
    /// unused for 7 days, or is retired.
    mutating func rotate(_ client: Int) -> Change {
        guard Cast.stored.contains(client), clients[client].secrets.count == 1 else { return .refused }
        clients[client].last += 1
        clients[client].secrets.append(clients[client].last)
        clients[client].rotatedAt = now
        return record("client_secret_added", client: client)
    }

    mutating func retire(_ client: Int) -> Change {
        guard Cast.stored.contains(client) else { return .refused }
        guard clients[client].secrets.count == 2 else { return .unchanged }
        clients[client].secrets.removeFirst()
        return record("client_secret_retired", client: client)
    }

    /// docs/operations.md, "Sign-out at clients": tries messages at once, also those that were given up.
    mutating func retryMessages() -> Change {
        var change = Change.unchanged
        for (index, it) in messages.enumerated() where !it.isDelivered && !it.isDropped {
            guard it.isSettled || it.nextAt > now else { continue }
            if it.isSettled { (messages[index].tries, messages[index].createdAt) = (0, now) }
            (messages[index].isSettled, messages[index].nextAt) = (false, now)
            change = record("sign_out_queued", client: it.client, account: it.account)
        }
        return change
    }
}
