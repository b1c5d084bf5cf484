public import Hummingbird
import Logging

/// Has every line of a request's log say from which network address it came (ASVS 16.2.1: who, when, where, what).
public struct ClientInLog<Context: WebRequestContext>: RouterMiddleware {
    private let addresses: ClientAddress

    public init(_ addresses: ClientAddress) { self.addresses = addresses }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let address = addresses.address(of: request, peer: context.peer) {
            context.logger[metadataKey: "client_address"] = .stringConvertible(address)
        }
        return try await next(request, context)
    }
}
