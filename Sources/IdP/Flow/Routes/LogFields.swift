package import Hummingbird
package import IdPClients
import Logging
import SSOWeb

/// Names the user and the flow in every line that a request writes, and in that of the error that ends it. So an operator follows
/// one user by `account`, and one sign-in by `flow`.
package enum LogFields {
    /// Runs `body` with a context whose lines have the fields.
    ///
    /// - Parameter flow: what the request is for. One that the session does not know is not named.
    package static func run(
        _ context: VisitorContext, _ flow: FlowID?, _ body: (VisitorContext) async throws -> Response
    ) async throws -> Response {
        let fields = fields(of: context.session, flow)
        guard !fields.isEmpty else { return try await body(context) }
        var context = context
        // Each change through the property would copy the logger.
        var logger = context.logger
        for (name, value) in fields { logger[metadataKey: name] = .string(value) }
        context.logger = logger
        context.audit?.logger = logger
        do { return try await body(context) } catch var error as PublicError {
            error.logFields.merge(fields) { own, _ in own }
            throw error
        }
    }

    private static func fields(of session: Session?, _ flow: FlowID?) -> [String: String] {
        guard let session else { return [:] }
        var fields: [String: String] = [:]
        if let account = session.slots.provenAccount { fields["account"] = account }
        if let flow, let name = session[Flows.self].logID(flow) { fields["flow"] = name }
        return fields
    }
}

/// The fields of a request whose flow is in its query.
struct LogFieldsMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
    ) async throws -> Response {
        let flow = request.uri.query == nil ? nil : FlowID.read(request.queryFields)
        return try await LogFields.run(context, flow) { try await next(request, $0) }
    }
}
