package import Hummingbird
package import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb

/// The session slot of pending flows: at most eight of each purpose, ten minutes each, each taken once. It also keeps whose
/// an ended flow was, so that a user who comes back to one learns where to start again.
///
/// Each flow has an id of its own: with a single place the second tab would overwrite the first one's request.
package struct Flows: SessionSlot {
    package static let key = "flows"
    package static let survivesSignIn = true

    /// As long as the code in the email is valid.
    package static let lifetime: Duration = .minutes(10)
    /// No user signs in to more services at once. More flows come from a page that opens windows.
    package static let maximumPerPurpose = 8
    /// Twice as many as can be pending of one purpose, so that none of those is forgotten when all of them end.
    static let maximumEnded = 16
    /// Bytes of one payload: a request of the gate with the longest address of a page. One of OpenID Connect has 5 KiB.
    static let maximumPayload = 9 * 1024
    /// Bytes of all payloads of a session.
    static let maximumPayloads = 16 * 1024
    /// Bytes of the whole slot as it is stored. JSON doubles quotation marks and backslashes, and an ended flow keeps its
    /// return address: without this bound a visitor has a row of 80 KB, which each request reads and writes.
    static let maximumStored = 18 * 1024

    /// Oldest first. The order, and not a time, says which is older: the clock may step back.
    private(set) var all: [Flow] = []
    /// Newest last.
    private(set) var ended: [EndedFlow] = []

    package init() {}

    init(all: [Flow], ended: [EndedFlow]) { (self.all, self.ended) = (all, ended) }

    // MARK: Looking

    /// A flow that has not been ended, however old it is.
    package func flow(_ id: FlowID?) -> Flow? { id.flatMap { id in all.first { $0.id == id } } }

    /// A flow that can still lead on; nil for one that has ended, is too old or never was.
    package func pending(_ id: FlowID?, now: Timestamp) -> Flow? {
        flow(id).flatMap { now - $0.begunAt < Self.lifetime ? $0 : nil }
    }

    /// The newest pending flow, whatever it is for.
    package func newest(now: Timestamp) -> FlowID? { all.last { pending($0.id, now: now) != nil }?.id }

    /// The pending flow of the same request, as after a reload, that a sign-in of any age will do for. Nil without one, and for a request
    /// without a replay key.
    package func pending(_ request: Flow.Request, now: Timestamp) -> FlowID? {
        guard let key = request.replayKey else { return nil }
        return all.last {
            $0.purpose == request.purpose && $0.subject == request.subject && $0.returnTo == request.returnTo
                && $0.replayKey == key && $0.payload == request.payload && $0.demand.since == nil
                && $0.demand.strength == request.demand.strength && $0.demand.account == request.demand.account
                && pending($0.id, now: now) != nil
        }?.id
    }

    /// The flow of this id if it has ended: taken, cancelled, too old, or pushed out by newer ones. Nil for an unknown id.
    package func ended(_ id: FlowID?) -> EndedFlow? {
        flow(id).map { EndedFlow($0) } ?? id.flatMap { id in ended.last { $0.id == id } }
    }

    /// Whether the flow belongs to this session, pending or ended.
    package func has(_ id: FlowID?) -> Bool { ended(id) != nil }

    /// The flow of the same request that the user has completed in this session, after a sign-in or after choosing an account:
    /// one with the same replay key, or the one that the request says it goes on with. Nil without one.
    package func completed(_ request: Flow.Request, resuming: FlowID? = nil) -> EndedFlow? {
        guard !ended.isEmpty else { return nil }
        let same = request.replayKey.map { FlowLogID.name(digest: Array($0)) }
        return ended.last {
            $0.isCompleted && $0.purpose == request.purpose && $0.subject == request.subject
                && $0.returnTo == request.returnTo && (same == nil ? $0.id == resuming : $0.logID == same)
        }
    }

    /// The log's name of a flow; nil for none.
    package func logID(_ id: FlowID?) -> String? { flow(id)?.logID ?? ended(id)?.logID }

    // MARK: Changing

    /// Begins a flow. The oldest of the same purpose ends beyond eight, and the oldest with a payload when all payloads
    /// together are too long: one of the same purpose, as long as there is one.
    ///
    /// - Returns: the flows that were pushed out.
    /// - Throws: ``FlowError/tooLong``.
    @discardableResult
    package mutating func begin(_ request: Flow.Request, id: FlowID, now: Timestamp) throws(PublicError) -> [FlowID] {
        guard request.payload.utf8.count <= Self.maximumPayload else { throw FlowError.tooLong }
        all.append(Flow(request, id: id, begunAt: now))
        var pushedOut: [FlowID] = []
        while all.count(where: { $0.purpose == request.purpose }) > Self.maximumPerPurpose,
            let oldest = all.first(where: { $0.purpose == request.purpose })
        {
            pushedOut.append(oldest.id)
            end(oldest.id)
        }
        while all.reduce(0, { $0 + $1.payload.utf8.count }) > Self.maximumPayloads,
            let oldest = all.first(where: { !$0.payload.isEmpty && $0.purpose == request.purpose && $0.id != id })
                ?? all.first(where: { !$0.payload.isEmpty })
        {
            pushedOut.append(oldest.id)
            end(oldest.id)
        }
        try shorten(keeping: all[all.count - 1], &pushedOut)
        return pushedOut
    }

    /// Forgets what is oldest until the slot is short enough: of the purpose of the new flow first, and ended flows before
    /// pending ones.
    private mutating func shorten(keeping new: Flow, _ pushedOut: inout [FlowID]) throws(PublicError) {
        var stored = storedLength
        while stored > Self.maximumStored {
            if let index = ended.firstIndex(where: { $0.purpose == new.purpose }) {
                stored -= ended.remove(at: index).storedLength
            } else if let oldest = all.first(where: { $0.purpose == new.purpose && $0.id != new.id }) {
                pushedOut.append(oldest.id)
                end(oldest.id)
                stored = storedLength
            } else if !ended.isEmpty {
                stored -= ended.removeFirst().storedLength
            } else if let oldest = all.first(where: { $0.id != new.id }) {
                pushedOut.append(oldest.id)
                all.removeAll { $0.id == oldest.id }
                stored = storedLength
            } else {
                throw FlowError.tooLong
            }
        }
    }

    /// At least as many bytes as the slot has when it is stored.
    private var storedLength: Int {
        all.reduce(0) { $0 + $1.storedLength } + ended.reduce(32) { $0 + $1.storedLength }
    }

    /// Ends a pending flow that leads on. Of any number of callers exactly one gets it.
    package mutating func take(_ id: FlowID, now: Timestamp) -> Flow? {
        guard let flow = pending(id, now: now) else { return nil }
        end(id, isCompleted: true)
        return flow
    }

    /// Uses up a completed flow that is told by its id alone. The id stays in the browser's history, where other programs may read
    /// it, so it leads on once, with the request that the user has agreed to.
    ///
    /// - Returns: whether it had not been used up before.
    package mutating func useUp(_ id: FlowID) -> Bool {
        guard let index = ended.lastIndex(where: { $0.id == id && $0.isCompleted }) else { return false }
        ended[index] = ended[index].usedUp
        return true
    }

    /// Ends a flow that the user gives up.
    ///
    /// - Returns: whether it had not ended before.
    @discardableResult
    package mutating func end(_ id: FlowID) -> Bool { end(id, isCompleted: false) }

    @discardableResult
    private mutating func end(_ id: FlowID, isCompleted: Bool) -> Bool {
        guard let flow = flow(id) else { return false }
        all.removeAll { $0.id == id }
        ended.append(EndedFlow(flow, isCompleted: isCompleted))
        let same = ended.indices.filter { ended[$0].purpose == flow.purpose }
        for index in same.dropLast(Self.maximumEnded).reversed() { ended.remove(at: index) }
        return true
    }
}

