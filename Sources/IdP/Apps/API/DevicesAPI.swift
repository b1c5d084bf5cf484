import Hummingbird
package import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
package import SSOWeb

/// `/api/v1/devices`: the apps in which the user is signed in.
package struct DevicesAPI: Sendable {
    let authentication: APIAuthentication
    let devices: AppDevices
    let pages: Pages

    package init(authentication: APIAuthentication, devices: AppDevices, pages: Pages) {
        (self.authentication, self.devices, self.pages) = (authentication, devices, pages)
    }

    @Sendable func list(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let user = try await authentication.app(request, context)
        let texts = pages.texts(for: request)
        let all = try await devices.all(of: user.account).map { device -> [JSONText.Member] in
            [
                .init("id", device.id), .init("name", device.name(in: texts)),
                .init("created_at", device.createdAt.seconds), .init("last_used_at", device.usedAt.seconds),
                .init("current", device.id == user.entry.id),
            ]
        }
        return .json([.init("devices", all)])
    }

    /// Signs every other app out.
    @Sendable func endOthers(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let user = try await authentication.app(request, context)
        try await devices.end(of: user.account, context.audit) { $0.id != user.entry.id }
        return Response(status: .noContent)
    }

    @Sendable func end(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let user = try await authentication.app(request, context)
        let device = try await devices.end(context.parameters.get("id") ?? "", of: user.account, context.audit)
        guard device != nil else { throw APIError.notFound }
        return Response(status: .noContent)
    }
}

extension APIError {
    fileprivate static let notFound = Self(
        status: .notFound, code: "not_found", words: "The user has no device with this id.", cause: "device_unknown")
}
