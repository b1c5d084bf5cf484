import Hummingbird
import IdPClients
import SSOShared
package import SSOWeb

/// Limits the flows that one session begins, whatever they are for, and that visitors of one network begin in sessions they have.
///
/// Each is written into the session's row, in the one transaction that all writers share: without the limit one visitor with one
/// cookie holds up the sign-ins of all users. Requests that need no sign-in lead to a grant and begin no flow: they go on,
/// whatever was begun before. Those without a question have a count of their own, so that the script of a client that asks
/// again and again keeps no user from signing in.
package struct FlowLimit: Sendable {
    /// A user who opens a folder of bookmarks begins as many at once.
    static let count = 30
    static let span: Duration = .minutes(1)

    private let sessions: RateLimit
    private let silent: RateLimit
    private let networks: NewSessionLimit

    /// - Parameter networks: a count of its own, which is as large as that of new sessions.
    init(networks: NewSessionLimit, clock: ServiceClock) {
        sessions = RateLimit(Self.count, per: Self.span, clock: clock)
        silent = RateLimit(Self.count, per: Self.span, clock: clock)
        self.networks = networks
    }

    /// Counts a flow that a page or form of the program itself begins in a session.
    ///
    /// - Throws: ``PublicError`` 429 over the limit.
    package func count(_ session: Session) throws(PublicError) {
        if let wait = sessions.hit(session.id.digest) { throw FlowError.tooMany(wait) }
    }

    /// Counts a request without a question, before the writer is asked for it.
    ///
    /// - Returns: whether it may go on.
    func countSilent(_ session: SessionID) -> Bool { silent.hit(session.digest) == nil }

    /// Takes back what was counted: the request without a question was answered with a grant.
    func giveBackSilent(_ session: SessionID) { silent.giveBack(session.digest) }

    /// Counts a request that may begin a flow, before the writer is asked for it.
    ///
    /// - Parameter mayEnter: whether its user is signed in and may get a grant at once. Asked only where the limit is reached.
    /// - Returns: nil if it was counted, so that ``giveBack(_:)`` may follow. Otherwise it must begin no flow, and this is the
    ///   time until it may.
    /// - Throws: ``PublicError`` 429 over one of the limits, unless the request may get a grant.
    func count(
        _ session: SessionID, _ request: Request, _ context: VisitorContext, mayEnter: () async throws -> Bool
    ) async throws -> Duration? {
        let wait = sessions.hit(session.digest)
        guard wait != nil || networks.isFull(request, context) else { return nil }
        if try await mayEnter() { return wait }
        if let wait { throw FlowError.tooMany(wait) }
        // Known browsers have a count of their own, so that a visitor of the same network cannot keep them out.
        try await networks.count(request, context)
        return nil
    }

    /// Counts a flow that a visitor has begun for the network.
    ///
    /// - Throws: ``PublicError`` 429 over the limit.
    func countVisitor(_ request: Request, _ context: VisitorContext) async throws {
        try await networks.count(request, context)
    }

    /// Takes back what was counted: the request has begun no flow.
    func giveBack(_ session: SessionID) { sessions.giveBack(session.digest) }
}
