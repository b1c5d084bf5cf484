import Foundation

/// The browser session: opening it, and taking its result.
extension SignInMachine {
    /// A link of the web view that needs the system browser.
    mutating func openBrowserSession(_ url: URL, at now: Date) -> [SignInAction] {
        switch configuration.role {
        case .identityProvider:
            guard let path = LinkParts(url)?.plainPath, let method = ServerPath.method(of: path) else { return [] }
            return startHandoff(method: method, at: now)
        case .relyingParty:
            // The state comes from the server, and the web view has its cookie.
            let states = LinkParts.values(of: LinkParts(url)?.query)?.filter { $0.name == "state" } ?? []
            guard states.count == 1, let state = states.first?.value, !state.isEmpty else {
                return [.ignored(.malformed)]
            }
            return open(url, proof: .state(state), at: now)
        }
    }

    mutating func startSignIn(method: String, at now: Date) -> [SignInAction] {
        switch configuration.role {
        case .identityProvider: startHandoff(method: method, at: now)
        case .relyingParty: loadStart(returningTo: nil)
        }
    }

    /// Makes a new challenge for it. A session that is open already ends: only the newest counts.
    mutating func startHandoff(method: String, at now: Date) -> [SignInAction] {
        let request = HandoffRequest(configuration)
        guard let url = request.startURL(method: method) else { return [.ignored(.malformed)] }
        return open(url, proof: .verifier(request.verifier), at: now)
    }

    private mutating func open(_ url: URL, proof: BrowserRequest.Proof, at now: Date) -> [SignInAction] {
        var actions: [SignInAction] = []
        if let pending, browser == .open { actions.append(.closeBrowserSession(pending.id)) }
        let started = BrowserRequest(startedAt: now, proof: proof, retries: retries)
        pending = started
        browser = .open
        return actions + [.setPending(started), .openBrowserSession(url, session: started.id)]
    }

    mutating func callback(_ url: URL, session: UUID?, at now: Date) -> [SignInAction] {
        guard configuration.callback.parameters(of: url) != nil else { return [.ignored(.notForThisApp)] }
        // Taken already: the same callback twice, or a forged one. The first result decides.
        if case .redeeming = browser { return [.ignored(.callback)] }
        guard let pending else { return [.showError(.notStartedHere)] + released() }
        if let session, session != pending.id { return [.ignored(.callback)] }
        guard !pending.hasExpired(at: now) else { return [.showError(.expired)] + endBrowserSession() }
        switch pending.proof {
        case .verifier(let verifier): return handoffCallback(url, verifier, session)
        case .state(let state): return partnerCallback(url, state)
        }
    }

    private mutating func handoffCallback(_ url: URL, _ verifier: CodeVerifier, _ session: UUID?) -> [SignInAction] {
        switch Result(catching: { () throws(HandoffCallback.ParseError) in
            try HandoffCallback.parse(url, configuration)
        }) {
        case .failure: return [.showError(.unreadable)] + abandon()
        case .success(.error(let error)):
            let shown: [SignInAction] = error == "access_denied" ? [] : [.showError(.failed)]
            // Any page and any app can open a link with an error: without the id of the session it ends no request.
            return shown + (session == nil ? closeBrowser() : endBrowserSession())
        case .success(.code(let code, _)):
            let request = HandoffRequest(configuration, verifier: verifier)
            guard let address = request.signInURL(code: code) else { return [] }
            return redeem(address)
        }
    }

    private mutating func partnerCallback(_ url: URL, _ state: String) -> [SignInAction] {
        guard let result = try? PartnerCallback.parse(url, configuration) else {
            return [.showError(.unreadable)] + abandon()
        }
        // Of an older request, or forged. The open one goes on.
        guard result.state == state else { return [.ignored(.callback)] }
        // Also for an error: the server's page explains it, and ends the request there.
        return redeem(result.url)
    }

    /// Opens the result in the web view. It stays stored until the web view has the session, so that a lost connection
    /// or a code of an older request does not end the newer one.
    private mutating func redeem(_ url: URL) -> [SignInAction] {
        let stored = pending?.retries ?? []
        retries = stored + retries.filter { !stored.contains($0) }
        browser = .redeeming(url)
        (redeemed, isStarting) = (nil, false)
        // The relying party's server goes on to the first of them by itself.
        if case .relyingParty = configuration.role, let first = retries.first { retried.insert(first) }
        return isReady ? [.load(url)] : []
    }

    /// A page of a relying party's app, while the callback loads. The end of another page says nothing about it.
    mutating func partnerPageShown(_ url: URL, _ address: URL) -> [SignInAction] {
        if !sameAddress(url, address) {
            // The server leads from the callback to the page that asked first.
            guard isReady, sameAddress(url, retries.first ?? configuration.startPage) else { return [] }
            if isStarting, sameAddress(url, configuration.startPage) {
                isStarting = false
                return []
            }
            redeemed = address
        }
        browser = .closed
        pending = nil
        isSignInShown = false
        let others = retries.dropFirst()
        retries = []
        retried.formUnion(others)
        queue = others + queue
        return [.setPending(nil)] + released()
    }

    /// Takes the browser for closed. The stored request keeps its pages, and its result still counts when it comes.
    mutating func closeBrowser() -> [SignInAction] {
        browser = .closed
        if !isSignInShown { retries = [] }
        return released()
    }

    /// Ends the session without a result. Links that waited continue.
    mutating func endBrowserSession() -> [SignInAction] {
        pending = nil
        browser = .closed
        if !isSignInShown { retries = [] }
        return [.setPending(nil)] + released()
    }
}
