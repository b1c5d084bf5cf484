/// What users do in their browsers.
extension Model {
    /// The sign-in page, and the address that is typed there.
    mutating func ask(_ browser: Int, _ address: Int) -> String {
        if let elsewhere = leaves(browser) { return elsewhere }
        let (session, flow) = (session(of: browser), browsers[browser].flow)
        sessions[session].seenAt = now
        // The page asks for what is missing alone.
        if let flow, let user = signIn(session), flows[flow].isStrong, !user.isStrong { return "no email field" }
        let asksMore = flow.map { flows[$0].since != nil || flows[$0].isStrong } ?? false
        let keeps = asksMore && sessions[session].signIn != nil
        let fresh = keeps ? session : renew(session)
        (browsers[browser].session, browsers[browser].hasForm, browsers[browser].asked) = (fresh, true, address)
        queueCode(browser, address, in: fresh, flow)
        return "code page"
    }

    /// A visitor gets a new id with the first step (docs/threat-model.md, "Sessions and pages": session fixation). What hung on
    /// the session goes on with it.
    private mutating func renew(_ old: Int) -> Int {
        sessions[old].isGone = true
        let it = sessions[old]
        return sessions.add(Session(createdAt: now, seenAt: now, held: it.held, flows: it.flows, added: it.added))
    }

    // MARK: Codes and links

    /// docs/threat-model.md, "Codes": six digits, ten minutes, bound to the browser that asked, used once; five wrong ones end
    /// it, and 20 in a day pause the account for this kind of browser.
    ///
    /// - Parameter codes: by address, the challenge whose code is typed.
    mutating func type(_ browser: Int, _ codes: [Int: Int], remember: Bool) -> String {
        guard let session = use(of: browser) else { return "sign-in" }
        let flow = browsers[browser].flow
        if let done = passes(browser, flow) {
            browsers[browser].hasForm = browsers[browser].flow != nil
            return done
        }
        guard let current = sessions[session].held.last?.challenge, !challenges[current].isDeleted else {
            return "sign-in"
        }
        guard guess(current), codes[challenges[current].address] == current else { return "refused" }
        let answer = signInBy(current, browser, session, flow, remember: remember)
        // The right one is no wrong guess, unless its account may not sign in any more.
        if answer != "may not" { guesses.removeLast() }
        return answer
    }

    /// Counts a guess before it is compared. Whether it is compared.
    private mutating func guess(_ challenge: Int) -> Bool {
        let it = challenges[challenge]
        guard let due = it.emailAt, due <= now else { return false }
        let ofDay = guesses.filter { $0.address == it.address && $0.known == it.known && $0.at > now - Span.day }
        if ofDay.count >= 20, ofDay.contains(where: { $0.at > now - Span.hour }) { return false }
        guard it.waits(at: now) else { return false }
        challenges[challenge].tries += 1
        guesses.append((it.address, it.known, now))
        return true
    }

    /// docs/threat-model.md, "The link in the email": it signs in only where it was asked for, or in a browser that is known for
    /// the address. A GET changes nothing.
    mutating func link(_ browser: Int, _ challenge: Int) -> String {
        let session = use(of: browser)
        let (it, here) = (challenges[challenge], session.map { sessions[$0] })
        guard !it.isUsed, !it.isDeleted, it.expiresAt > now else { return "no button" }
        let isAsking = here?.held.contains { $0.challenge == challenge } == true
        let flow = it.flow.flatMap { here?.flows.contains($0) == true ? $0 : nil }
        if isAsking, let done = passes(browser, flow) { return done }
        let isSignedIn = signIn(session).map { accounts[$0.account].address } == it.address
        guard isAsking || known(browser, it.address) != nil && !isSignedIn else { return "no button" }
        return signInBy(challenge, browser, self.session(of: browser), flow)
    }

