public import Hummingbird
import Logging
import Synchronization

/// Logs one line per request: method, route, status and time.
///
/// Never logs the query, a header or the raw path, which may contain a token. The pattern of the route also bounds the
/// number of different lines.
public struct RequestLog<Context: WebRequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let isHealthCheck = context.endpointPath.map(HealthPath.all.contains) ?? false
        context.logger.log(
            level: isHealthCheck ? .trace : .debug, "request",
            metadata: [
                "method": "\((context.unservedMethod ?? request.method).rawValue.prefix(16))",
                "route": "\(context.endpointPath ?? "-")",
                "status": .number(response.status.code),
                "milliseconds": .number((ContinuousClock.now - start).milliseconds),
            ])
        return response
    }
}

/// Adds the client's address to every log line of a request (ASVS 16.2.1).
public struct ClientAddressLogging<Context: WebRequestContext>: RouterMiddleware {
    private let addresses: ClientAddress
    private let hasWarned = Flag()

    public init(_ addresses: ClientAddress) { self.addresses = addresses }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let (client, malformedHop) = addresses.trace(request, peer: context.peer)
        if let client { context.logger[metadataKey: "client_address"] = .stringConvertible(client) }
        if let hop = malformedHop, !hasWarned.set() {
            // Once per process: with a wrongly configured proxy it is true of every request.
            context.logger.record(
                Event(
                    .forwardedAddressMalformed,
                    [
                        "value": "\(hop.prefix(64))",
                        "message": """
                        X-Forwarded-For of a trusted proxy has no valid address. Limits and logs use the proxy's address.
                        """,
                    ]))
        }
        return try await next(request, context)
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    /// Sets the flag and returns its previous value.
    func set() -> Bool { value.exchange(true, ordering: .relaxed) }
}
