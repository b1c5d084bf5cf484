import SSOShared
import SSOWeb

/// What comes next for a request of a client. Decided once for every client protocol, from ``AuthorizationFacts``.
enum AuthorizationStep: Equatable, Sendable {
    /// The client, or its address, was dropped since its request was checked.
    case unknownClient
    /// The user goes back with a grant.
    case issue
    /// The user has to sign in first, with a proof that is not older than this; nil for any.
    case signIn(since: Timestamp?)
    /// The user is signed in and chooses the account first. Another account has to be proven by a sign-in of that age.
    case choose(since: Timestamp?)
    /// The user is signed in and may not enter the client.
    case noAccess
    /// The client asked for no question, and there would be one.
    case refuse(AuthorizationError)
    /// The session has begun so many flows that the next one has to wait.
    case wait(Duration)

    static func next(_ facts: AuthorizationFacts) -> AuthorizationStep {
        guard facts.isRegistered else { return .unknownClient }
        if facts.mayGetGrant {
            if facts.mayEnter { return .issue }
            if facts.isSilent || facts.isWaiting { return .noAccess }
            return facts.flowsWait.map(wait) ?? .noAccess
        }
        if facts.isSilent {
            let needsQuestion = facts.user.map { $0.isExpected && $0.meetsWishes } ?? false
            return .refuse(needsQuestion ? facts.questionRefusal : .loginRequired)
        }
        if let wait = facts.flowsWait { return .wait(wait) }
        guard let user = facts.user else {
            return .signIn(since: [facts.afterOldSignIn, facts.earliest].compactMap(\.self).max())
        }
        if user.meetsWishes { return .choose(since: nil) }
        // Later than the old sign-in is not enough: a provider may have authenticated its user before the request.
        let since = [facts.afterOldSignIn, facts.earliest].compactMap(\.self).max()
        return facts.prompt == .selectAccount ? .choose(since: since) : .signIn(since: since)
    }
}

/// What the next step of an authorization is decided by. Read in one transaction.
struct AuthorizationFacts: Sendable {
    /// The user who is signed in.
    struct User: Sendable {
        /// Whether the client expects this account, or none in particular.
        var isExpected: Bool
        /// Whether the sign-in is as recent as the client wishes, and as strong as it needs.
        var meetsWishes: Bool
    }

    /// Whether the client, and its address, is still registered.
    var isRegistered = true
    var prompt: SignInWishes.Prompt?
    var user: User?
    /// Whether any program may listen at the return address, and the flow has shown no page yet.
    var isForAnyProgram = false
    /// Whether the user is in a group that may enter. Looked at where ``mayGetGrant`` says so, and for nobody else.
    var mayEnter = true
    /// Whether the session has a flow of this request that waits at the page without access.
    var isWaiting = false
    /// The first moment after a sign-in that is too old; nil for a recent one, and for one whose moment is not proven.
    var afterOldSignIn: Timestamp?
    /// The moment that a sign-in must not be older than; nil if any will do.
    var earliest: Timestamp?
    /// How the protocol calls a question that is not a sign-in.
    var questionRefusal = AuthorizationError.loginRequired
    /// The time until the session may begin another flow; nil if it may now.
    var flowsWait: Duration?

    var isSilent: Bool { prompt == .silent }

    /// Whether the user gets a grant at once, if the client lets the account in.
    var mayGetGrant: Bool {
        guard isRegistered, let user else { return false }
        return user.isExpected && user.meetsWishes && prompt != .selectAccount && !isForAnyProgram
    }
}

extension SignInWishes {
    /// The moment that a sign-in must not be older than; nil when any will do. A provider may have authenticated its user
    /// long before the sign-in here.
    func earliest(now: Timestamp) -> Timestamp? {
        prompt == .login ? now : maxAge.map { now - $0 }
    }

    /// Whether a sign-in is recent enough that its user need not sign in again.
    ///
    /// - Parameter provenAt: when the user was authenticated; nil for a moment that is not proven, which is older than any
    ///   `max_age`.
    func isMet(by provenAt: Timestamp?, now: Timestamp) -> Bool {
        guard prompt != .login else { return false }
        guard let maxAge else { return true }
        return maxAge > .zero && provenAt.map { now - $0 <= maxAge } ?? false
    }
}
