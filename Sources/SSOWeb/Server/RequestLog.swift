public import Hummingbird
import Logging

/// One line a request: method, route, status, time. Never the query, a header or a raw path, which may hold a token;
/// the route's pattern keeps the number of different lines bounded, too.
public struct RequestLog<Context: WebRequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let level: Logger.Level =
            context.endpointPath == "/healthz" || context.endpointPath == "/readyz" ? .trace : .debug
        context.logger.log(
            level: level, "request",
            metadata: [
                "method": "\(request.method.rawValue.prefix(16))", "route": "\(context.endpointPath ?? "-")",
                "status": "\(response.status.code)", "milliseconds": "\((ContinuousClock.now - start).milliseconds)",
            ])
        return response
    }
}
