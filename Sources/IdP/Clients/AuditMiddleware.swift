package import Hummingbird
package import SSOWeb

/// Gives each request its audit log.
package struct AuditMiddleware: RouterMiddleware {
    private let log: AuditLog
    private let proxies: ClientAddress

    package init(_ log: AuditLog, proxies: ClientAddress) { (self.log, self.proxies) = (log, proxies) }

    package func handle(
        _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.audit = RequestAudit(
            log, request, peer: context.peer, reference: context.reference, proxies: proxies, context.logger)
        return try await next(request, context)
    }
}
