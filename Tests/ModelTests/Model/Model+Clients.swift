/// What clients do, by their servers.
extension Model {
    /// Whether a client shows a secret of its own. Its use is noted, by each node once in a minute.
    ///
    /// - Parameter shown: by its number; nil for the newest.
    private mutating func proves(_ client: Int, _ shown: Int? = nil, notes: Bool = true) -> Bool {
        guard isServed(client), let secret = shown ?? clients[client].secrets.last,
            clients[client].secrets.contains(secret)
        else { return false }
        if notes, nodes[node].noted[client].map({ $0.0 != secret || !(0..<Span.minute).contains(now - $0.1) }) ?? true {
            (clients[client].used[secret], nodes[node].noted[client]) = (now, (secret, now))
        }
        return true
    }

    /// docs/protocol.md 4: a token redeems once, for its client and address, within five minutes, while the session holds, the
    /// account may sign in and may enter.
    mutating func redeem(_ client: Int, _ grant: Int, secret: Int, isRightAddress: Bool) -> String {
        guard client != Cast.openID, proves(client, secret) else { return "401 invalid_signature" }
        guard consume(grant, client, lifetime: Span.token, isRightAddress: isRightAddress) else {
            return "401 invalid_token"
        }
        return "200 \(words(note(grant, by: client), grants[grant]))"
    }

    /// What must not become good later is void.
    mutating func consume(
        _ grant: Int, _ client: Int, lifetime: Int, isRightAddress: Bool = true, voidsAlways: Bool = false
    ) -> Bool {
        let it = grants[grant]
        let enters = maySignIn(it.account) && mayEnter(it.account, client) && isStrongEnough(it.isStrong, client)
        let isGood =
            enters && it.client == client && isRightAddress && !it.isUsed && !it.isVoid && holds(it.session)
            && accounts[it.account].signOuts == it.signOuts
            && it.issuedAt <= now + Span.skew && now < it.issuedAt + lifetime
        if isGood {
            grants[grant].isUsed = true
        } else if !it.isUsed, voidsAlways || it.client != client || !enters {
            grants[grant].isVoid = true
        }
        return isGood
    }

    private func isStrongEnough(_ isStrong: Bool, _ client: Int) -> Bool { isStrong || !clients[client].isStrict }

    /// docs/protocol.md 7: which session the client was told. A sign-in that was ended while the session went on begins again.
    mutating func note(_ grant: Int, by client: Int) -> Int {
        let it = grants[grant]
        record("token_redeemed", client: client, account: it.account)
        let index = signIns.firstIndex { !$0.isDeleted && $0.client == it.client && $0.session == it.session }
        guard let index else {
            return signIns.add(
                ClientSignIn(client: it.client, session: it.session, told: it.session, account: it.account))
        }
        if signIns[index].endedAt != nil { signIns[index].beginnings += 1 }
        (signIns[index].endedAt, signIns[index].reason) = (nil, "")
        return index
    }

    /// docs/protocol.md 7, "You ask": whether a session goes on, for a client that was told of it.
    mutating func question(_ client: Int, _ asked: (client: Int, session: Int, account: Int)) -> String {
        guard client != Cast.openID, proves(client) else { return "401 invalid_signature" }
        let account = asked.account
        let told = signIns.first {
            !$0.isDeleted && $0.client == client && $0.told == asked.session && $0.account == account
        }
        guard let told else { return "unknown" }
        if let endedAt = told.endedAt { return now - endedAt < Span.told ? told.reason : "unknown" }
        guard maySignIn(account) else { return "account_ended" }
        guard holds(told.session), let user = sessions[told.session].signIn, user.account == account else {
            return "expired"
        }
        guard accounts[account].signOuts == user.signOuts else { return "signed_out" }
        return mayEnter(account, client) ? "active since \(user.at / 1000)" : "no_access"
    }

    // MARK: OpenID Connect (docs/openid.md)

    mutating func exchange(_ client: Int, _ grant: Int) -> String {
        guard client == Cast.openID, proves(client) else { return "401 invalid_client" }
        guard consume(grant, client, lifetime: Span.oidcCode, voidsAlways: true) else {
            // RFC 6749 4.1.2: a second use ends the tokens of the first.
            if grants[grant].isUsed, !grants[grant].isDeleted { endFamily(of: grant) }
            return "400 invalid_grant"
        }
        let signIn = note(grant, by: client)
        issue(
            Family(
                grant: grant, signIn: signIn, beginnings: signIns[signIn].beginnings, endsAt: now + Span.family,
                isStrong: grants[grant].isStrong))
        return "200 \(words(signIn, grants[grant]))"
    }

