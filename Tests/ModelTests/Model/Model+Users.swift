/// What users do in their browsers.
extension Model {
    /// The sign-in page, and the address that is typed there.
    mutating func ask(_ browser: Int, _ address: Int) -> String {
        let flow = browsers[browser].flow
        var session = use(browser)
        if let done = passes(browser, flow) { return done }
        if let flow, let refusal = unreachable(flow, session) { return forgetFlow(browser, refusal) }
        if let flow, let user = signIn(session), flows[flow].isStrong, !user.isStrong {
            // The page asks for what is missing alone, and goes on asking for new challenges.
            if let session { sessions[session].seenAt = now }
            return "no email field"
        }
        // The page begins one.
        if session == nil { browsers[browser].session = begin(Session(createdAt: now, seenAt: now)) }
        session = session ?? browsers[browser].session
        guard let old = session else { return "" }
        let keeps = sessions[old].signIn != nil && flow.map { flows[$0].since != nil || flows[$0].isStrong } ?? false
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
    mutating func passes(_ browser: Int, _ flow: Int?) -> String? {
        guard let session = browsers[browser].session, let user = signIn(session) else { return nil }
        if let flow, sessions[session].flows.contains(flow), isPending(flow), !meets(flow, user) { return nil }
        return goOn(browser, session, flow)
    }

    /// Why a sign-in for a flow would lead nowhere.
    func unreachable(_ flow: Int, _ session: Int?) -> String? {
        guard let session, sessions[session].flows.contains(flow) else { return "no such flow" }
        return isPending(flow) ? nil : "flow over"
    }

    /// A visitor gets a new id with the first step (docs/threat-model.md, "Sessions and pages": session fixation). What hung on
    /// the session goes on with it.
    private mutating func renew(_ old: Int) -> Int {
        let fresh = begin(
            Session(
                createdAt: now, seenAt: now, held: sessions[old].held, flows: sessions[old].flows,
                added: sessions[old].added))
        sessions[old].isGone = true
        return fresh
    }

    func isPending(_ flow: Int) -> Bool { !flows[flow].isEnded && now - flows[flow].begunAt < Span.flow }

    mutating func forgetFlow(_ browser: Int, _ answer: String) -> String {
        browsers[browser].flow = nil
        return answer
    }

    func known(_ browser: Int, _ address: Int) -> Int? {
        guard let number = browsers[browser].known[address], let it = known[number], it.address == address,
            it.endsAt > now
        else { return nil }
        return number
    }

    // MARK: Codes

    /// docs/threat-model.md, "Codes": six digits, ten minutes, bound to the browser that asked, used once; five wrong ones end
    /// it, and 20 in a day pause the account for this kind of browser.
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

    /// Counts a guess before it is compared. Whether it is compared.
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

    /// A proof of the address signs its owner in, once.
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
        let number = known(browser, address)
        if !accounts[account].hasMailbox { proveFirst(account, session) }
        return signIn(account, browser, session, flow, isStrong: false, remember, knows: address, as: number)
    }

    /// The one way from a proof to a session.
    ///
    /// - Parameters:
    ///   - address: for which the browser becomes known.
    ///   - number: under which it was known before.
    mutating func signIn(
        _ account: Int, _ browser: Int, _ session: Int, _ flow: Int?, isStrong: Bool, _ remember: Bool = false,
        knows address: Int?, as number: Int? = nil
    ) -> String {
        accounts[account].hasBegun = true
        endInvitations(of: account)
        if let address {
            let number = number ?? known(browser, address) ?? known.count
            if number == known.count { known.append(nil) }
            known[number] = (address, now + Span.knownBrowser)
            browsers[browser].known[address] = number
        }
        let before = sessions[session].signIn
        // Never before the moment that the flow asks for.
        let asked = flow.flatMap { sessions[session].flows.contains($0) && !flows[$0].isEnded ? flows[$0].since : nil }
        let user = SignIn(
            account: account, at: max(now, asked ?? now), signOuts: accounts[account].signOuts, isStrong: isStrong)
        let fresh = begin(
            Session(
                createdAt: now, seenAt: now, isRemembered: remember, signIn: user, flows: sessions[session].flows))
        sessions[session].isGone = true
        if before != nil { follow(session, to: fresh, account) }
        browsers[browser].session = fresh
        browsers[browser].signedIn = fresh
        browsers[browser].hasForm = false
        return goOn(browser, fresh, flow)
    }

