/// What clients do, by their servers.
extension Model {
    /// Whether a secret of a client is right, and notes its use.
    private mutating func proves(
        _ client: Int, _ how: Operation.Presentation = .right, notes: Bool = true
    ) -> Bool {
        guard isServed(client) else { return false }
        let secret: Int? =
            switch how {
            case .right, .wrongAddress: clients[client].secrets.last
            case .wrongSecret: nil
            case .formerSecret: clients[client].secrets.last.map { $0 - 1 }
            }
        guard let secret, clients[client].secrets.contains(secret) else { return false }
        let noted = clients[client].noted[[node, secret]]
        if notes, noted.map({ $0 > now || now - $0 >= Span.minute }) ?? true {
            clients[client].used[secret] = now
            clients[client].noted[[node, secret]] = now
        }
        return true
    }

    /// docs/protocol.md 4: a token redeems once, for its client and address, within five minutes, while the session holds, the
    /// account may sign in and may enter. What must not become good later is void.
    mutating func redeem(_ client: Int, _ back: Int, _ how: Operation.Presentation) -> String {
        guard let grant = Self.newest(back, of: grants.count) else { return "nothing" }
        // A text that is no token is refused by its form, whether or not the client was disabled meanwhile.
        guard grants[grant].client != Cast.openID else { return "nothing" }
        guard client != Cast.openID, proves(client, how) else { return "401 invalid_signature" }
        guard consume(grant, client, lifetime: Span.token, isRightAddress: how != .wrongAddress) else {
            return "401 invalid_token"
        }
        return "200 \(words(note(grant, by: client), grants[grant]))"
    }

    mutating func consume(
        _ grant: Int, _ client: Int, lifetime: Int, isRightAddress: Bool, voidsAlways: Bool = false
    ) -> Bool {
        let it = grants[grant]
        let maySign = maySignIn(it.account) || accounts[it.account].isErased
        let enters = !accounts[it.account].isErased && mayEnter(it.account, client)
        let isStrongEnough = it.isStrong || !clients[client].isStrict
        let isGood =
            it.client == client && !it.isUsed && !it.isVoid && it.issuedAt + lifetime > now
            && it.issuedAt <= now + Span.skew
            && isRightAddress && maySignIn(it.account) && holds(it.session)
            && accounts[it.account].signOuts == it.signOuts && enters && isStrongEnough
        if isGood {
            grants[grant].isUsed = true
        } else if !it.isUsed, voidsAlways || it.client != client || !maySign || !enters || !isStrongEnough {
            grants[grant].isVoid = true
        }
        return isGood
    }

    /// docs/protocol.md 7: which session the client was told. A sign-in that was ended while the session went on begins again.
    mutating func note(_ grant: Int, by client: Int) -> Int {
        let it = grants[grant]
        record("token_redeemed", client: client, account: it.account)
        if let index = signIns.firstIndex(where: { !$0.isDeleted && $0.client == it.client && $0.session == it.session }
        ) {
            if signIns[index].endedAt != nil { signIns[index].beginnings += 1 }
            (signIns[index].endedAt, signIns[index].reason) = (nil, "")
            return index
        }
        signIns.append(ClientSignIn(client: it.client, session: it.session, told: it.session, account: it.account))
        return signIns.count - 1
    }

    /// docs/protocol.md 7, "You ask": whether a session goes on, for a client that was told of it.
    mutating func question(_ client: Int, _ back: Int) -> String {
        guard let index = Self.newest(back, of: told.count) else { return "nothing" }
        guard client != Cast.openID, proves(client) else { return "401 invalid_signature" }
        let asked = told[index]
        guard
            let it = signIns.first(where: {
                !$0.isDeleted && $0.client == client && $0.told == asked.session && $0.account == asked.account
            })
        else { return "unknown" }
        if let endedAt = it.endedAt { return now - endedAt < Span.told ? it.reason : "unknown" }
        guard maySignIn(it.account) else { return "account_ended" }
        guard holds(it.session), let signIn = sessions[it.session].signIn, signIn.account == it.account else {
            return "expired"
        }
        guard accounts[it.account].signOuts == signIn.signOuts else { return "signed_out" }
        return mayEnter(it.account, client) ? "active since \(signIn.at / 1000)" : "no_access"
    }

    // MARK: OpenID Connect (docs/openid.md)

    mutating func exchange(_ client: Int, _ back: Int) -> String {
        guard let grant = Self.newest(back, of: grants.count) else { return "nothing" }
        guard grants[grant].client == Cast.openID else { return "nothing" }
        guard client == Cast.openID, proves(client) else { return "401 invalid_client" }
        guard consume(grant, client, lifetime: Span.oidcCode, isRightAddress: true, voidsAlways: true) else {
            // RFC 6749 4.1.2: a second use ends the tokens of the first.
            if grants[grant].isUsed, !grants[grant].isDeleted, let family = grants[grant].family { endFamily(family) }
            return "400 invalid_grant"
        }
        let signIn = note(grant, by: client)
        grants[grant].family = grant
        issue(family: grant, of: client, signIn, familyEndsAt: now + Span.family, isStrong: grants[grant].isStrong)
        return "200 \(words(signIn, grants[grant]))"
    }

    private mutating func issue(
        family: Int, of client: Int, _ signIn: Int, familyEndsAt: Int, isStrong: Bool
    ) {
        issueAccess(family: family, of: client, signIn)
        tokens.append(
            Token(
                isRefresh: true, family: family, client: client, account: signIns[signIn].account, signIn: signIn,
                beginnings: signIns[signIn].beginnings, createdAt: now,
                expiresAt: min(now + Span.refresh, familyEndsAt), familyEndsAt: familyEndsAt,
                isStrong: isStrong))
    }

