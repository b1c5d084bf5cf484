import HTTPTypes
public import Hummingbird

/// Routes every method that no path serves as TRACE, so that a path has one refusal for all of them, not one for each method that
/// the parser knows.
public struct RoutedMethods<Context: WebRequestContext>: HTTPResponder {
    let router: RouterResponder<Context>

    public func respond(to request: Request, context: Context) async throws -> Response {
        guard !HTTPRequest.Method.served.contains(request.method) else {
            return try await router.respond(to: request, context: context)
        }
        var (head, context) = (request.head, context)
        context.unservedMethod = request.method
        head.method = .trace
        return try await router.respond(to: Request(head: head, body: request.body), context: context)
    }
}

extension HTTPRequest.Method {
    /// The methods that routes may have. All others reach the router as TRACE.
    package static let served: [HTTPRequest.Method] = [.get, .post, .head, .options, .delete]
}