    /// docs/protocol.md 7: clients are not told of a new sign-in of the same user in the same browser. Another user's ends what
    /// was there.
    private mutating func follow(_ old: Int, to fresh: Int, _ account: Int) {
        for index in signIns.indices
        where signIns[index].session == old && signIns[index].account == account && signIns[index].endedAt == nil {
            signIns[index].session = fresh
        }
        end(.one(old), "signed_out")
    }

    /// Where a user goes who is signed in: to what the sign-in was for, or home.
    mutating func goOn(_ browser: Int, _ session: Int, _ flow: Int?) -> String {
        browsers[browser].flow = nil
        guard let flow else { return "home" }
        guard sessions[session].flows.contains(flow) else { return "no such flow" }
        guard isPending(flow) else { return "flow over" }
        guard let user = sessions[session].signIn, meets(flow, user) else {
            browsers[browser].flow = flow
            return "sign-in"
        }
        flows[flow].isEnded = true
        guard isServed(flows[flow].client) else { return "unknown client" }
        // The client may need more by now.
        if clients[flows[flow].client].isStrict, !user.isStrong {
            let next = Flow(client: flows[flow].client, begunAt: now, isStrong: true)
            beginFlow(next, browser, session)
            return "sign-in"
        }
        return enter(session, flows[flow].client, isStrong: flows[flow].isStrong)
    }

    // MARK: Sessions

    mutating func look(_ browser: Int) -> String {
        let session = use(browser)
        return signIn(session).map { "signed in as \(accounts[$0.account].address)" } ?? "signed out"
    }

    /// A session that another one has replaced has ended, also for somebody who has kept its id.
    mutating func lookEarlier(_ browser: Int) -> String {
        guard let session = browsers[browser].earlier else { return "nothing" }
        if holds(session), now - sessions[session].seenAt >= Span.minute { sessions[session].seenAt = now }
        return signIn(session).map { "signed in as \(accounts[$0.account].address)" } ?? "signed out"
    }

    /// docs/threat-model.md, "The link in the email": it signs in only where it was asked for, or in a browser that is known for
    /// the address. A GET changes nothing.
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
        endOthers(session, signIn)
        return "ends"
    }

    mutating func endOthers(_ session: Int, _ user: SignIn) {
        accounts[user.account].signOuts += 1
        end(.others(user.account, keeping: session), "signed_out")
        for index in grants.indices where grants[index].session == session && grants[index].signOuts == user.signOuts {
            grants[index].signOuts += 1
        }
        sessions[session].signIn?.signOuts += 1
        sessions[session].seenAt = now
    }

    /// Ends the session of another browser of the same user.
    mutating func endSession(_ browser: Int, _ other: Int) -> String {
        guard let session = use(browser), let signIn = signIn(session) else { return "signed out" }
        guard let ended = browsers[other].signedIn else { return "nothing" }
        sessions[session].seenAt = now
        guard live(ended)?.account == signIn.account else { return "not there" }
        sessions[ended].isGone = true
        end(.one(ended), "signed_out")
        return "ends"
    }

    mutating func signOut(_ browser: Int) -> String {
        guard let session = use(browser), signIn(session) != nil else { return "signed out" }
        sessions[session].isGone = true
        browsers[browser].session = nil
        browsers[browser].hasForm = false
        end(.one(session), "signed_out")
        return "signs out"
    }
}