    private mutating func issueAccess(family: Int, of client: Int, _ signIn: Int) {
        tokens.append(
            Token(
                isRefresh: false, family: family, client: client, account: signIns[signIn].account, signIn: signIn,
                beginnings: signIns[signIn].beginnings, createdAt: now, expiresAt: now + Span.access))
    }

    mutating func endFamily(_ family: Int) {
        for index in tokens.indices where tokens[index].family == family { tokens[index].isEnded = true }
    }

    /// docs/openid.md: tokens hang on the client's sign-in, on the account and on its access.
    private func hangs(_ token: Token) -> Bool {
        let signIn = signIns[token.signIn]
        return signIn.isOpen && signIn.beginnings == token.beginnings
            && maySignIn(token.account) && mayEnter(token.account, token.client)
    }

    private func token(_ back: Int, isRefresh: Bool) -> Int? {
        let all = tokens.indices.filter { tokens[$0].isRefresh == isRefresh && !tokens[$0].isLost }
        return Self.newest(back, of: all.count).map { all[$0] }
    }

    /// RFC 9700 4.14.2: the same successor for a minute as long as it is unused, then the family ends.
    mutating func refresh(_ client: Int, _ back: Int) -> String {
        guard let index = token(back, isRefresh: true) else { return "nothing" }
        guard client == Cast.openID, proves(client) else { return "401 invalid_client" }
        let it = tokens[index]
        guard !it.isEnded, it.familyEndsAt > now, hangs(it), it.isStrong || !clients[client].isStrict else {
            return "400 invalid_grant"
        }
        if let usedAt = it.usedAt {
            guard now - usedAt < Span.minute, let next = it.successor, tokens[next].usedAt == nil else {
                endFamily(it.family)
                return "400 invalid_grant"
            }
            issueAccess(family: it.family, of: client, it.signIn)
            return "200 again"
        }
        guard it.expiresAt > now else { return "400 invalid_grant" }
        let isFirst = tokens.indices.first { tokens[$0].isRefresh && tokens[$0].family == it.family } == index
        if !isFirst, abs(now - it.createdAt) < Span.second {
            issueAccess(family: it.family, of: client, it.signIn)
            return "200 again"
        }
        tokens[index].usedAt = now
        issue(family: it.family, of: client, it.signIn, familyEndsAt: it.familyEndsAt, isStrong: it.isStrong)
        tokens[index].successor = tokens.count - 1
        return "200 rotated"
    }

    private func isGood(_ index: Int) -> Bool {
        let it = tokens[index]
        return !it.isEnded && it.expiresAt > now && isServed(it.client) && hangs(it)
    }

    mutating func userInfo(_ back: Int) -> String {
        guard let index = token(back, isRefresh: false) else { return "nothing" }
        return isGood(index) ? "200 account \(tokens[index].account)" : "401"
    }

    mutating func introspect(_ client: Int, _ back: Int) -> String {
        guard let index = token(back, isRefresh: false) else { return "nothing" }
        guard client == Cast.openID, proves(client, notes: false) else { return "401 invalid_client" }
        return isGood(index) ? "active account \(tokens[index].account)" : "inactive"
    }

    /// RFC 7009: 200 whatever it is. A refresh token ends its family.
    mutating func revoke(_ client: Int, _ back: Int) -> String {
        let all = tokens.indices.filter { !tokens[$0].isLost }
        guard let index = Self.newest(back, of: all.count).map({ all[$0] }) else { return "nothing" }
        guard client == Cast.openID, proves(client, notes: false) else { return "401 invalid_client" }
        if tokens[index].isRefresh { endFamily(tokens[index].family) } else { tokens[index].isEnded = true }
        return "200"
    }

    // MARK: Messages about sign-outs

    /// docs/protocol.md 7, "The IdP tells you": what each client receives now. One that is down is tried again after 10 s, 1, 5,
    /// 15 minutes, then hourly, for a day. Each gets two messages at once, and one that has failed none for a second.
    mutating func deliver() {
        while true {
            var taken: [Int] = []
            for client in clients.indices {
                if let failed = fails[node][client], failed <= now, now < failed + Span.second { continue }
                let due = messages.indices.filter {
                    messages[$0].client == client && !messages[$0].isSettled && messages[$0].nextAt <= now
                }
                taken += due.sorted { (messages[$0].nextAt, $0) < (messages[$1].nextAt, $1) }.prefix(2)
            }
            if taken.isEmpty { return }
            for index in taken { attempt(index) }
        }
    }

    private mutating func attempt(_ index: Int) {
        let it = messages[index]
        messages[index].tries += 1
        messages[index].settledAt = now
        guard clients[it.client].isRegistered[node], clients[it.client].takesMessages else {
            (messages[index].isSettled, messages[index].isDropped) = (true, true)
            return
        }
        if clients[it.client].isDown {
            fails[node][it.client] = now
            let end = it.createdAt + Span.day
            let pauses = [10 * Span.second, Span.minute, 5 * Span.minute, 15 * Span.minute]
            messages[index].isSettled = now >= end
            messages[index].nextAt = min(now + (it.tries < 4 ? pauses[it.tries] : Span.hour), end)
        } else {
            fails[node][it.client] = nil
            (messages[index].isSettled, messages[index].isDelivered) = (true, true)
            let session = it.told.map { "session \(name(of: $0))" } ?? "all sessions"
            received.append("\(Cast.clients[it.client]): account \(it.account), \(session)")
        }
    }
}
