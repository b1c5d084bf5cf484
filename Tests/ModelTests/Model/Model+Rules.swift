/// What holds.
extension Model {
    /// The account of an address that is not erased.
    func account(of address: Int) -> Int? { accounts.firstIndex { !$0.isErased && $0.address == address } }

    /// By `IDP_ALLOWED_EMAILS`. An account whose address was taken has one that nothing names.
    func isNamed(_ address: Int) -> Bool {
        guard address >= 0 else { return false }
        let name = Cast.addresses[address]
        return name.hasSuffix("@example.com") || (name.hasSuffix("@example.net") && !isNarrowed)
    }

    /// docs/threat-model.md, "Keeping users out": `IDP_ALLOWED_EMAILS` names the address or the account was added, it is not
    /// disabled, and its end date is not over.
    func mayBeUsed(_ address: Int) -> Bool {
        let account = account(of: address).map { accounts[$0] }
        guard isNamed(address) || account?.isAdded == true else { return false }
        guard let account else { return !isKept(address) }
        return !account.isDisabled && account.eraseAt == nil && account.endsAt.map { $0 > now } ?? true
    }

    func maySignIn(_ account: Int) -> Bool { !accounts[account].isErased && mayBeUsed(accounts[account].address) }

    func holds(_ session: Int) -> Bool { sessions[session].holds(at: now) }

    /// A live session, which this request touches.
    mutating func use(_ session: Int?) -> Int? {
        guard let session, holds(session) else { return nil }
        if now - sessions[session].seenAt >= Span.minute { sessions[session].seenAt = now }
        return session
    }

    mutating func use(of browser: Int) -> Int? { use(browsers[browser].session) }

    /// The session of a browser, or one that the page begins.
    mutating func session(of browser: Int) -> Int {
        let session = use(of: browser) ?? sessions.add(Session(createdAt: now, seenAt: now))
        browsers[browser].session = session
        return session
    }

    /// The sign-in of a session, if neither has ended.
    func live(_ session: Int) -> SignIn? {
        guard holds(session), let user = sessions[session].signIn, accounts[user.account].signOuts == user.signOuts
        else { return nil }
        return user
    }

    func signIn(_ session: Int?) -> SignIn? { session.flatMap(live).flatMap { maySignIn($0.account) ? $0 : nil } }

    /// Whether a sign-in will do for a flow.
    func meets(_ flow: Flow, _ user: SignIn) -> Bool {
        flow.since.map { user.at >= $0 } ?? true && (user.isStrong || !flow.isStrong)
    }

    /// docs/threat-model.md, "Who may enter a client".
    func mayEnter(_ account: Int, _ client: Int) -> Bool {
        clients[client].groups.map { !$0.isDisjoint(with: accounts[account].groups) } ?? true
    }

    /// Whether the file or the database that the node has read names a client.
    func isRegistered(_ client: Int) -> Bool { client != 0 || !nodes[node].drops }

    func isServed(_ client: Int) -> Bool { isRegistered(client) && clients[client].isEnabled }
}

/// What ends with something.
extension Model {
    /// A row of the audit log, in the transaction of what has changed.
    @discardableResult
    mutating func record(
        _ event: String, client: Int? = nil, account: Int? = nil, _ cause: String? = nil
    ) -> Change {
        recorded.append(Outcome.row(event, client.map { Cast.clients[$0] }, account, cause))
        noteNews(event, account: account, cause)
        return .changed
    }

    enum Ended { case one(Int), others(Int, keeping: Int?), all(Int, at: Int? = nil) }

    /// docs/protocol.md 7: the sign-ins at clients end, and each client is told: once of all sessions of a user, or of each one.
    /// With OpenID Connect each session is named. Nobody knows where to tell a client that was dropped.
    mutating func end(_ what: Ended, _ reason: String, byRestore: Bool = false) {
        var said: Set<[Int]> = []
        for (index, it) in signIns.enumerated() where it.isOpen {
            let (isMeant, isAll) =
                switch what {
                case .one(let session): (it.session == session && it.endedAt == nil, false)
                case .others(let account, let kept): (it.account == account && it.session != kept, false)
                case .all(let account, let client): (it.account == account && (client ?? it.client) == it.client, true)
                }
            guard isMeant else { continue }
            (signIns[index].endedAt, signIns[index].reason) = (now, reason)
            let told = isAll && it.client != Cast.openID ? nil : it.told
            guard said.insert([it.client, it.account, told ?? -1]).inserted, byRestore || isRegistered(it.client),
                clients[it.client].takesMessages || reason == "account_ended"
            else { continue }
            record("sign_out_queued", client: it.client, account: it.account)
            messages.append(Message(client: it.client, account: it.account, told: told, createdAt: now, nextAt: now))
        }
    }

    /// Whatever ends all sign-ins of an account ends the browsers' sessions, the grants, and what clients have.
    mutating func endAll(of account: Int, _ reason: String) {
        accounts[account].signOuts += 1
        // A stolen known browser loses its own budgets.
        forgetBrowsers(accounts[account].address)
        end(.all(account), reason)
        endAppKeys(of: account, reason)
    }

    mutating func forgetBrowsers(_ address: Int) { known = known.map { $0?.address == address ? nil : $0 } }

    /// Those who have lost access are signed out there (docs/threat-model.md, "Who may enter a client"). A client that is
    /// disabled or dropped loses all that it was issued (docs/decisions/0094).
    mutating func loseAccess(at client: Int) {
        let kept = accounts.indices.filter { isServed(client) && mayEnter($0, client) }
        grants.mark(\.isVoid) { $0.client == client && !$0.isUsed && !kept.contains($0.account) }
        for account in accounts.indices where !kept.contains(account) { end(.all(account, at: client), "no_access") }
    }
}
