import Hummingbird
import IdPDirectory
import SSOShared
import SSOWeb

/// Limits the sign-ins for clients that one session begins, and that visitors of one network begin in sessions they have.
///
/// Each is written into the session's row, in the one transaction that all writers share: without the limit one visitor with one
/// cookie holds up the sign-ins of all users. A user who is signed in goes on, whatever was begun before.
struct FlowLimit: Sendable {
    /// A user who opens a folder of bookmarks begins as many at once.
    static let count = 30
    static let span: Duration = .minutes(1)

    private let sessions: RateLimit
    private let networks: NewSessionLimit

    /// - Parameter networks: a count of its own, which is as large as that of new sessions.
    init(networks: NewSessionLimit, clock: ServiceClock) {
        sessions = RateLimit(Self.count, per: Self.span, clock: clock)
        self.networks = networks
    }

    /// Counts a request that may begin a flow, before the writer is asked for it.
    ///
    /// - Parameter isSignedIn: asked only where the limit is reached.
    /// - Returns: whether it was counted, so that ``giveBack(_:)`` may follow.
    /// - Throws: ``PublicError`` 429 for a visitor over one of the limits.
    func count(
        _ session: SessionID, _ request: Request, _ context: VisitorContext,
        isSignedIn: () async throws -> Bool
    ) async throws -> Bool {
        let wait = sessions.hit(session.digest)
        guard wait != nil || networks.isFull(request, context) else { return true }
        if try await isSignedIn() { return wait == nil }
        if let wait { throw FlowError.tooMany(wait) }
        // Known browsers have a count of their own, so that a visitor of the same network cannot keep them out.
        try await networks.count(request, context)
        return true
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
