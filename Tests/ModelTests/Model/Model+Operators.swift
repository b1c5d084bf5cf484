/// What operators do. Each is one of `changed`, `unchanged`, `refused`.
extension Model {
    /// - Parameters:
    ///   - keeps: whether an account that is to be erased is left alone.
    ///   - cause: what the audit log says of it.
    mutating func change(
        _ address: Int, keeps: Bool = true, _ cause: String? = nil, _ body: (inout Model, Int) -> Bool?
    ) -> String {
        guard let account = account(of: address), !keeps || accounts[account].eraseAt == nil,
            let isChanged = body(&self, account)
        else { return "refused" }
        if isChanged, let cause { record("user_changed", account: account, cause) }
        return isChanged ? "changed" : "unchanged"
    }

    mutating func disable(_ address: Int) -> String {
        change(address, keeps: false, "disabled") { model, account in
            guard !model.accounts[account].isDisabled, model.accounts[account].eraseAt == nil else { return false }
            model.accounts[account].isDisabled = true
            model.endAll(of: account, "account_ended")
            return true
        }
    }

    /// What ended when it was disabled does not come back (docs/decisions/0094).
    mutating func enable(_ address: Int) -> String {
        change(address, "enabled") { model, account in
            defer { model.accounts[account].isDisabled = false }
            return model.accounts[account].isDisabled
        }
    }

    mutating func signOutUser(_ address: Int) -> String {
        change(address, keeps: false, "signed_out") { model, account in
            model.endAll(of: account, "signed_out")
            return true
        }
    }

    mutating func signOutEveryone() -> String {
        for account in accounts.indices where !accounts[account].isErased {
            endAll(of: account, "signed_out")
            record("user_changed", account: account, "signed_out")
        }
        return "changed"
    }

    mutating func erase(_ address: Int, _ mode: Operation.Erasing) -> String {
        switch mode {
        case .later:
            change(address, keeps: false, "erase_requested") { model, account in
                guard model.accounts[account].eraseAt == nil else { return false }
                model.accounts[account].eraseAt = model.now + 7 * Span.day
                model.endAll(of: account, "account_ended")
                return true
            }
        case .cancel:
            change(address, keeps: false, "erase_cancelled") { model, account in
                defer { model.accounts[account].eraseAt = nil }
                return model.accounts[account].eraseAt != nil
            }
        case .now:
            change(address, keeps: false) { model, account in
                model.erase(account)
                return true
            }
        }
    }

    mutating func erase(_ account: Int) {
        endAll(of: account, "account_ended")
        endPasskeys(of: account, "erased")
        endLinks(of: account)
        endInvitations(of: account)
        forgetAddressChanges(of: account)
        (accounts[account].isErased, accounts[account].groups, admins.roles[account]) = (true, [], nil)
        record("user_erased", account: account)
        // Nothing names the address, not even what other browsers have typed.
        let address = accounts[account].address
        for index in challenges.indices where challenges[index].address == address {
            challenges[index].isDeleted = true
        }
        for index in sessions.indices where sessions[index].held.contains(where: { $0.address == address }) {
            sessions[index].held = []
        }
        emails.removeAll { $0.address == address }
        guesses.removeAll { $0.address == address }
    }

    mutating func setEnd(_ address: Int, _ days: Int?) -> String {
        change(address, "end_date") { model, account in
            let end = days.map { model.now + $0 * Span.day }
            guard model.accounts[account].endsAt != end else { return false }
            if let end, end <= model.now { return nil }
            // docs/decisions/0094: a later date gives nothing back that an earlier one has ended.
            model.endOverdue(account)
            model.accounts[account].endsAt = end
            return true
        }
    }

    /// The account keeps its id. Every sign-in and every known browser ends, and both addresses are told.
    mutating func move(_ address: Int, _ new: Int) -> String {
        change(address, "address") { model, account in
            guard address != new else { return false }
            let isKept = model.addressChanges.contains {
                $0.account != account && $0.old == new && $0.isStoppable(at: model.now)
            }
            guard model.account(of: new) == nil, !isKept else { return nil }
            model.forgetAddressChanges(of: account)
            model.endAll(of: account, "signed_out")
            model.forgetBrowsers(new)
            model.accounts[account].address = new
            model.endInvitations(of: account)
            for address in [address, new] {
                model.notices.append(Notice(account: account, at: model.now))
                model.sent.append("\(address): notice")
            }
            return true
        }
    }

    // MARK: Invitations

    func isInvited(_ account: Int) -> Bool {
        invitations.contains { $0.account == account && !$0.isEnded && $0.endsAt > now }
    }

    mutating func endInvitations(of account: Int) {
        for index in invitations.indices where invitations[index].account == account {
            invitations[index].isEnded = true
        }
    }

    mutating func invite(_ address: Int) -> String {
        if account(of: address) == nil, !isKept(address) { accounts.append(Account(address: address)) }
        return change(address) { model, account in
            let isAdded = !model.accounts[account].isAdded
            let sends = !model.accounts[account].hasBegun && !model.isInvited(account)
            let it = model.accounts[account]
            if sends, it.isDisabled || it.endsAt.map({ $0 <= model.now }) ?? false { return nil }
            model.accounts[account].isAdded = true
            if sends {
                model.endInvitations(of: account)
                model.invitations.append(Invitation(account: account, endsAt: model.now + Span.invitation))
                model.sent.append("\(address): invitation")
                model.record("user_invited", account: account)
            } else if isAdded {
                model.record("user_changed", account: account, "added")
            }
            return isAdded || sends
        }
    }

