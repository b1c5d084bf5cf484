/// What operators do. Each is one of `changed`, `unchanged`, `refused`.
extension Model {
    mutating func change(_ address: Int, keeps: Bool = true, _ body: (inout Model, Int) -> Bool?) -> String {
        guard let account = account(of: address) else { return "refused" }
        if keeps, accounts[account].eraseAt != nil { return "refused" }
        guard let isChanged = body(&self, account) else { return "refused" }
        return isChanged ? "changed" : "unchanged"
    }

    mutating func disable(_ address: Int) -> String {
        change(address, keeps: false) { model, account in
            let it = model.accounts[account]
            guard !it.isDisabled, it.eraseAt == nil else { return false }
            model.accounts[account].isDisabled = true
            model.endAll(of: account, "account_ended")
            model.record("user_changed", account: account, "disabled")
            return true
        }
    }

    /// What ended when it was disabled does not come back (T 303).
    mutating func enable(_ address: Int) -> String {
        change(address) { model, account in
            guard model.accounts[account].isDisabled else { return false }
            model.accounts[account].isDisabled = false
            model.record("user_changed", account: account, "enabled")
            return true
        }
    }

    mutating func signOutUser(_ address: Int) -> String {
        change(address, keeps: false) { model, account in
            model.endAll(of: account, "signed_out")
            model.record("user_changed", account: account, "signed_out")
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
        change(address, keeps: false) { model, account in
            switch mode {
            case .later:
                guard model.accounts[account].eraseAt == nil else { return false }
                model.accounts[account].eraseAt = model.now + 7 * Span.day
                model.endAll(of: account, "account_ended")
                model.record("user_changed", account: account, "erase_requested")
            case .cancel:
                guard model.accounts[account].eraseAt != nil else { return false }
                model.accounts[account].eraseAt = nil
                model.record("user_changed", account: account, "erase_cancelled")
            case .now: model.erase(account)
            }
            return true
        }
    }

    mutating func erase(_ account: Int) {
        endAll(of: account, "account_ended")
        endPasskeys(of: account, "erased")
        endLinks(of: account)
        accounts[account].isErased = true
        record("user_erased", account: account)
        accounts[account].groups = []
        forget(accounts[account].address)
        for index in invitations.indices where invitations[index].account == account {
            invitations[index].isEnded = true
        }
    }

    /// Nothing names the address of a user who is erased, not even what other browsers have typed.
    private mutating func forget(_ address: Int) {
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
        change(address) { model, account in
            let end = days.map { model.now + $0 * Span.day }
            guard model.accounts[account].endsAt != end else { return false }
            if let end, end <= model.now { return nil }
            // D 0094: a later date gives nothing back that an earlier one has ended.
            model.endOverdue(account)
            model.accounts[account].endsAt = end
            model.record("user_changed", account: account, "end_date")
            return true
        }
    }

    /// The account keeps its id. Every sign-in and every known browser ends.
    mutating func move(_ address: Int, _ new: Int) -> String {
        change(address) { model, account in
            guard address != new else { return false }
            guard model.account(of: new) == nil else { return nil }
            model.endAll(of: account, "signed_out")
            model.forgetBrowsers(new)
            model.accounts[account].address = new
            for index in model.invitations.indices where model.invitations[index].account == account {
                model.invitations[index].isEnded = true
            }
            model.record("user_changed", account: account, "address")
            for address in [address, new] {
                model.notices.append(Notice(account: account, at: model.now))
                model.sent.append("\(address): notice")
            }
            return true
        }
    }

    mutating func invite(_ address: Int) -> String {
        if let account = account(of: address), accounts[account].eraseAt != nil { return "refused" }
        let existing = account(of: address)
        let account = existing ?? accounts.count
        if existing == nil { accounts.append(Account(address: address)) }
        let isAdded = !accounts[account].isAdded
        accounts[account].isAdded = true
        let isInvited = invitations.contains { $0.account == account && !$0.isEnded && $0.endsAt > now }
        let sends = !accounts[account].hasBegun && !isInvited
        if sends {
            for index in invitations.indices where invitations[index].account == account {
                invitations[index].isEnded = true
            }
            invitations.append(Invitation(account: account, endsAt: now + Span.invitation))
            sent.append("\(address): invitation")
            record("user_invited", account: account)
        } else if isAdded {
            record("user_changed", account: account, "added")
        }
        return isAdded || sends ? "changed" : "unchanged"
    }

    mutating func withdraw(_ address: Int) -> String {
        change(address, keeps: false) { model, account in
            guard !model.accounts[account].hasBegun else { return nil }
            var isChanged = false
            for index in model.invitations.indices
            where model.invitations[index].account == account && !model.invitations[index].isEnded
                && model.invitations[index].endsAt > model.now
            {
                model.invitations[index].isEnded = true
                isChanged = true
            }
            if model.accounts[account].isAdded {
                model.accounts[account].isAdded = false
                for _ in model.accounts[account].groups { model.record("group_changed", account: account, "left") }
                model.accounts[account].groups = []
                isChanged = true
            }
            if isChanged { model.record("user_changed", account: account, "invitation_withdrawn") }
            return isChanged
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

    /// Who leaves loses access at once, and is signed out at the client (T 303, C 8: `no_access`).
    mutating func leave(_ address: Int, _ group: Int) -> String {
        change(address, keeps: false) { model, account in
            guard model.accounts[account].groups.remove(group) != nil else { return false }
            model.record("group_changed", account: account, "left")
            for client in model.clients.indices
            where model.clients[client].isRegistered[model.node]
                && model.clients[client].groups?.contains(group) == true
                && !model.mayEnter(account, client)
            {
                model.end(.atClient(client, account), "no_access")
            }
            return true
        }
    }

    mutating func access(_ client: Int, groups: Bool) -> String {
        guard clients[client].isStored else { return "refused" }
        let new: Set<Int>? = groups ? [0] : nil
        guard clients[client].groups != new else { return "unchanged" }
        clients[client].groups = new
        record("client_changed", client: client)
        if clients[client].isEnabled {
            let model = self
            loseAccess(at: client) { model.mayEnter($0, client) }
        }
        return "changed"
    }

    /// Checked with the next authorization, redemption and refresh. It ends nothing.
    mutating func require(_ client: Int, isStrict: Bool) -> String {
        guard clients[client].isStored else { return "refused" }
        guard clients[client].isStrict != isStrict else { return "unchanged" }
        clients[client].isStrict = isStrict
        record("client_changed", client: client)
        return "changed"
    }

    mutating func enableClient(_ client: Int, _ isEnabled: Bool) -> String {
        guard clients[client].isStored else { return "refused" }
        guard clients[client].isEnabled != isEnabled else { return "unchanged" }
        clients[client].isEnabled = isEnabled
        record("client_changed", client: client)
        if !isEnabled {
            voidGrants(of: client)
            loseAccess(at: client) { _ in false }
        }
        return "changed"
    }

    /// Removes a client, and adds one with the same id: it must get nothing of what the first one had.
    mutating func replaceClient(_ client: Int) -> String {
        guard clients[client].isStored else { return "refused" }
        _ = enableClient(client, false)
        voidGrants(of: client)
        let secret = clients[client].last + 1
        let isDown = clients[client].isDown
        clients[client] = Client(groups: nil, isStored: true)
        clients[client].isDown = isDown
        clients[client].secrets = [secret]
        clients[client].last = secret
        // Removed, and added with a secret.
        record("client_changed", client: client)
        record("client_changed", client: client)
        record("client_secret_added", client: client)
        return "changed"
    }

    /// T 56, C 9: the new secret is the first, and the one of before verifies until it is unused for 7 days, or is retired.
    mutating func rotate(_ client: Int) -> String {
        guard clients[client].isStored, clients[client].secrets.count == 1 else { return "refused" }
        clients[client].last += 1
        clients[client].secrets.append(clients[client].last)
        clients[client].rotatedAt = now
        record("client_secret_added", client: client)
        return "changed"
    }

    mutating func retire(_ client: Int) -> String {
        guard clients[client].isStored else { return "refused" }
        guard clients[client].secrets.count == 2 else { return "unchanged" }
        clients[client].secrets.removeFirst()
        record("client_secret_retired", client: client)
        return "changed"
    }

    /// C 9: tries messages at once, also those that were given up.
    mutating func retryMessages() -> String {
        var isChanged = false
        for index in messages.indices where !messages[index].isDelivered && !messages[index].isDropped {
            if messages[index].isSettled {
                messages[index].isSettled = false
                messages[index].tries = 0
                messages[index].createdAt = now
            } else if messages[index].nextAt <= now {
                continue
            }
            messages[index].nextAt = now
            record("sign_out_queued", client: messages[index].client, account: messages[index].account)
            isChanged = true
        }
        return isChanged ? "changed" : "unchanged"
    }

    mutating func endByOperator(_ address: Int, _ browser: Int) -> String {
        guard let account = account(of: address), let ended = browsers[browser].signedIn else { return "refused" }
        guard holds(ended), let its = sessions[ended].signIn, its.account == account,
            its.signOuts == accounts[account].signOuts
        else { return "refused" }
        sessions[ended].isGone = true
        end(.one(ended), "signed_out")
        return "changed"
    }
}
