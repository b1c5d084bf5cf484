public import Foundation

/// Connects web view, system browser and links from outside, as a value without time, threads or user interface.
///
/// The app reports events and carries out the actions that come back, in order. What the machine guarantees:
/// - After a 401 the user signs in, and then the page that asked is opened again, once.
/// - Links that arrive before the web view is ready, or during a sign-in, wait in order. No link is lost.
/// - A result of the browser counts only if this app asked for it. Only the newest request counts.
/// - An app that was ended meanwhile continues with the stored request (`restoring`), or the user gets a clear text.
///
/// Keep one machine per app, on the main actor.
public struct SignInMachine: Sendable {
    /// Where the browser session is.
    enum Browser: Sendable, Hashable {
        case closed
        /// The server's page that leads to the identity provider is loading.
        case starting(URL)
        case open
        /// The web view opens this URL to take the result.
        case redeeming(URL)
    }

    public let configuration: NativeConfiguration
    let policy: LinkPolicy
    var isReady = false
    var isSignInShown = false
    var browser = Browser.closed
    var pending: BrowserRequest?
    /// The request was stored by an earlier process, and nothing came of it so far.
    private var isRestored: Bool
    /// Links that wait, in the order in which they arrived.
    var queue: [URL] = []
    /// Pages that got a 401, to open after the sign-in.
    var retries: [URL] = []
    /// Pages opened again after a sign-in. A second 401 there is a problem and no reason to start over.
    var retried: Set<URL> = []
    /// The callback that another page's end counted as taken. A late failure still has its text.
    var redeemed: URL?
    /// A callback is the first URL that the web view gets: the start page, which the navigator opens by itself, may still
    /// report its end.
    var isStarting = false

    /// - Parameter restoring: what ``SecretStore/browserRequest()`` returned at launch.
    public init(_ configuration: NativeConfiguration, restoring pending: BrowserRequest? = nil) {
        self.configuration = configuration
        self.pending = pending
        isRestored = pending != nil
        policy = LinkPolicy(configuration)
    }

    /// Whether links wait for the end of a sign-in.
    public var isSigningIn: Bool { isSignInShown || browser != .closed }

    /// Decides about a URL in the web view: as ``LinkPolicy``, but the URL that takes a result passes, because the
    /// machine itself ordered it.
    public func decide(_ url: URL) -> LinkPolicy.Decision {
        if case .redeeming(url) = browser { return .webView }
        return policy.decide(url)
    }

    /// Takes an event and returns what to do now.
    public mutating func handle(_ event: SignInEvent, at now: Date = Date()) -> [SignInAction] {
        switch event {
        case .webViewReady: return webViewReady(at: now)
        case .webViewLost:
            isReady = false
            return []
        case .linkOpened(let url): return linkOpened(url, at: now)
        case .pageRequested(let url): return pageRequested(url, at: now)
        case .pageShown(let url): return pageShown(url)
        case .unauthorized(let url): return unauthorized(url, at: now)
        case .pageFailed(let url, let status): return pageFailed(url, status: status)
        case .signInRequested(let method): return startSignIn(method: method, at: now)
        case .signInDismissed:
            guard isSignInShown else { return [] }
            isSignInShown = false
            if browser == .closed { retries = [] }
            return released()
        case .callback(let url, let session): return callback(url, session: session, at: now)
        case .browserSessionCancelled(let session):
            guard pending?.id == session, browser == .open else { return [] }
            return endBrowserSession()
        case .returnedWithoutResult:
            guard browser == .open else { return [] }
            return closeBrowser()
        }
    }

    // MARK: Links

    private mutating func webViewReady(at now: Date) -> [SignInAction] {
        defer { isRestored = false }
        isReady = true
        if case .redeeming(let url) = browser {
            isStarting = true
            return [.load(url)]
        }
        // Ended meanwhile, and no result so far: the pages that asked open again. A result may still come.
        if isRestored, let pending { queue = pending.retries.filter { !queue.contains($0) } + queue }
        return released()
    }

    private mutating func linkOpened(_ url: URL, at now: Date) -> [SignInAction] {
        if configuration.callback.parameters(of: url) != nil { return callback(url, session: nil, at: now) }
        guard case .webView = policy.decideOutside(url) else {
            guard case .ignore(let reason) = policy.decideOutside(url) else { return [] }
            return [.ignored(reason)]
        }
        var actions: [SignInAction] = []
        // A browser session that never reported its end must not hold links back for ever.
        if isSigningIn, pending?.hasExpired(at: now) == true { actions = endBrowserSession() }
        // A link from the email belongs to the browser that asked for it.
        if browser == .open, isSignInLink(url) { return actions + [.openSystemBrowser(url)] }
        queue.append(url)
        return actions + released()
    }

    /// The waiting links, unless they have to wait on.
    mutating func released() -> [SignInAction] {
        guard isReady, browser == .closed else { return [] }
        // The sign-in page of the web view waits for the link from the email.
        let released = isSignInShown ? queue.filter(isSignInLink) : queue
        queue.removeAll(where: released.contains)
        return released.map(SignInAction.load)
    }

