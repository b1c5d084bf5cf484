public import Hummingbird
import Logging
import Synchronization

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

/// Has every line of a request's log say from which network address it came (ASVS 16.2.1: who, when, where, what).
public struct ClientAddressLogging<Context: WebRequestContext>: RouterMiddleware {
    private let addresses: ClientAddress
    private let warning = OneWarning()

    public init(_ addresses: ClientAddress) { self.addresses = addresses }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let address = addresses.address(of: request, peer: context.peer) {
            context.logger[metadataKey: "client_address"] = .stringConvertible(address)
        }
        if let hop = addresses.malformedHop(of: request, peer: context.peer), warning.isDue() {
            context.logger.warning(
                "X-Forwarded-For of a trusted proxy holds no address: limits and logs take the proxy for the client",
                metadata: ["value": "\(hop.prefix(64))"])
        }
        return try await next(request, context)
    }
}

/// Something that is said once in a program's life: a proxy that is set up wrongly is so with every request.
private final class OneWarning: Sendable {
    private let isGiven = Atomic(false)

    func isDue() -> Bool { !isGiven.exchange(true, ordering: .relaxed) }
}
