/// What becomes of everything when the world around the program changes.
extension Model {
    /// A backup: what the database has at this moment.
    mutating func backUp() -> String {
        guard hasBackups else { return "done" }
        var copy = self
        copy.backup = []
        backup = [copy]
        return "done"
    }

    /// docs/decisions/0094: what ended stays ended. Everybody is signed out, and the clients are told. What was decided after the
    /// backup holds: who was disabled, erased, moved, or taken out of a group, which client was disabled, and which secret was
    /// replaced.
    mutating func restore() -> String {
        guard let old = backup.first else { return "nothing" }
        let live = self
        for index in sessions.indices { sessions[index].isGone = true }
        for index in challenges.indices { challenges[index].isUsed = true }
        for index in grants.indices where !grants[index].isUsed { grants[index].isVoid = true }
        for index in tokens.indices { tokens[index].isEnded = true }
        for index in known.indices { known[index] = nil }
        for index in messages.indices {
            // What waited was delivered, or is told again.
            if index < old.messages.count, old.messages[index].isSettled {
                messages[index] = old.messages[index]
            } else {
                (messages[index].isSettled, messages[index].isDropped) = (true, true)
            }
        }
        (emails, guesses, invitations, notices) = ([], old.guesses, [], [])
        for index in addressChanges.indices { addressChanges[index].isDeleted = true }
        (admins, admins.roles) = (old.admins, [:])
        restorePasskeys(old)
        for index in accounts.indices { accounts[index] = merged(index, old, live) }
        for index in accounts.indices { displace(index, live) }
        restoreClients(old, live)
        signIns = old.signIns
        let later = live.signIns.filter { it in
            it.isOpen
                && !old.signIns.contains { $0.client == it.client && $0.session == it.session }
        }
        signIns += later.map {
            ClientSignIn(client: $0.client, session: $0.session, told: $0.told, account: $0.account)
        }
        let open = Set(signIns.filter(\.isOpen).map(\.account))
        for account in open.sorted() { end(.all(account), "signed_out", byRestore: true) }
        backup = [old]
        start()
        return "done"
    }

    /// What a start of the program does: it reads the clients file, and ends what does not hold any more.
    ///
    /// - Parameter nodes: nil for all that run.
    mutating func start(_ nodes: [Int]? = nil) {
        let nodes = nodes ?? runs.indices.filter { runs[$0] || $0 == node }
        for node in nodes {
            (fails[node], rests[node], runs[node]) = ([:], 0, true)
            for client in clients.indices { clients[client].noted = clients[client].noted.filter { $0.key[0] != node } }
        }
        for node in nodes { clients[0].isRegistered[node] = !fileDrops }
        for account in accounts.indices where !accounts[account].isAdded && !isNamed(accounts[account].address) {
            // They stay ended if it names the address again.
            accounts[account].signOuts += 1
            for index in sessions.indices where sessions[index].signIn?.account == account {
                sessions[index].isGone = true
            }
        }
        let open = Set(signIns.filter(\.isOpen).map(\.account))
        for account in open.sorted() where !maySignIn(account) { end(.all(account), "account_ended") }
        for node in nodes { readFile(node) }
    }

    /// A node tells no client that it does not know.
    mutating func readFile(_ reading: Int) {
        let answering = node
        (node, clients[0].isRegistered[reading]) = (reading, !fileDrops)
        defer { node = answering }
        if fileDrops { endClient(0) }
    }

    private func merged(_ index: Int, _ old: Model, _ live: Model) -> Account {
        let now = live.accounts[index]
        guard index < old.accounts.count, !old.accounts[index].isErased else {
            // Made after the backup: lost, unless it was gone before.
            var lost = now
            lost.isErased = true
            return lost
        }
        var account = old.accounts[index]
        if now.isErased {
            (account.isDisabled, account.hasBegun) = (true, true)
            return account
        }
        let wasOff = account.isDisabled || account.eraseAt != nil
        if !wasOff, now.isDisabled || now.eraseAt != nil { account.isDisabled = true }
        account.hasMailbox = account.hasMailbox && now.hasMailbox && account.address == now.address
        account.hasBegun = account.hasBegun || now.hasBegun
        (account.address, account.endsAt, account.eraseAt, account.isAdded) = (
            now.address, now.endsAt, now.eraseAt, now.isAdded
        )
        account.groups.formIntersection(now.groups)
        // An end date ends the sign-ins once more.
        account.endedFor = nil
        return account
    }

    /// An account of the backup alone gives way where another one has its address now.
    private mutating func displace(_ index: Int, _ live: Model) {
        guard !accounts[index].isErased, live.accounts[index].isErased else { return }
        let isTaken = accounts.indices.contains {
            $0 != index && !accounts[$0].isErased && !live.accounts[$0].isErased
                && accounts[$0].address == accounts[index].address
        }
        if isTaken {
            accounts[index].address = -1
            accounts[index].isDisabled = true
        }
    }

    private mutating func restoreClients(_ old: Model, _ live: Model) {
        for client in clients.indices where clients[client].isStored {
            clients[client].isEnabled = old.clients[client].isEnabled && live.clients[client].isEnabled
            clients[client].used = old.clients[client].used
        }
    }
}