/// What the sign-in for a flow must be like, whatever the flow is for.
extension SessionSlots {
    /// The moment that the sign-in for a flow must not be older than; nil when any will do.
    package func signInSince(_ flow: FlowID?) -> Timestamp? {
        flow.flatMap { self[Flows.self].flow($0)?.demand.since }
    }

    /// Whether not every sign-in will do for a flow.
    package func needsNewSignIn(_ flow: FlowID?) -> Bool {
        flow.flatMap { self[Flows.self].flow($0)?.demand.needsNewSignIn } ?? false
    }

    /// Whether a pending flow asks a user who is signed in to sign in again.
    package func asksAgain(_ flow: FlowID?, after signIn: CurrentSignIn.SignIn, now: Timestamp) -> Bool {
        self[Flows.self].pending(flow, now: now).map { !$0.demand.isMet(by: signIn) } ?? false
    }
}

extension Session {
    /// The flow if it belongs to this session, pending or ended. Nil for any other.
    package func known(_ flow: FlowID?) -> FlowID? { self[Flows.self].has(flow) ? flow : nil }
}

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
        // A step of a visitor may replace the id of the session, and keeps what its forms derive from.
        let waits = [session.id.digest, Array(session.formSeed.utf8)].compactMap { sessions.hit($0) }
        if let wait = waits.max() { throw FlowError.tooMany(wait) }
    }

    /// Counts a request without a question, before the writer is asked for it.
    ///
    /// - Returns: whether it may go on.
    package func countSilent(_ session: SessionID) -> Bool { silent.hit(session.digest) == nil }

    /// Takes back what was counted: the request without a question was answered with a grant.
    package func giveBackSilent(_ session: SessionID) { silent.giveBack(session.digest) }

    /// Counts a request that may begin a flow, before the writer is asked for it.
    ///
    /// - Parameter mayEnter: whether its user is signed in and may get a grant at once. Asked only where the limit is reached.
    /// - Returns: nil if it was counted, so that ``giveBack(_:)`` may follow. Otherwise it must begin no flow, and this is the
    ///   time until it may.
    /// - Throws: ``PublicError`` 429 over one of the limits, unless the request may get a grant.
    package func count(
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
    package func countVisitor(_ request: Request, _ context: VisitorContext) async throws {
        try await networks.count(request, context)
    }

    /// Takes back what was counted: the request has begun no flow.
    package func giveBack(_ session: SessionID) { sessions.giveBack(session.digest) }
}
