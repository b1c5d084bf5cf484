import Hummingbird
import IdPDirectory
import IdPFlow
import Logging
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
        device.logEnd(of: user.account, to: form.context.logger)
        if device.session?.handle == user.session.handle { sessions.forget(in: &response) }
        return response
    }
}

/// The part of the home page that lists the apps where the user is signed in.
struct DeviceSection: Sendable {
    struct Item: Sendable {
        let id, name: String
        let since, used: Moment
        let isCurrent: Bool
    }

    let items: [Item]
}

extension AppDevices {
    /// Nil for a user without apps.
    func section(
        for user: SignedInUser, _ texts: Texts, _ connection: any SQLConnection
    ) throws -> DeviceSection? {
        let items = try all(of: user.account, connection).map { device in
            DeviceSection.Item(
                id: device.id, name: device.name(in: texts), since: texts.moment(device.createdAt),
                used: texts.moment(device.usedAt), isCurrent: device.session?.handle == user.session.handle)
        }
        return items.isEmpty ? nil : DeviceSection(items: items)
    }
}