    mutating func withdraw(_ address: Int) -> String {
        change(address, keeps: false, "invitation_withdrawn") { model, account in
            guard !model.accounts[account].hasBegun else { return nil }
            let isChanged = model.isInvited(account) || model.accounts[account].isAdded
            model.endInvitations(of: account)
            guard model.accounts[account].isAdded else { return isChanged }
            for _ in model.accounts[account].groups { model.record("group_changed", account: account, "left") }
            (model.accounts[account].isAdded, model.accounts[account].groups) = (false, [])
            return true
        }
    }

    // MARK: Groups and clients

    mutating func join(_ address: Int, _ group: Int) -> String {
        change(address, keeps: false) { model, account in
            guard model.accounts[account].groups.insert(group).inserted else { return false }
            model.record("group_changed", account: account, "joined")
            return true
        }
    }

    /// Who leaves loses access at once, and is signed out at the client (docs/threat-model.md, "Who may enter a client").
    mutating func leave(_ address: Int, _ group: Int) -> String {
        change(address, keeps: false) { model, account in
            guard model.accounts[account].groups.remove(group) != nil else { return false }
            model.record("group_changed", account: account, "left")
            for client in model.clients.indices
            where model.clients[client].isRegistered[model.node]
                && model.clients[client].groups?.contains(group) == true && !model.mayEnter(account, client)
            {
                model.end(.atClient(client, account), "no_access")
            }
            return true
        }
    }

    /// A client of the file is left alone.
    private mutating func change(
        client: Int, _ event: String = "client_changed", isTold: Bool = true, _ body: (inout Model) -> Bool?
    ) -> String {
        guard clients[client].isStored, let isChanged = body(&self) else { return "refused" }
        if isChanged { record(event, client: client, isTold: isTold) }
        return isChanged ? "changed" : "unchanged"
    }

    mutating func access(_ client: Int, groups: Bool) -> String {
        change(client: client) { model in
            let new: Set<Int>? = groups ? [0] : nil
            guard model.clients[client].groups != new else { return false }
            model.clients[client].groups = new
            let after = model
            if model.clients[client].isEnabled { model.loseAccess(at: client) { after.mayEnter($0, client) } }
            return true
        }
    }

    /// Checked with the next authorization, redemption and refresh. It ends nothing.
    mutating func require(_ client: Int, isStrict: Bool) -> String {
        change(client: client, isTold: false) { model in
            defer { model.clients[client].isStrict = isStrict }
            return model.clients[client].isStrict != isStrict
        }
    }

    mutating func enableClient(_ client: Int, _ isEnabled: Bool) -> String {
        change(client: client) { model in
            guard model.clients[client].isEnabled != isEnabled else { return false }
            model.clients[client].isEnabled = isEnabled
            if !isEnabled { model.endClient(client) }
            return true
        }
    }

    /// Removes a client, and adds one with the same id: it must get nothing of what the first one had.
    mutating func replaceClient(_ client: Int) -> String {
        _ = enableClient(client, false)
        return change(client: client, "client_secret_added") { model in
            model.voidGrants(of: client)
            let (last, isDown) = (model.clients[client].last + 1, model.clients[client].isDown)
            model.clients[client] = Client(groups: nil, isStored: true, isDown: isDown, secrets: [last], last: last)
            // Removed, and added.
            for _ in 0..<2 { model.record("client_changed", client: client) }
            return true
        }
    }

    /// docs/operations.md, "Rotate a secret or a key": the new secret is the first, and the one of before verifies until it is
    /// unused for 7 days, or is retired.
    mutating func rotate(_ client: Int) -> String {
        change(client: client, "client_secret_added") { model in
            guard model.clients[client].secrets.count == 1 else { return nil }
            model.clients[client].last += 1
            model.clients[client].secrets.append(model.clients[client].last)
            model.clients[client].rotatedAt = model.now
            return true
        }
    }

    mutating func retire(_ client: Int) -> String {
        change(client: client, "client_secret_retired") { model in
            guard model.clients[client].secrets.count == 2 else { return false }
            model.clients[client].secrets.removeFirst()
            return true
        }
    }

    /// docs/operations.md, "Sign-out at clients": tries messages at once, also those that were given up.
    mutating func retryMessages() -> String {
        var isChanged = false
        for index in messages.indices where !messages[index].isDelivered && !messages[index].isDropped {
            if !messages[index].isSettled, messages[index].nextAt <= now { continue }
            if messages[index].isSettled { (messages[index].tries, messages[index].createdAt) = (0, now) }
            (messages[index].isSettled, messages[index].nextAt) = (false, now)
            record("sign_out_queued", client: messages[index].client, account: messages[index].account)
            isChanged = true
        }
        return isChanged ? "changed" : "unchanged"
    }

    mutating func endByOperator(_ address: Int, _ browser: Int) -> String {
        change(address, keeps: false) { model, account in
            guard let ended = model.browsers[browser].signedIn, model.live(ended)?.account == account else {
                return nil
            }
            model.sessions[ended].isGone = true
            model.end(.one(ended), "signed_out")
            return true
        }
    }
}
