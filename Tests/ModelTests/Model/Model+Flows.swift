/// The requests of clients in a browser.
extension Model {
    /// docs/protocol.md 2: what becomes of a request of a client.
    mutating func authorize(_ browser: Int, _ client: Int, _ wish: Operation.Wish) -> String {
        // Before the session is looked at.
        guard isServed(client) else { return "unknown client" }
        // Every page counts as a use.
        let session = use(of: browser)
        let since: Int? =
            switch wish {
            // Not the sign-in of before, also where its moment is still to come.
            case .login: max(now, session.flatMap { sessions[$0].signIn }.map { $0.at + 1 } ?? now)
            case .fresh: now - Span.minute
            case .none, .silent, .strong: nil
            }
        let flow = Flow(
            client: client, begunAt: now, since: since, isStrong: clients[client].isStrict || wish == .strong)
        if let session, let user = signIn(session), meets(flow, user) {
            return enter(session, user, flow, isSilent: wish == .silent)
        }
        if wish == .silent { return "error login_required" }
        browsers[browser].flow = begin(flow, self.session(of: browser))
        return "sign-in"
    }

    /// At most eight wait in a session for each client protocol.
    @discardableResult
    mutating func begin(_ flow: Flow, _ session: Int) -> Int {
        let new = flows.add(flow)
        sessions[session].flows.append(new)
        sessions[session].seenAt = now
        let pending = sessions[session].flows.filter { !flows[$0].isEnded && flows[$0].isOpenID == flow.isOpenID }
        for old in pending.dropLast(8) { flows[old].isEnded = true }
        return new
    }

    /// A user who may not enter is asked whether to go on with another account.
    private mutating func enter(_ session: Int, _ user: SignIn, _ flow: Flow, isSilent: Bool = false) -> String {
        let client = flow.client
        guard mayEnter(user.account, client) else {
            if isSilent { return "error access_denied" }
            begin(Flow(client: client, begunAt: now, isStrong: flow.isStrong || clients[client].isStrict), session)
            return "no access"
        }
        grants.append(
            Grant(
                client: client, account: user.account, session: session, signOuts: user.signOuts, at: user.at,
                issuedAt: now, isStrong: user.isStrong))
        return "grant"
    }

    /// Why a sign-in for a flow would lead nowhere.
    func refusal(_ flow: Int, _ session: Int?) -> String? {
        guard let session, sessions[session].flows.contains(flow) else { return "no such flow" }
        return isPending(flow) ? nil : "flow over"
    }

    func isPending(_ flow: Int) -> Bool { !flows[flow].isEnded && now - flows[flow].begunAt < Span.flow }

    /// Where a user goes on who is signed in already; nil for one who has to sign in.
    mutating func passes(_ browser: Int, _ flow: Int?) -> String? {
        guard let session = browsers[browser].session, let user = signIn(session) else { return nil }
        if let flow, refusal(flow, session) == nil, !meets(flows[flow], user) { return nil }
        return goOn(browser, session, flow)
    }

    /// Where the sign-in page sends a browser that has nothing to sign in for.
    mutating func leaves(_ browser: Int) -> String? {
        let (session, flow) = (use(of: browser), browsers[browser].flow)
        if let done = passes(browser, flow) { return done }
        guard let flow, let refusal = refusal(flow, session) else { return nil }
        browsers[browser].flow = nil
        return refusal
    }

    /// Where a user goes who is signed in: to what the sign-in was for, or home.
    mutating func goOn(_ browser: Int, _ session: Int, _ flow: Int?) -> String {
        browsers[browser].flow = nil
        guard let flow else { return "home" }
        if let refusal = refusal(flow, session) { return refusal }
        guard let user = sessions[session].signIn, meets(flows[flow], user) else {
            browsers[browser].flow = flow
            return "sign-in"
        }
        flows[flow].isEnded = true
        let client = flows[flow].client
        guard isServed(client) else { return "unknown client" }
        // The client may need more by now.
        if clients[client].isStrict, !user.isStrong {
            browsers[browser].flow = begin(Flow(client: client, begunAt: now, isStrong: true), session)
            return "sign-in"
        }
        return enter(session, user, flows[flow])
    }
}
