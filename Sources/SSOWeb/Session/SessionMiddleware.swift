public import Hummingbird
import Logging

/// Finds the session that the request's cookie names. A missing, malformed, doubled or dead cookie is no error: the
/// visitor is a stranger then.
public struct SessionMiddleware<Context: SessionRequestContext>: RouterMiddleware {
    let sessions: Sessions<Context.Slots>

    public init(_ sessions: Sessions<Context.Slots>) { self.sessions = sessions }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let id = sessions.cookie.id(in: request), let session = try await sessions.store.find(id) {
            // A disk that is full must not take pages that only read. Not touched, the session ends the earlier.
            do { try await sessions.store.touch(session) } catch {
                context.logger.warning("session not touched", metadata: ["cause": "\(error)"])
            }
            context.session = session
        }
        return try await next(request, context)
    }
}
