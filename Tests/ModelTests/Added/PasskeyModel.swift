/// The model of passkeys, and of the links that operators print for users who have never signed in.
extension Model {
    struct Passkey: Sendable {
        var account: Int
        /// Whether its key never leaves its device.
        var isHardware: Bool
        /// The counter of its device, and as it was seen last.
        var counted = 0, seen = 0
        var hasAnswered = false, isRemoved = false
        var addedAt = 0
    }

    /// One that an operator has printed.
    struct Link: Sendable {
        var account, endsAt: Int
        var isEnded = false, isUsed = false
    }

    mutating func answerPasskey(_ operation: Operation) -> String {
        switch operation {
        case .addPasskey(let browser, let isHardware): addPasskey(browser, isHardware: isHardware)
        case .usePasskey(let browser, let passkey, let how): usePasskey(browser, passkey, how)
        case .renamePasskey(let browser, let passkey): renamePasskey(browser, passkey)
        case .removePasskey(let browser, let passkey): removePasskey(browser, passkey)
        case .removeFor(let address, let passkey): removeFor(address, passkey).rawValue
        case .forgetPasskeys: forgetPasskeys().rawValue
        case .printLink(let address): printLink(address).rawValue
        case .withdrawLink(let address): withdrawLink(address).rawValue
        case .useLink(let browser, let link): useLink(browser, link)
        default: "no such step"
        }
    }

    /// docs/threat-model.md, "Passkeys": no weaker way adds or removes a stronger one. A sign-in of the last ten minutes, and by
    /// a passkey where the account has one.
    func mayChangeWays(_ user: SignIn, age: Int = 10 * Span.minute) -> Bool {
        now - user.at <= age && (user.isStrong || !hasPasskey(user.account))
    }

    func hasPasskey(_ account: Int) -> Bool { passkeys.contains { $0.account == account && !$0.isRemoved } }

    func passkey(_ back: Int, of account: Int? = nil) -> Int? {
        Self.newest(back, of: passkeys.count).flatMap {
            account == nil || passkeys[$0].account == account && !passkeys[$0].isRemoved ? $0 : nil
        }
    }

    mutating func addPasskey(_ browser: Int, isHardware: Bool) -> String {
        guard let session = use(of: browser), let user = signIn(session), mayChangeWays(user) else { return "sign-in" }
        sessions[session].seenAt = now
        passkeys.append(Passkey(account: user.account, isHardware: isHardware, addedAt: now))
        notify(user.account, isAlwaysTold: true)
        record("passkey_added", account: user.account)
        // A client waits for a user who had no passkey.
        guard !user.isStrong, let waiting = sessions[session].flows.last(where: { flows[$0].isStrong && isPending($0) })
        else { return "added" }
        browsers[browser].flow = waiting
        return "added for a client"
    }

    /// docs/protocol.md 2: a sign-in by passkey is `phr`. Its challenge is used once. A counter that does not grow shows a copy
    /// of a key that never leaves its device (WebAuthn Level 3, 6.1.1): it signs nobody in, and its owner is told. Password
    /// managers copy counters.
    mutating func usePasskey(_ browser: Int, _ back: Int, _ how: Operation.Touch) -> String {
        guard let index = passkey(back), how != .replayed || passkeys[index].hasAnswered else { return "nothing" }
        if let elsewhere = leaves(browser) { return elsewhere }
        let (session, flow) = (session(of: browser), browsers[browser].flow)
        sessions[session].seenAt = now
        if let flow, let user = signIn(session), flows[flow].isStrong, !user.isStrong, !hasPasskey(user.account) {
            // Its user has to add one first.
            return "no passkey to ask for"
        }
        guard how != .replayed else { return "refused" }
        if how == .right { passkeys[index].counted += 1 }
        passkeys[index].hasAnswered = true
        let it = passkeys[index]
        guard !it.isRemoved else { return "refused" }
        let isRepeated = it.counted <= it.seen && it.counted + it.seen > 0
        if isRepeated, it.isHardware {
            record("passkey_counter", account: it.account, "device_bound")
            notify(it.account, isAlwaysTold: true)
            return "refused"
        }
        guard maySignIn(it.account) else { return "refused" }
        if isRepeated { record("passkey_counter", account: it.account, "synced") }
        passkeys[index].seen = it.counted
        tellOfBrowser(browser, it.account)
        return signIn(it.account, by: .passkey, browser, session, flow)
    }

    /// docs/users.md: an email tells of a sign-in with a passkey in a browser that was not known, ten times in a day.
    private mutating func tellOfBrowser(_ browser: Int, _ account: Int) {
        let ofDay = notices.filter { $0.account == account && $0.isSignIn && $0.at > now - Span.day }
        guard known(browser, accounts[account].address) == nil, ofDay.count < 10 else { return }
        notices.append(Notice(account: account, at: now, isSignIn: true))
        sent.append("\(accounts[account].address): notice")
    }

    mutating func renamePasskey(_ browser: Int, _ back: Int) -> String {
        changePasskey(browser, back) { model, user, _, passkey in
            model.notify(user.account)
            model.record("passkey_renamed", account: user.account)
            return "renamed"
        }
    }

    /// Another user may have signed in with it: every other sign-in ends. The last identity of an account stays.
    mutating func removePasskey(_ browser: Int, _ back: Int) -> String {
        changePasskey(browser, back) { model, user, session, passkey in
            let isOnly = model.passkeys.count { $0.account == user.account && !$0.isRemoved } == 1
            if isOnly, !model.accounts[user.account].hasMailbox { return "last" }
            model.passkeys[passkey].isRemoved = true
            model.endOthers(session, user)
            model.notify(user.account)
            model.record("passkey_removed", account: user.account, "user")
            return "removed"
        }
    }

