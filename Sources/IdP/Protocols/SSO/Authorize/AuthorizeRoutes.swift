import HTTPTypes
import Hummingbird
import IdPDirectory
package import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// The route `/auth/sso/authorize`.
extension SSOProtocol {
    package func addRoutes(to router: inout FeatureRouter) {
        router.request(at: SSOPath.authorize, use: authorize)
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        switch AuthorizeQuery.read(request.queryFields, clients: authorizer.clients) {
        case .refused(let error):
            context.logger.notice("authorize_refused", metadata: error.metadata)
            guard let callback = error.callback else { throw FlowError.unknownClient }
            return .redirect(to: callback, type: .found)
        case .accepted(let client, let sent, let wishes):
            return try await authorizer.authorize(ClientRequest(sent, of: client, wishes), by: self, request, context)
        }
    }
}
