/// What users do in their browsers.
extension Model {
    /// The sign-in page, and the address that is typed there (C 3).
    mutating func ask(_ browser: Int, _ address: Int) -> String {
        let flow = browsers[browser].flow
        var session = use(browser)
        if let done = passes(browser, flow) { return done }
        if let flow {
            guard let session, sessions[session].flows.contains(flow) else {
                return forgetFlow(browser, "no such flow")
            }
            guard isPending(flow) else { return forgetFlow(browser, "flow over") }
        }
        session = session ?? begin(Session(createdAt: now, seenAt: now))
        guard let old = session else { return "" }
        let keeps = sessions[old].signIn != nil && flow.map { flows[$0].since != nil } ?? false
        let fresh = keeps ? old : renew(old)
        browsers[browser].session = fresh
        browsers[browser].hasForm = true
        browsers[browser].asked = address
        let known = self.known(browser, address)
        queueCode(browser, address, known, in: fresh, flow)
        if !keeps { sessions[fresh].signIn = nil }
        sessions[fresh].seenAt = now
        return "code page"
    }

    /// Where a user goes on who is signed in already; nil for one who has to sign in.
    private mutating func passes(_ browser: Int, _ flow: Int?) -> String? {
        guard let session = browsers[browser].session, let signIn = signIn(session) else { return nil }
        if let flow, sessions[session].flows.contains(flow), isPending(flow), let since = flows[flow].since,
            signIn.at < since
        {
            return nil
        }
        return goOn(browser, session, flow)
    }

    /// A visitor gets a new id with the first step (T: session fixation). What hung on the session goes on with it.
    private mutating func renew(_ old: Int) -> Int {
        let fresh = begin(
            Session(createdAt: now, seenAt: now, held: sessions[old].held, flows: sessions[old].flows))
        sessions[old].isGone = true
        return fresh
    }

    func isPending(_ flow: Int) -> Bool { !flows[flow].isEnded && now - flows[flow].begunAt < Span.flow }

    private mutating func forgetFlow(_ browser: Int, _ answer: String) -> String {
        browsers[browser].flow = nil
        return answer
    }

    func known(_ browser: Int, _ address: Int) -> Int? {
        guard let number = browsers[browser].known[address], let it = known[number], it.address == address,
            it.endsAt > now
        else { return nil }
        return number
    }

    // MARK: Emails

    /// C 3: one email in a minute, 5 in an hour, 10 in a day to one address, and the same again for each known browser. A
    /// network that has asked before gets 3 in an hour and 6 in a day of what unknown browsers share.
    func nextEmail(_ address: Int, _ known: Int?) -> Int? {
        let earlier = emails.filter {
            $0.address == address && $0.kind == "code" && $0.known == known && $0.at > now - Span.day
                && $0.at <= now + Span.code + Span.day
        }.map(\.at).sorted(by: >)
        let rules =
            known == nil && !earlier.isEmpty
            ? [(1, Span.minute), (3, Span.hour), (6, Span.day)] : [(1, Span.minute), (5, Span.hour), (10, Span.day)]
        return rules.compactMap { count, span in
            guard earlier.count >= count, earlier[count - 1] + span > now else { return nil }
            return earlier[count - 1] + span
        }.max()
    }

