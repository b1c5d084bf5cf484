import HTTPTypes
public import Hummingbird

/// Routes every method that no path serves as TRACE, so that a path has one refusal for all of them, not one for each method that
/// the parser knows. Drops the body and the cookies of every answer to HEAD, also of an error (RFC 9110 9.3.2): a body would stand
/// where the next answer of the connection begins.
public struct RoutedMethods<Context: WebRequestContext>: HTTPResponder {
    let router: RouterResponder<Context>

    public func respond(to request: Request, context: Context) async throws -> Response {
        guard !HTTPRequest.Method.served.contains(request.method) else {
            var response = try await router.respond(to: request, context: context)
            guard request.method == .head else { return response }
            response.headers[.setCookie] = nil
            return response.createHeadResponse()
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
