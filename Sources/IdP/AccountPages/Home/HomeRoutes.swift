import HTTPTypes
import Hummingbird
import IdPDirectory
import IdPFlow
import SSOShared
import SSOWeb

/// The IdP's home page: who is signed in, the user's name, and the clients where the user is signed in.
struct HomeRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let grants: GrantStore
    let devices: AppDevices
    let clients: ClientDirectory
    let identities: Identities
    let page: HomePage

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "/", use: show)
        router.form(at: "/name", .ofUser(accounts.signedIn, submit: rename))
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await accounts.signedIn(context) else { return page.welcome(for: request) }
        let isSaved = request.queryFields.count("saved") > 0
        return try await home(request, user, name: user.account.name, isSaved ? .saved : .shown)
    }

    @Sendable private func rename(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        let typed = try form.fields.text("name") ?? ""
        guard let name = DisplayName.normalised(typed) else {
            return try await home(
                form.request, user, name: String(typed.prefix(DisplayName.maximumLength)), .refused)
        }
        try await accounts.rename(user.account, to: name)
        return .redirect(to: "/?saved")
    }

    private func home(
        _ request: Request, _ user: SignedInUser, name: String, _ outcome: HomePage.NameOutcome
    ) async throws -> Response {
        let list = try await identities.list(
            of: user.account, page.pages.texts(for: request), isNativeShell: request.isFromNativeShell)
        let (added, removed) = (try? request.queryFields.text("added"), try? request.queryFields.text("removed"))
        return page.home(
            request, user, formToken: sessions.formToken(for: user.session), typedName: name,
            signIns: try await grants.signIns(of: user.session).map { (clients.client(id: $0.clientID), $0) },
            devices: try await devices.all(of: user.account), identities: list,
            added: identities.changed(added, isAdded: true, in: list),
            removed: identities.changed(removed, isAdded: false, in: list), outcome)
    }
}

/// The home page, for signed-in users and for visitors.
struct HomePage: Sendable {
    let pages: Pages
    let logos: ClientLogos

    /// What became of the form with the name.
    enum NameOutcome: Sendable { case shown, saved, refused }

    struct ClientItem: Sendable {
        let name, href, logo: String
        let hasHref, hasLogo: Bool
        let since: Moment
    }

    struct DeviceItem: Sendable {
        let id, name: String
        let since, used: Moment
        let isCurrent: Bool
    }

    struct Model: Sendable {
        let formToken, name, typedName, email: String
        let since: Moment
        let clients: [ClientItem]
        let devices: [DeviceItem]
        let identities: [IdentityList.Item]
        let offers: [IdentityList.Offer]
        let provider: String
        let hasName, hasOffers, hasClients, hasDevices, isSaved, isAdded, isRemoved, hasError: Bool
    }

    struct Welcome: Sendable {}

    func welcome(for request: Request) -> Response { pages.response("welcome", Welcome(), for: request) }

    /// - Parameters:
    ///   - signIns: each with its client, nil for one that is not registered any more.
    ///   - added: the provider that was just added; nil for none.
    ///   - removed: the provider that was just removed; nil for none.
    func home(
        _ request: Request, _ user: SignedInUser, formToken: String, typedName: String,
        signIns: [(client: Client?, ClientSignIn)], devices: [AppDevice], identities: IdentityList, added: String?,
        removed: String?, _ outcome: NameOutcome
    ) -> Response {
        let texts = pages.texts(for: request)
        let items = signIns.map { client, signIn in
            let link = client.map { ClientLink($0, logos) }
            return ClientItem(
                name: link?.name ?? signIn.clientID, href: link?.href ?? "", logo: link?.logo ?? "",
                hasHref: link?.hasHref ?? false, hasLogo: link?.hasLogo ?? false, since: texts.moment(signIn.at))
        }
        let devices = devices.map { device in
            DeviceItem(
                id: device.id, name: device.name(in: texts), since: texts.moment(device.createdAt),
                used: texts.moment(device.usedAt), isCurrent: device.session?.handle == user.session.handle)
        }
        let (name, email) = (user.account.name, user.account.email)
        let model = Model(
            formToken: formToken, name: name, typedName: typedName, email: email,
            since: texts.moment(user.signIn.authenticatedAt), clients: items, devices: devices,
            identities: identities.items, offers: identities.offers, provider: added ?? removed ?? "",
            // The first name of an account is made from its address. Nobody is called that.
            hasName: name != DisplayName.initial(for: email), hasOffers: !identities.offers.isEmpty,
            hasClients: !items.isEmpty, hasDevices: !devices.isEmpty, isSaved: outcome == .saved, isAdded: added != nil,
            isRemoved: added == nil && removed != nil, hasError: outcome == .refused)
        return pages.response(
            "home", model, for: request, status: outcome == .refused ? .unprocessableContent : .ok)
    }
}
