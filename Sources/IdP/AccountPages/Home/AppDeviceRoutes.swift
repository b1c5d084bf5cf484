package import Hummingbird
package import IdPDirectory
import Logging
package import SSOWeb

/// `POST /devices/end`: the button of the home page that signs an app out.
package struct AppDeviceRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let devices: AppDevices

    package init(sessions: Sessions, accounts: AccountStore, devices: AppDevices) {
        (self.sessions, self.accounts, self.devices) = (sessions, accounts, devices)
    }

    package func add(to router: Router<VisitorContext>) { router.only([.post], at: "/devices/end", use: end) }

    /// A device that is not in the user's list is gone already: the button was pressed twice.
    @Sendable private func end(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await sessions.formFields(of: request, context)
        guard let user = try await accounts.signedIn(context) else { return .redirect(to: "/") }
        guard sessions.forms.accepts(request, fields: fields, seed: user.session.formSeed) else {
            throw PublicError.staleForm(request, .home)
        }
        var response = Response.redirect(to: "/")
        guard let device = try await devices.end(try fields.text("device") ?? "", of: user.account) else {
            return response
        }
        device.logEnd(of: user.account, to: context.logger)
        if device.session?.handle == user.session.handle { sessions.forget(in: &response) }
        return response
    }
}