    private mutating func queueCode(_ browser: Int, _ address: Int, _ known: Int?, in session: Int, _ flow: Int?) {
        let account = account(of: address)
        let isEligible = mayBeUsed(address, account.map { accounts[$0] })
        let held = sessions[session].held.first { $0.address == address }
        let waiting = held.map(\.challenge).flatMap { id -> Int? in
            let it = challenges[id]
            return it.isEligible == isEligible && !it.isUsed && !it.isDeleted && it.expiresAt > now && it.tries < 5
                ? id : nil
        }
        let expiresAt = waiting.map { challenges[$0].expiresAt } ?? now + Span.code
        let earlier = waiting == nil ? nil : held?.emailAt
        var leavesAt: Int?
        if let allowed = nextEmail(address, known) {
            leavesAt = earlier == nil && allowed < expiresAt ? allowed : nil
        } else {
            leavesAt = now
        }
        let challenge = waiting ?? challenges.count
        if waiting == nil {
            challenges.append(Challenge(address: address, isEligible: isEligible, expiresAt: expiresAt, known: known))
        }
        if let known { challenges[challenge].known = known }
        challenges[challenge].flow = flow
        if let leavesAt {
            emails.append(
                Email(
                    address: address, kind: "code", known: known, at: leavesAt, expiresAt: expiresAt,
                    isDecoy: !isEligible, challenge: challenge))
            challenges[challenge].emailAt = challenges[challenge].emailAt ?? leavesAt
            if leavesAt == now, isEligible { browsers[browser].codes[address] = challenge }
        }
        queueBrowserLink(address, known, isEligible)
        sessions[session].held.removeAll { $0.address == address }
        sessions[session].held.append((address, challenge, leavesAt ?? earlier))
        sessions[session].held = sessions[session].held.suffix(5)
    }

    /// D 0084: an address that unknown browsers ask for often gets a link that makes a browser known, once in six hours.
    private mutating func queueBrowserLink(_ address: Int, _ known: Int?, _ isEligible: Bool) {
        let ofDay = emails.filter { $0.address == address && $0.kind == "code" && $0.at > now - Span.day }.count
        guard known == nil, ofDay >= 3 else { return }
        let hasOne = emails.contains {
            $0.address == address && $0.kind == "browser link" && $0.isDecoy == !isEligible
                && $0.at > now - 6 * Span.hour
        }
        guard !hasOne else { return }
        emails.append(
            Email(
                address: address, kind: "browser link", known: nil, at: now, expiresAt: now + Span.code,
                isDecoy: !isEligible))
    }

    // MARK: Codes

    /// C 3: six digits, ten minutes, bound to the browser that asked, used once; five wrong ones end it, and 20 in a day pause
    /// the account for this kind of browser.
    mutating func type(_ browser: Int, _ code: Operation.TypedCode, remember: Bool) -> String {
        guard browsers[browser].hasForm else { return "no form" }
        let flow = browsers[browser].flow
        guard let session = use(browser) else { return "sign-in" }
        if let done = passes(browser, flow) {
            browsers[browser].hasForm = browsers[browser].flow != nil
            return done
        }
        guard let current = sessions[session].held.last?.challenge, !challenges[current].isDeleted else {
            return "sign-in"
        }
        let typed: Int? =
            switch code {
            case .wrong: nil
            case .right: browsers[browser].codes[challenges[current].address]
            case .of(let other): browsers[other].codes[challenges[current].address]
            }
        guard guess(current) else { return "refused" }
        guard typed == current else { return "refused" }
        return signInBy(current, browser, session, flow, "email_code", remember)
    }

    /// Counts a guess before it is compared (T 72). Whether it is compared.
    private mutating func guess(_ challenge: Int) -> Bool {
        let it = challenges[challenge]
        guard let due = it.emailAt, due <= now else { return false }
        let failures = guesses.filter {
            $0.address == it.address && $0.known == it.known && $0.at > now - Span.day
        }.map(\.at).sorted(by: >)
        if failures.count >= 20, let last = failures.first, last + Span.hour > now { return false }
        guard it.tries < 5, !it.isUsed, it.expiresAt > now else { return false }
        challenges[challenge].tries += 1
        guesses.append(Guess(address: it.address, known: it.known, at: now))
        return true
    }

