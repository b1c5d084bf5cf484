import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import NIOCore
import SSOWeb
import Storage
import Synchronization

/// `GET /sign-in/events`: reports to the waiting page that it should go on, as server-sent events (WHATWG HTML 9.2).
///
/// A stream looks once per second, for ten seconds, and ends. The browser opens the next one half a second later, so a page
/// learns of an answer within two seconds. Ten seconds are short enough for every limit of the server and of usual proxies:
/// a connection may be idle for 15 seconds, a response may take 30 (``ServerLimits``), and a shutdown waits for ten.
package struct ReplyEvents: Sendable {
    static let path = SignInPath.events
    private static let looks = 10
    private static let pace: Duration = .seconds(1)
    /// How often within ``pace`` a stream looks whether the program stops.
    private static let parts = 4

    let sessions: Sessions
    let challenges: ChallengeStore
    let completion: SignInCompletion
    let shutdown: ShutdownState
    let places = StreamPlaces()

    @Sendable func respond(_ request: Request, _ context: VisitorContext) async throws -> Response {
        // 204 makes the browser stop asking.
        guard let session = context.session else { return Response(status: .noContent) }
        let flow = FlowID.read(request.queryFields)
        let challengeID = session[BrowserChallenges.self].awaited(for: flow?.text)?.id
        // A user whom the flow asks to sign in again waits as a visitor does.
        let hasSignedIn = try await completion.alreadySignedIn(request, context, flow: flow) != nil
        guard challengeID != nil || hasSignedIn else { return Response(status: .noContent) }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // Signed in meanwhile in another tab: the challenges went with the old session.
                if let challengeID, !hasSignedIn {
                    try await watch(challengeID, session, &writer)
                } else {
                    try await writer.write(Self.done)
                }
                try await writer.finish(nil)
            })
    }

    private func watch(_ challengeID: String, _ session: Session, _ writer: inout any ResponseBodyWriter) async throws {
        guard places.take(challengeID) else {
            // The page still learns of it, only later: one look now, and the next one in five seconds.
            let later = ByteBuffer(string: "retry: 5000\n\n")
            return try await writer.write(isDone(challengeID, session) ? Self.done : later)
        }
        defer { places.leave(challengeID) }
        try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
        for _ in 1...Self.looks {
            if try await isDone(challengeID, session) { return try await writer.write(Self.done) }
            for _ in 1...Self.parts {
                // A stream of a browser that may come back in half a second must not hold up the end of the program.
                guard !shutdown.isUnderWay else { return }
                try await Task.sleep(for: Self.pace / Self.parts)
            }
            // A comment. It fails once the browser has gone, and the place is free again.
            try await writer.write(ByteBuffer(string: ":\n\n"))
        }
    }

    /// Whether the page has to go on: the challenge was answered, has signed in or has expired, or another request has
    /// replaced or ended the session.
    ///
    /// A failure of the storage is not reported: the stream goes on, and the next look decides.
    private func isDone(_ challengeID: String, _ session: Session) async throws -> Bool {
        do {
            guard let challenge = try await challenges.findPending(challengeID), !challenge.isAnswered else {
                return true
            }
            return try await !sessions.store.isAlive(session)
        } catch is DatabaseError { return false }
    }

    /// An event without data is not reported to the page.
    private static let done = ByteBuffer(string: "event: done\ndata: done\n\n")
}

/// Bounds how many streams are open at once in this process: 1,000 of its 4,096 connections, and two for one challenge.
///
/// One IPv4 address or IPv6 /64 begins at most 200 challenges per hour by default (``SignInLimits``), so it cannot take all
/// places. When all are taken, pages ask every five seconds instead.
///
/// A browser has only six connections to a host over HTTP/1.1. With a stream for each of six tabs the seventh could not
/// load, so further tabs ask now and then instead.
final class StreamPlaces: Sendable {
    static let maximum = 1_000
    static let maximumPerChallenge = 2

    private let state = Mutex<(count: Int, perChallenge: [String: Int])>((0, [:]))

    /// Takes a place for a challenge; false if there is none.
    func take(_ challengeID: String) -> Bool {
        state.withLock { state in
            let own = state.perChallenge[challengeID] ?? 0
            guard state.count < Self.maximum, own < Self.maximumPerChallenge else { return false }
            state.count += 1
            state.perChallenge[challengeID] = own + 1
            return true
        }
    }

    /// Gives a place back.
    func leave(_ challengeID: String) {
        state.withLock { state in
            guard let own = state.perChallenge[challengeID] else { return }
            state.count -= 1
            state.perChallenge[challengeID] = own > 1 ? own - 1 : nil
        }
    }
}
