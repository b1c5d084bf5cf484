/// What holds, and what ends with it.
extension Model {
    /// The account of an address that is not erased.
    func account(of address: Int) -> Int? { accounts.firstIndex { !$0.isErased && $0.address == address } }

    func isNamed(_ address: Int) -> Bool {
        let name = Cast.addresses[address]
        return name.hasSuffix("@example.com") || (name.hasSuffix("@example.net") && !isNarrowed)
    }

    /// docs/threat-model.md, "Keeping users out": `IDP_ALLOWED_EMAILS` names the address or the account was added, it is not
    /// disabled, and its end date is not over.
    func mayBeUsed(_ address: Int, _ account: Account?) -> Bool {
        guard isNamed(address) || account?.isAdded == true else { return false }
        guard let account else { return !isKept(address) }
        return !account.isDisabled && account.eraseAt == nil && account.endsAt.map { $0 > now } ?? true
    }

    func maySignIn(_ account: Int) -> Bool {
        !accounts[account].isErased && mayBeUsed(accounts[account].address, accounts[account])
    }

    /// docs/operations.md, "How long does a session last?": 12 hours, 2 hours idle, or 30 days for a user who asked for it.
    func holds(_ session: Int) -> Bool {
        let it = sessions[session]
        guard !it.isGone, it.createdAt <= now + Span.skew else { return false }
        return it.isRemembered
            ? now < it.createdAt + Span.remembered
            : now < it.createdAt + Span.session && now < it.seenAt + Span.idle
    }

    /// The live session of a browser, which this request touches.
    mutating func use(_ browser: Int) -> Int? {
        guard let session = browsers[browser].session, holds(session) else { return nil }
        if now - sessions[session].seenAt >= Span.minute { sessions[session].seenAt = now }
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
    func meets(_ flow: Int, _ user: SignIn) -> Bool {
        flows[flow].since.map { user.at >= $0 } ?? true && (user.isStrong || !flows[flow].isStrong)
    }

    func mayEnter(_ account: Int, _ client: Int) -> Bool {
        clients[client].groups.map { !$0.isDisjoint(with: accounts[account].groups) } ?? true
    }

    func isServed(_ client: Int) -> Bool { clients[client].isRegistered[node] && clients[client].isEnabled }

    mutating func begin(_ session: Session) -> Int {
        sessions.append(session)
        return sessions.count - 1
    }
}

// MARK: - The end of what hangs on a sign-in

extension Model {
    /// A row of the audit log, in the transaction of what it records.
    ///
    /// - Parameter isTold: whether all admins are told of it, if they are told of such a row at all.
    mutating func record(
        _ event: String, client: Int? = nil, account: Int? = nil, _ cause: String? = nil, isTold: Bool = true
    ) {
        recorded.append(Outcome.row(event, client.map { Cast.clients[$0] }, account, cause))
        if isTold { noteNews(event, cause) }
    }

    enum Ended { case one(Int), all(Int), others(Int, keeping: Int?), atClient(Int, Int) }

    /// docs/protocol.md 7: the sign-ins at clients end, and each client is told: once of all sessions of a user, or of each one.
    /// With OpenID Connect each session is named. Nobody knows where to tell a client that was dropped.
    mutating func end(_ what: Ended, _ reason: String, byRestore: Bool = false) {
        var said: Set<[Int]> = []
        for index in signIns.indices {
            let it = signIns[index]
            guard !it.isDeleted else { continue }
            let isOpen = it.isOpen
            let (isMeant, isAll): (Bool, Bool) =
                switch what {
                case .one(let session): (it.session == session && it.endedAt == nil, false)
                case .all(let account): (it.account == account && isOpen, true)
                case .others(let account, let kept): (it.account == account && it.session != kept && isOpen, false)
                case .atClient(let client, let account):
                    (it.client == client && it.account == account && isOpen, true)
                }
            guard isMeant else { continue }
            signIns[index].endedAt = now
            signIns[index].reason = reason
            let isNamed = !isAll || it.client == Cast.openID
            guard said.insert([it.client, it.account, isNamed ? it.told : -1]).inserted,
                byRestore || clients[it.client].isRegistered[node],
                clients[it.client].takesMessages || reason == "account_ended"
            else { continue }
            record("sign_out_queued", client: it.client, account: it.account)
            messages.append(
                Message(
                    client: it.client, account: it.account, told: isNamed ? it.told : nil, createdAt: now, nextAt: now))
        }
    }

    /// An email about a change of how a user signs in. After 20 in a day those that take something away are told once more.
    mutating func notify(_ account: Int, isAlwaysTold: Bool = false) {
        let ofDay = notices.filter { $0.account == account && !$0.isSignIn && $0.at > now - Span.day }
        let isLast = !isAlwaysTold && ofDay.count >= 20
        if isLast, ofDay.contains(where: \.isLast) { return }
        notices.append(Notice(account: account, at: now, isLast: isLast))
        sent.append("\(accounts[account].address): notice")
    }

    /// Whatever ends all sign-ins of an account ends the browsers' sessions, the grants, and what clients have.
    mutating func endAll(of account: Int, _ reason: String) {
        accounts[account].signOuts += 1
        // A stolen known browser loses its own budgets.
        forgetBrowsers(accounts[account].address)
        end(.all(account), reason)
        endAppKeys(of: account, reason)
    }

    mutating func forgetBrowsers(_ address: Int) {
        for index in known.indices where known[index]?.address == address { known[index] = nil }
    }

    /// The grants of a client that ends (docs/decisions/0094).
    mutating func voidGrants(of client: Int) {
        for index in grants.indices where grants[index].client == client && !grants[index].isUsed {
            grants[index].isVoid = true
        }
    }

    /// A client that is disabled or dropped loses what it was issued.
    mutating func endClient(_ client: Int) {
        voidGrants(of: client)
        loseAccess(at: client) { _ in false }
    }

    /// Those who have lost access are signed out there (docs/threat-model.md, "Who may enter a client").
    mutating func loseAccess(at client: Int, admits: (Int) -> Bool) {
        let accounts = Set(signIns.filter { $0.client == client && $0.isOpen }.map(\.account))
        for account in accounts.sorted() where !admits(account) { end(.atClient(client, account), "no_access") }
    }
}