    /// A proof of the address signs its owner in, once (I3, T 75).
    private mutating func signInBy(
        _ challenge: Int, _ browser: Int, _ session: Int, _ flow: Int?, _ method: String, _ remember: Bool
    ) -> String {
        let address = challenges[challenge].address
        let isCode = method == "email_code"
        guard challenges[challenge].isEligible, !challenges[challenge].isUsed, challenges[challenge].expiresAt > now
        else {
            if isCode { guesses.removeLast() }
            return "refused"
        }
        let existing = account(of: address)
        guard mayBeUsed(address, existing.map { accounts[$0] }) else { return "may not" }
        challenges[challenge].isUsed = true
        if isCode { guesses.removeLast() }
        let account = existing ?? accounts.count
        if existing == nil { accounts.append(Account(address: address)) }
        accounts[account].hasSignedIn = true
        for index in invitations.indices where invitations[index].account == account {
            invitations[index].isEnded = true
        }
        let number = known(browser, address) ?? known.count
        if number == known.count { known.append(nil) }
        known[number] = (address, now + Span.knownBrowser)
        browsers[browser].known[address] = number
        let before = sessions[session].signIn
        // Never before the moment that the flow asks for.
        let asked = flow.flatMap { sessions[session].flows.contains($0) && !flows[$0].isEnded ? flows[$0].since : nil }
        let moment = max(now, asked ?? now)
        let fresh = begin(
            Session(
                createdAt: now, seenAt: now, isRemembered: remember,
                signIn: SignIn(account: account, at: moment, signOuts: accounts[account].signOuts, method: method),
                flows: sessions[session].flows))
        sessions[session].isGone = true
        if before != nil { follow(session, to: fresh, account) }
        browsers[browser].session = fresh
        browsers[browser].signedIn = fresh
        browsers[browser].hasForm = false
        return goOn(browser, fresh, flow)
    }

    /// C 8, "Not told": a new sign-in of the same user in the same browser. Another user's ends what was there.
    private mutating func follow(_ old: Int, to fresh: Int, _ account: Int) {
        for index in signIns.indices
        where signIns[index].session == old && signIns[index].account == account && signIns[index].endedAt == nil {
            signIns[index].session = fresh
        }
        end(.one(old), "signed_out")
    }

    /// Where a user goes who is signed in: to what the sign-in was for, or home.
    private mutating func goOn(_ browser: Int, _ session: Int, _ flow: Int?) -> String {
        browsers[browser].flow = nil
        guard let flow else { return "home" }
        guard sessions[session].flows.contains(flow) else { return "no such flow" }
        guard isPending(flow) else { return "flow over" }
        if let since = flows[flow].since, let signIn = sessions[session].signIn, signIn.at < since {
            browsers[browser].flow = flow
            return "sign-in"
        }
        flows[flow].isEnded = true
        guard isServed(flows[flow].client) else { return "unknown client" }
        return enter(session, flows[flow].client, isSilent: false)
    }

    // MARK: Sessions

    mutating func look(_ browser: Int) -> String {
        let session = use(browser)
        return signIn(session).map { "signed in as \(accounts[$0.account].address)" } ?? "signed out"
    }

    /// T E: the link of the email signs in only where it was asked for, or in a browser that is known for the address. A GET changes
    /// nothing.
    mutating func link(_ browser: Int, _ other: Int) -> String {
        guard let address = browsers[other].asked, let challenge = browsers[other].codes[address] else {
            return "nothing"
        }
        let session = use(browser)
        let it = challenges[challenge]
        guard !it.isUsed, !it.isDeleted, it.expiresAt > now else { return "no button" }
        let isAsking = session.map { sessions[$0].held.contains { $0.challenge == challenge } } ?? false
        let knows = session.flatMap { session in it.flow.flatMap { sessions[session].flows.contains($0) ? $0 : nil } }
        if isAsking {
            if let done = passes(browser, knows) { return done }
        } else {
            guard known(browser, it.address) != nil else { return "no button" }
            if let signIn = signIn(session), accounts[signIn.account].address == it.address { return "no button" }
        }
        let place = session ?? begin(Session(createdAt: now, seenAt: now))
        browsers[browser].session = place
        return signInBy(challenge, browser, place, knows, "email_link", false)
    }