    private mutating func issue(_ family: Family, withRefresh: Bool = true) {
        tokens.append(Token(family: family, isRefresh: false, createdAt: now, expiresAt: now + Span.access))
        guard withRefresh else { return }
        let end = min(now + Span.refresh, family.endsAt)
        tokens.append(Token(family: family, isRefresh: true, createdAt: now, expiresAt: end))
    }

    private mutating func endFamily(of grant: Int) { tokens.mark(\.isEnded) { $0.family.grant == grant } }

    /// docs/openid.md: tokens hang on the client's sign-in, on the account and on its access.
    private func holds(_ family: Family) -> Bool {
        let it = signIns[family.signIn]
        return it.isOpen && it.beginnings == family.beginnings && maySignIn(it.account)
            && mayEnter(it.account, it.client)
    }

    /// RFC 9700 4.14.2: the same successor for a minute as long as it is unused, then the family ends. It rotates at most once a
    /// second.
    mutating func refresh(_ client: Int, _ token: Int) -> String {
        guard client == Cast.openID, proves(client) else { return "401 invalid_client" }
        let it = tokens[token]
        guard !it.isEnded, it.family.endsAt > now, holds(it.family), isStrongEnough(it.family.isStrong, client),
            it.usedAt != nil || it.expiresAt > now
        else { return "400 invalid_grant" }
        if let usedAt = it.usedAt {
            guard now - usedAt < Span.minute, let next = it.successor, tokens[next].usedAt == nil else {
                endFamily(of: it.family.grant)
                return "400 invalid_grant"
            }
        }
        let first = tokens.firstIndex { $0.isRefresh && $0.family.grant == it.family.grant }
        let isFresh = token != first && abs(now - it.createdAt) < Span.second
        guard it.usedAt == nil, !isFresh else {
            issue(it.family, withRefresh: false)
            return "200 again"
        }
        issue(it.family)
        (tokens[token].usedAt, tokens[token].successor) = (now, tokens.count - 1)
        return "200 rotated"
    }

    /// The account of an access token that is good.
    private func account(of token: Token) -> Int? {
        let isGood = !token.isEnded && token.expiresAt > now && isServed(Cast.openID) && holds(token.family)
        return isGood ? signIns[token.family.signIn].account : nil
    }

    mutating func userInfo(_ token: Int) -> String { account(of: tokens[token]).map { "200 account \($0)" } ?? "401" }

    mutating func introspect(_ client: Int, _ token: Int) -> String {
        guard client == Cast.openID, proves(client, notes: false) else { return "401 invalid_client" }
        return account(of: tokens[token]).map { "active account \($0)" } ?? "inactive"
    }

    /// RFC 7009: 200 whatever it is. A refresh token ends its family.
    mutating func revoke(_ client: Int, _ token: Int) -> String {
        guard client == Cast.openID, proves(client, notes: false) else { return "401 invalid_client" }
        if tokens[token].isRefresh { endFamily(of: tokens[token].family.grant) }
        tokens[token].isEnded = true
        return "200"
    }

    // MARK: Messages about sign-outs

    /// docs/protocol.md 7, "The IdP tells you": what each client receives now. Each gets two messages at once, and one that has
    /// failed none for a second.
    mutating func deliver() {
        var taken: [Int] = []
        repeat {
            taken = clients.indices.flatMap { client -> ArraySlice<Int> in
                if let failed = nodes[node].fails[client], failed <= now, now < failed + Span.second { return [] }
                let due = messages.indices.filter {
                    messages[$0].client == client && !messages[$0].isSettled && messages[$0].nextAt <= now
                }
                return due.sorted { (messages[$0].nextAt, $0) < (messages[$1].nextAt, $1) }.prefix(2)
            }
            for index in taken { attempt(index) }
        } while !taken.isEmpty
    }

    /// A client that is down is tried again after 10 s, 1, 5, 15 minutes, then hourly, for a day.
    private mutating func attempt(_ index: Int) {
        let (it, client) = (messages[index], messages[index].client)
        (messages[index].tries, messages[index].settledAt) = (it.tries + 1, now)
        guard isRegistered(client), clients[client].takesMessages else {
            (messages[index].isSettled, messages[index].isDropped) = (true, true)
            return
        }
        nodes[node].fails[client] = clients[client].isDown ? now : nil
        guard clients[client].isDown else {
            (messages[index].isSettled, messages[index].isDelivered) = (true, true)
            let session = it.told.map { "session \(name(of: $0))" } ?? "all sessions"
            return received.append("\(Cast.clients[client]): account \(it.account), \(session)")
        }
        let pauses = [10 * Span.second, Span.minute, 5 * Span.minute, 15 * Span.minute]
        let (end, pause) = (it.createdAt + Span.day, it.tries < 4 ? pauses[it.tries] : Span.hour)
        (messages[index].isSettled, messages[index].nextAt) = (now >= end, min(now + pause, end))
    }
}
