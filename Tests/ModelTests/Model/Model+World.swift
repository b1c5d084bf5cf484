/// What becomes of everything when the world around the program changes, and with time.
extension Model {
    /// A backup: what the database has at this moment.
    mutating func backUp() {
        backup = []
        backup = [self]
    }

    /// docs/decisions/0094: what ended stays ended. Everybody is signed out, and the clients are told. What was decided after the
    /// backup holds: who was disabled, erased, moved, or taken out of a group, which client was disabled, and which secret was
    /// replaced.
    mutating func restore() -> String {
        guard let old = backup.first else { return "nothing" }
        let live = self
        sessions.mark(\.isGone)
        challenges.mark(\.isUsed)
        grants.mark(\.isVoid) { !$0.isUsed }
        tokens.mark(\.isEnded)
        addressChanges.mark(\.isDeleted)
        known = known.map { _ in nil }
        (emails, guesses, notices, messages) = ([], old.guesses, [], old.messages)
        // What waited is tried at once, also if it was delivered since.
        for index in messages.indices { messages[index].nextAt = now }
        (admins, admins.roles) = (old.admins, [:])
        restorePasskeys(old)
        for (index, it) in accounts.enumerated() { accounts[index] = merged(it, old.accounts.dropFirst(index).first) }
        // An account of the backup alone gives way where another one has its address now.
        for (index, it) in accounts.enumerated() where !it.isErased && live.accounts[index].isErased {
            let isTaken = live.account(of: it.address).map { !accounts[$0].isErased } ?? false
            if isTaken { accounts[index].address = -1 }
        }
        for client in Cast.stored {
            clients[client].isEnabled = old.clients[client].isEnabled && live.clients[client].isEnabled
            clients[client].used = old.clients[client].used
        }
        let kept = old.signIns.map { [$0.client, $0.session] }
        signIns = old.signIns + live.signIns.filter { $0.isOpen && !kept.contains([$0.client, $0.session]) }
        for account in accounts.indices { end(.all(account), "signed_out", byRestore: true) }
        start()
        return "done"
    }

    private func merged(_ live: Account, _ old: Account?) -> Account {
        var account = live
        account.invitedUntil = nil
        guard let old, !old.isErased else {
            // Made after the backup: lost, unless it was gone before.
            account.isErased = true
            return account
        }
        if live.isErased {
            account = old
            (account.isDisabled, account.hasBegun, account.invitedUntil) = (true, true, nil)
            return account
        }
        account.isDisabled = old.isDisabled || old.eraseAt == nil && (live.isDisabled || live.eraseAt != nil)
        account.hasMailbox = old.hasMailbox && live.hasMailbox && old.address == live.address
        account.hasBegun = old.hasBegun || live.hasBegun
        account.groups.formIntersection(old.groups)
        // An end date ends the sign-ins once more.
        account.endedFor = nil
        return account
    }

    // MARK: Processes

    /// What a start of the program does: it reads the clients file, and ends what does not hold any more.
    ///
    /// - Parameter nodes: nil for all that run.
    mutating func start(_ starting: [Int]? = nil) {
        let starting = starting ?? nodes.indices.filter { nodes[$0].runs || $0 == node }
        for node in starting { nodes[node] = Node(runs: true, drops: fileDrops) }
        for (account, it) in accounts.enumerated() where !it.isErased && !it.isAdded && !isNamed(it.address) {
            // They stay ended if it names the address again.
            accounts[account].signOuts += 1
            sessions.mark(\.isGone) { $0.signIn?.account == account }
        }
        for account in accounts.indices where !maySignIn(account) { end(.all(account), "account_ended") }
        for node in starting { readFile(node) }
    }

    /// A node tells no client that it does not know.
    mutating func readFile(_ reading: Int) {
        let answering = node
        (node, nodes[reading].drops) = (reading, fileDrops)
        loseAccess(at: 0)
        node = answering
    }

    // MARK: Time

    /// What becomes due: end dates, accounts to be erased, secrets that were replaced and are not used for 7 days.
    mutating func carryOutDue() {
        for account in accounts.indices where !accounts[account].isErased {
            endOverdue(account)
            if let moment = accounts[account].eraseAt, moment <= now { erase(account) }
        }
        challenges.mark(\.isDeleted) { [now] in $0.expiresAt <= now - Span.hour }
        grants.mark(\.isDeleted) { [now] in $0.issuedAt <= now - 30 * Span.day }
        sessions.mark(\.isGone) { [now] in !$0.holds(at: now) && $0.createdAt <= now }
        forgetSignIns()
        messages.mark(\.isDropped) { [now] in $0.isSettled && $0.settledAt <= now - 30 * Span.day }
        for (client, it) in clients.enumerated() where it.secrets.count == 2 {
            let used = max(it.used[it.secrets[0]] ?? it.rotatedAt, it.rotatedAt)
            guard now - used >= 7 * Span.day else { continue }
            clients[client].secrets.removeFirst()
            record("client_secret_retired", client: client)
        }
    }

    mutating func endOverdue(_ account: Int) {
        guard let end = accounts[account].endsAt, end <= now, accounts[account].endedFor != end else { return }
        accounts[account].endedFor = end
        endAll(of: account, "account_ended")
        record("user_changed", account: account, "end_date_over")
    }

    /// docs/protocol.md 7: 90 days after its end nobody knows a sign-in at a client. The end of a session by time is an end, too,
    /// but no sign-out.
    private mutating func forgetSignIns() {
        guard now >= nodes[node].rest else { return }
        nodes[node].rest = now + Span.hour
        for (index, it) in signIns.enumerated() where !it.isDeleted {
            if let endedAt = it.endedAt {
                signIns[index].isDeleted = endedAt <= now - Span.told
            } else if sessions[it.session].isGone {
                (signIns[index].endedAt, signIns[index].reason) = (now, "expired")
            }
        }
    }
}
