import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOWeb
import Storage

/// `POST /devices/end`: the button of the home page that signs an app out.
struct AppDeviceRoutes: Sendable {
    let accounts: AccountStore
    let sessions: Sessions
    let devices: AppDevices

    func addRoutes(to router: inout FeatureRouter) {
        router.form(at: "/devices/end", .ofUser(accounts.signedIn, submit: end))
    }

    /// A device that is not in the user's list is gone already: the button was pressed twice.
    @Sendable private func end(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        var response = Response.redirect(to: "/")
        guard
            let device = try await devices.end(
                try form.fields.text("device") ?? "", of: user.account, form.context.audit)
        else {
            return response
        }
        if device.session?.handle == user.session.handle { sessions.forget(in: &response) }
        return response
    }
}