    private func isSignInLink(_ url: URL) -> Bool {
        LinkParts(url)?.plainPath?.hasPrefix(ServerPath.signInLink) == true
    }

    // MARK: Pages

    private mutating func pageRequested(_ url: URL, at now: Date) -> [SignInAction] {
        var isStarting = false
        if case .starting = browser { isStarting = true }
        switch decide(url) {
        case .webView: return []
        case .systemBrowser(let url): return [.openSystemBrowser(url)] + (isStarting ? abandon() : [])
        case .browserSession(let url): return openBrowserSession(url, at: now)
        case .reset: return signedIn()
        case .ignore(let reason):
            return [.ignored(reason)] + (isStarting ? [.showError(.failed)] + abandon() : [])
        }
    }

    private mutating func pageShown(_ url: URL) -> [SignInAction] {
        let path = LinkParts(url)?.plainPath
        guard let origin = WebOrigin(url), origin == configuration.server else { return [] }
        if path == ServerPath.reset { return signedIn() }
        // Hotwire Native reports the URL that it asked for, not where the redirect led.
        if case .identityProvider = configuration.role, case .redeeming(url) = browser { return signedIn() }
        retried.remove(url)
        if case .redeeming(let address) = browser, case .relyingParty = configuration.role {
            return partnerPageShown(url, address)
        }
        if path == ServerPath.complete, isSignInShown {
            // The user went on from the 401 page itself. The flow that asked is complete: do not start it again.
            isSignInShown = false
            retries.removeAll { LinkParts($0)?.plainPath == ServerPath.authorize }
            queue = retries + queue
            retries = []
            return released()
        }
        return []
    }

    private mutating func unauthorized(_ url: URL, at now: Date) -> [SignInAction] {
        if case .redeeming(let address) = browser, sameAddress(url, address) { return pageFailed(url, status: 401) }
        if let redeemed, sameAddress(url, redeemed) { return pageFailed(url, status: 401) }
        guard case .webView = policy.decide(url) else { return [] }
        if retried.remove(url) != nil { return [.showError(.stillSignedOut)] + abandon() }
        if !retries.contains(url) { retries.append(url) }
        if isSigningIn {
            guard browser == .open, pending != nil else { return [] }
            pending?.retries = retries
            return [.setPending(pending)]
        }
        switch (configuration.role, configuration.signIn) {
        case (.relyingParty, _): return loadStart(returningTo: url)
        case (.identityProvider, .browser(let method)): return startHandoff(method: method, at: now)
        case (.identityProvider, .page):
            guard let page = configuration.server.address(ServerPath.signIn) else { return [] }
            isSignInShown = true
            return [.showSignIn(page)]
        }
    }

    private mutating func pageFailed(_ url: URL, status: Int?) -> [SignInAction] {
        retried.remove(url)
        switch browser {
        case .redeeming(let address) where sameAddress(url, address):
            return [.showError(status == nil ? .noConnection : .refused)] + abandon()
        case .starting(let address) where sameAddress(url, address):
            return [.showError(status == nil ? .noConnection : .failed)] + abandon()
        default:
            guard let address = redeemed, sameAddress(url, address) else { return [] }
            redeemed = nil
            return [.showError(status == nil ? .noConnection : .refused)]
        }
    }

    /// The web view has the session: `/reset_app` is on the screen.
    private mutating func signedIn() -> [SignInAction] {
        var actions: [SignInAction] = []
        if let pending {
            if browser == .open { actions.append(.closeBrowserSession(pending.id)) }
            actions.append(.setPending(nil))
        }
        (pending, browser, isSignInShown) = (nil, .closed, false)
        queue = retries + queue
        retried = Set(retries)
        retries = []
        return actions + [.reset] + released()
    }

    /// Gives the sign-in up. Waiting links continue, the pages that asked for it do not.
    mutating func abandon() -> [SignInAction] {
        (browser, isSignInShown, retries) = (.closed, false, [])
        return released()
    }

    /// A fragment or a normalised query does not make another page of it, nor does the slash of an empty path.
    func sameAddress(_ one: URL, _ other: URL) -> Bool {
        func path(_ url: URL) -> String? { LinkParts(url)?.plainPath.map { $0.isEmpty ? "/" : $0 } }
        return WebOrigin(one) == WebOrigin(other) && path(one) == path(other)
    }

    /// Loads the page of a relying party's server that leads to its identity provider. It makes state and verifier.
    mutating func loadStart(returningTo url: URL?) -> [SignInAction] {
        let parts = url.flatMap { LinkParts($0) }
        let path = (parts?.path.isEmpty == false ? parts?.path : nil) ?? "/"
        let query = parts?.query.map { "?" + $0 } ?? ""
        guard let start = configuration.server.address(ServerPath.start, query: [("return_to", path + query)]) else {
            return []
        }
        browser = .starting(start)
        return [.load(start)]
    }
}