    /// A proof of the address signs its owner in, once.
    private mutating func signInBy(
        _ challenge: Int, _ browser: Int, _ session: Int, _ flow: Int?, remember: Bool = false
    ) -> String {
        let it = challenges[challenge]
        guard it.isEligible, !it.isUsed, it.expiresAt > now else { return "refused" }
        guard mayBeUsed(it.address) else { return "may not" }
        challenges[challenge].isUsed = true
        let account = account(of: it.address) ?? accounts.add(Account(address: it.address))
        return signIn(account, by: .email, browser, session, flow, remember: remember)
    }

    // MARK: Sessions

    enum Method { case email, passkey, printedLink }

    /// The one way from a proof to a session. The browser becomes known, unless an operator has printed the link.
    mutating func signIn(
        _ account: Int, by method: Method, _ browser: Int, _ session: Int, _ flow: Int?, remember: Bool = false
    ) -> String {
        let address = accounts[account].address
        let number = known(browser, address)
        if method == .email, !accounts[account].hasMailbox { proveFirst(account, session) }
        (accounts[account].hasBegun, accounts[account].invitedUntil) = (true, nil)
        if method != .printedLink {
            let number = number ?? known.add(nil)
            known[number] = (address, now + Span.knownBrowser)
            browsers[browser].known[address] = number
        }
        // Never before the moment that the flow asks for.
        let asked = flow.flatMap { sessions[session].flows.contains($0) && !flows[$0].isEnded ? flows[$0].since : nil }
        let user = SignIn(
            account: account, at: max(now, asked ?? now), signOuts: accounts[account].signOuts,
            isStrong: method == .passkey)
        sessions[session].isGone = true
        let fresh = sessions.add(
            Session(
                createdAt: now, seenAt: now, isRemembered: remember, signIn: user, flows: sessions[session].flows))
        follow(session, to: fresh, account)
        (browsers[browser].session, browsers[browser].signedIn, browsers[browser].hasForm) = (fresh, fresh, false)
        return goOn(browser, fresh, flow)
    }

    /// docs/protocol.md 7: clients are not told of a new sign-in of the same user in the same browser. Another user's ends what
    /// was there.
    private mutating func follow(_ old: Int, to fresh: Int, _ account: Int) {
        for (index, it) in signIns.enumerated() where it.session == old && it.account == account && it.endedAt == nil {
            signIns[index].session = fresh
        }
        end(.one(old), "signed_out")
    }

    func known(_ browser: Int, _ address: Int) -> Int? {
        browsers[browser].known[address].flatMap { number in
            known[number].flatMap { $0.address == address && $0.endsAt > now ? number : nil }
        }
    }

    /// Who is signed in. A session that another one has replaced has ended, also for somebody who has kept its id.
    mutating func look(_ session: Int?) -> String {
        signIn(use(session)).map { "signed in as \(accounts[$0.account].address)" } ?? "signed out"
    }

    mutating func signOut(_ browser: Int) -> String {
        guard let session = use(of: browser), signIn(session) != nil else { return "signed out" }
        sessions[session].isGone = true
        (browsers[browser].session, browsers[browser].hasForm) = (nil, false)
        end(.one(session), "signed_out")
        return "signs out"
    }

    /// Ends another session of the same user.
    mutating func endSession(_ browser: Int, _ ended: Int?) -> String {
        guard let session = use(of: browser), let user = signIn(session) else { return "signed out" }
        guard let ended else { return "nothing" }
        sessions[session].seenAt = now
        guard live(ended)?.account == user.account else { return "not there" }
        sessions[ended].isGone = true
        end(.one(ended), "signed_out")
        return "ends"
    }

    mutating func endOthers(_ browser: Int) -> String {
        guard let session = use(of: browser), let user = signIn(session) else { return "signed out" }
        endOthers(session, user)
        return "ends"
    }

    /// Ends every other sign-in of the user. What clients have from this session goes on.
    mutating func endOthers(_ session: Int, _ user: SignIn) {
        accounts[user.account].signOuts += 1
        end(.others(user.account, keeping: session), "signed_out")
        for (index, it) in grants.enumerated() where it.session == session && it.signOuts == user.signOuts {
            grants[index].signOuts += 1
        }
        sessions[session].signIn?.signOuts += 1
        sessions[session].seenAt = now
    }
}
