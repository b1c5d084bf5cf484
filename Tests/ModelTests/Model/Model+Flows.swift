/// The requests of clients in a browser.
extension Model {
    /// docs/protocol.md 2: what becomes of a request of a client.
    mutating func authorize(_ browser: Int, _ client: Int, _ wish: Operation.Wish) -> String {
        // Every page counts as a use.
        var session = use(browser)
        guard isServed(client) else { return "unknown client" }
        let user = signIn(session)
        let isStrong = clients[client].isStrict || wish == .strong
        var meets =
            switch wish {
            case .none, .silent, .strong: true
            case .login: false
            case .fresh: user.map { now - $0.at <= Span.minute } ?? false
            }
        if isStrong, user?.isStrong != true { meets = false }
        if user != nil, meets, let session {
            return enter(session, client, isSilent: wish == .silent, isStrong: isStrong)
        }
        if wish == .silent { return "error login_required" }
        let earliest: Int? =
            switch wish {
            case .login: now
            case .fresh: now - Span.minute
            case .none, .silent, .strong: nil
            }
        let since: Int? = session.flatMap { sessions[$0].signIn }.flatMap { old in
            (wish == .login || wish == .fresh && now - old.at > Span.minute) ? old.at + 1 : nil
        }
        session = session ?? begin(Session(createdAt: now, seenAt: now))
        guard let session else { return "" }
        browsers[browser].session = session
        beginFlow(
            Flow(
                client: client, begunAt: now, since: [since, earliest].compactMap(\.self).max(), isStrong: isStrong),
            browser, session)
        return "sign-in"
    }

    mutating func beginFlow(_ flow: Flow, _ browser: Int?, _ session: Int) {
        flows.append(flow)
        sessions[session].flows.append(flows.count - 1)
        sessions[session].seenAt = now
        if let browser { browsers[browser].flow = flows.count - 1 }
        let pending = sessions[session].flows.filter { !flows[$0].isEnded && isOpenID($0) == isOpenID(flows.count - 1) }
        for old in pending.dropLast(8) { flows[old].isEnded = true }
    }

    private func isOpenID(_ flow: Int) -> Bool { flows[flow].client == Cast.openID }

    /// - Parameter isStrong: whether the request asks for a sign-in by passkey.
    mutating func enter(_ session: Int, _ client: Int, isSilent: Bool = false, isStrong: Bool) -> String {
        guard let user = signIn(session) else { return "sign-in" }
        guard mayEnter(user.account, client) else {
            if isSilent { return "error access_denied" }
            beginFlow(Flow(client: client, begunAt: now, isStrong: isStrong || clients[client].isStrict), nil, session)
            return "no access"
        }
        grants.append(
            Grant(
                client: client, account: user.account, session: session, signOuts: user.signOuts, at: user.at,
                issuedAt: now, isStrong: user.isStrong))
        return "grant"
    }
}