    /// Ends every other sign-in of the user. What clients have from this session goes on.
    mutating func endOthers(_ browser: Int) -> String {
        guard let session = use(browser), let signIn = signIn(session) else { return "signed out" }
        let account = signIn.account
        accounts[account].signOuts += 1
        end(.others(account, keeping: session), "signed_out")
        for index in grants.indices where grants[index].session == session && grants[index].signOuts == signIn.signOuts
        {
            grants[index].signOuts += 1
        }
        sessions[session].signIn?.signOuts += 1
        sessions[session].seenAt = now
        return "ends"
    }

    /// Ends the session of another browser of the same user.
    mutating func endSession(_ browser: Int, _ other: Int) -> String {
        guard let session = use(browser), let signIn = signIn(session) else { return "signed out" }
        guard let ended = browsers[other].signedIn else { return "nothing" }
        sessions[session].seenAt = now
        guard holds(ended), let its = sessions[ended].signIn, its.account == signIn.account,
            its.signOuts == accounts[its.account].signOuts
        else { return "not there" }
        sessions[ended].isGone = true
        end(.one(ended), "signed_out")
        return "ends"
    }

    mutating func signOut(_ browser: Int) -> String {
        let session = use(browser)
        guard let session, signIn(session) != nil else { return "signed out" }
        sessions[session].isGone = true
        browsers[browser].session = nil
        browsers[browser].hasForm = false
        end(.one(session), "signed_out")
        return "signs out"
    }

    // MARK: Clients

    /// C 3: what becomes of a request of a client.
    mutating func authorize(_ browser: Int, _ client: Int, _ wish: Operation.Wish) -> String {
        guard isServed(client) else { return "unknown client" }
        var session = use(browser)
        let user = signIn(session)
        let meets =
            switch wish {
            case .none, .silent: true
            case .login: false
            case .fresh: user.map { now - $0.at <= Span.minute } ?? false
            }
        if let user, meets, let session { return enter(session, client, isSilent: wish == .silent, user) }
        if wish == .silent { return "error login_required" }
        let earliest: Int? =
            switch wish {
            case .login: now
            case .fresh: now - Span.minute
            case .none, .silent: nil
            }
        let since: Int? = session.flatMap { sessions[$0].signIn }.flatMap { old in
            (wish == .login || wish == .fresh && now - old.at > Span.minute) ? old.at + 1 : nil
        }
        session = session ?? begin(Session(createdAt: now, seenAt: now))
        guard let session else { return "" }
        browsers[browser].session = session
        beginFlow(
            Flow(client: client, begunAt: now, since: [since, earliest].compactMap(\.self).max()),
            browser, session)
        return "sign-in"
    }

    private mutating func beginFlow(_ flow: Flow, _ browser: Int?, _ session: Int) {
        flows.append(flow)
        sessions[session].flows.append(flows.count - 1)
        sessions[session].seenAt = now
        if let browser { browsers[browser].flow = flows.count - 1 }
        let pending = sessions[session].flows.filter { !flows[$0].isEnded && isOpenID($0) == isOpenID(flows.count - 1) }
        for old in pending.dropLast(8) { flows[old].isEnded = true }
    }

    private func isOpenID(_ flow: Int) -> Bool { flows[flow].client == Cast.openID }

    private mutating func enter(_ session: Int, _ client: Int, isSilent: Bool, _ user: SignIn? = nil) -> String {
        guard let user = user ?? signIn(session) else { return "sign-in" }
        guard mayEnter(user.account, client) else {
            if isSilent { return "error access_denied" }
            beginFlow(Flow(client: client, begunAt: now, since: nil), nil, session)
            return "no access"
        }
        grants.append(
            Grant(
                client: client, account: user.account, session: session, signOuts: user.signOuts, at: user.at,
                issuedAt: now))
        return "grant"
    }
}