    /// A change whose sign-in is too old or too weak waits for a new one.
    private mutating func changePasskey(
        _ browser: Int, _ back: Int, _ change: (inout Model, SignIn, Int, Int) -> String
    ) -> String {
        guard passkey(back) != nil else { return "nothing" }
        guard let session = use(of: browser), let user = signIn(session) else { return "signed out" }
        sessions[session].seenAt = now
        guard mayChangeWays(user) else { return "asks again" }
        guard let passkey = passkey(back, of: user.account) else { return "not there" }
        return change(&self, user, session, passkey)
    }

    /// By an operator, also the last identity.
    mutating func removeFor(_ address: Int, _ back: Int) -> Change {
        guard let account = account(of: address), let passkey = passkey(back, of: account) else { return .refused }
        passkeys[passkey].isRemoved = true
        endAll(of: account, "signed_out")
        record("passkey_removed", account: account, "operator")
        notify(account)
        return .changed
    }

    mutating func forgetPasskeys() -> Change {
        let owners = accounts.indices.filter(hasPasskey)
        for account in owners {
            endPasskeys(of: account, "forgotten")
            endAll(of: account, "signed_out")
            notify(account)
        }
        if !owners.isEmpty { record("passkeys_forgotten") }
        return owners.isEmpty ? .unchanged : .changed
    }

    /// - Parameter start: the moment since which they were added.
    mutating func endPasskeys(of account: Int, _ cause: String, since start: Int = 0) {
        for (index, it) in passkeys.enumerated() where it.account == account && !it.isRemoved && it.addedAt >= start {
            passkeys[index].isRemoved = true
            record("passkey_removed", account: account, cause)
        }
    }

    /// docs/threat-model.md, "Passkeys": the first proof of a mailbox ends what was set up before, unless its user has done that
    /// in this browser, or began by an operator's printed link: then email is one more way, of which the user is told.
    mutating func proveFirst(_ account: Int, _ session: Int) {
        accounts[account].hasMailbox = true
        let isOfLink = links.contains { $0.account == account && $0.isUsed }
        let isOwn = sessions[session].signIn.map { $0.account == account && $0.signOuts == accounts[account].signOuts }
        if isOfLink { return notify(account, isAlwaysTold: true) }
        guard isOwn != true, hasPasskey(account) else { return }
        endPasskeys(of: account, "address_proven")
        forgetBrowsers(accounts[account].address)
        accounts[account].signOuts += 1
        end(.others(account, keeping: nil), "signed_out")
        notify(account)
    }

    /// One that was removed stays so, and one that was added after the backup is lost, as is a link that was.
    mutating func restorePasskeys(_ old: Model) {
        let live = self
        for index in passkeys.indices {
            let account = passkeys[index].account
            let hasAccount = old.accounts.indices.contains(account) && !old.accounts[account].isErased
            let was = old.passkeys.indices.contains(index) && !old.passkeys[index].isRemoved
            let isErased = live.accounts[account].isErased
            if was { passkeys[index].seen = old.passkeys[index].seen }
            passkeys[index].isRemoved = !was || live.passkeys[index].isRemoved && !isErased
            let wasThere = was || !live.passkeys[index].isRemoved
            if wasThere, passkeys[index].isRemoved, hasAccount {
                record("passkey_removed", account: account, "restored")
            }
        }
        for index in links.indices {
            links[index].isEnded = true
            links[index].isUsed = old.links.indices.contains(index) && old.links[index].isUsed
        }
    }

    // MARK: Printed links

    /// docs/threat-model.md, "Users whom an operator adds": only for an account that nobody has signed in to, so that no command
    /// signs an operator in as another user. It gives no right to sign in.
    mutating func printLink(_ address: Int) -> Change {
        if account(of: address) == nil, isNamed(address), !isKept(address) {
            accounts.append(Account(address: address))
        }
        guard let account = lasting(address), maySignIn(account), !accounts[account].hasBegun else { return .refused }
        endLinks(of: account)
        links.append(Link(account: account, endsAt: now + Span.printedLink))
        return record("sign_in_link_made", account: account, "made")
    }

    mutating func withdrawLink(_ address: Int) -> Change {
        guard let account = account(of: address) else { return .refused }
        let isOpen = links.contains { $0.account == account && !$0.isEnded && $0.endsAt > now }
        guard isOpen else { return .unchanged }
        endLinks(of: account)
        return record("sign_in_link_made", account: account, "withdrawn")
    }

    mutating func endLinks(of account: Int) { links.mark(\.isEnded) { $0.account == account } }

    /// Once, within ten minutes, while nobody has signed in. It proves the operator's word, and not the mailbox.
    mutating func useLink(_ browser: Int, _ back: Int) -> String {
        guard let index = Self.newest(back, of: links.count) else { return "nothing" }
        let (it, here) = (links[index], use(of: browser))
        guard !it.isEnded, it.endsAt > now, maySignIn(it.account), !accounts[it.account].hasBegun else { return "over" }
        let session = here ?? session(of: browser)
        (links[index].isEnded, links[index].isUsed) = (true, true)
        record("sign_in_link_used", account: it.account)
        notify(it.account, isAlwaysTold: true)
        _ = signIn(it.account, by: .printedLink, browser, session, nil)
        return "signs in"
    }
}
