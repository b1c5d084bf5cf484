import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb
import Storage
import WellKnown

/// The purpose of a flow of a visitor who opened the list of keys: after the sign-in it is shown.
struct AppKeysPurpose: OwnPagePurpose {
    static let id = "app_keys"

    let sessions: Sessions
    let resumePath = AppKeyPath.list

    func home(of flow: Flow) -> String { "/" }
}

/// Shows a new key, once: in the answer to the form that made it.
struct AppKeyShownPage: Sendable {
    let pages: Pages

    private struct Model: Encodable, Sendable { let key, name, client, codeHTML: String }

    func response(_ request: Request, _ key: String, name: String, client: Client) -> Response {
        let label = pages.texts(for: request).plain(Text("app-keys.code"))
        return pages.response(
            "app-key-made",
            Model(key: key, name: name, client: client.name, codeHTML: QRCode(key)?.svg(label: label) ?? ""),
            for: request,
            headers: [.referrerPolicy: "no-referrer", .cacheControl: "no-store"])
    }
}

/// `/app-keys` lists the keys of a user. Its forms make one (``AppKeyAddition``) or end it (``AppKeyRemoval``).
struct AppKeyRoutes: Sendable {
    let parts: SharedParts

    private struct Item: Encodable, Sendable {
        let id, name, client, network: String
        let since, until, used: Moment
        let isUsed, hasNetwork: Bool
    }

    private struct Service: Encodable, Sendable {
        let id, name: String
        let isChosen: Bool
    }

    /// What was typed into the form for a new key.
    struct Typed: Encodable, Sendable {
        let client, name, days: String
        let isNameWrong, areDaysWrong, areDaysFirst: Bool

        init(client: String = "", name: String, days: String) {
            (self.client, self.name) = (client, String(name.prefix(60)))
            self.days = String((days.isEmpty ? "\(AppKey.usualDays)" : days).prefix(20))
            isNameWrong = AppKey.name(name) == nil
            areDaysWrong = Int(self.days).map(AppKey.possibleDays.contains) != true
            areDaysFirst = areDaysWrong && !isNameWrong
        }
    }

    private struct Model: Encodable, Sendable {
        let formToken: String
        let items: [Item]
        let services: [Service]
        let typed: Typed
        let hasItems, canAdd, isRemoved, hasError: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: AppKeyPath.list, use: show)
        router.visit(at: AppKeyPath.signIn, use: signIn)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let session = context.session else { return .redirect(to: AppKeyPath.signIn) }
        return try await response(request, session)
    }

    /// - Parameter typed: what is wrong in the form; nil before anything is typed.
    func response(_ request: Request, _ session: Session, _ typed: Typed? = nil) async throws -> Response {
        let texts = parts.pages.texts(for: request)
        let shown = try await parts.clients.read(
            parts.database,
            { connection in
                try parts.accounts.signedIn(session, connection).map {
                    try model($0, typed, request, texts, connection)
                }
            })
        guard let shown else { return .redirect(to: AppKeyPath.signIn) }
        return parts.pages.response(
            "app-keys", shown, for: request, status: typed == nil ? .ok : .unprocessableContent, offersLanguages: true)
    }

    private func model(
        _ user: SignedInUser, _ typed: Typed?, _ request: Request, _ texts: Texts, _ connection: any SQLConnection
    ) throws -> Model {
        let (now, clients) = (parts.clock.now(), try parts.clients.registered(connection))
        let keys = try AppKeyStore.keys(of: user.account.id, now: now, connection)
        let items = keys.map { key in
            Item(
                id: key.id, name: key.name, client: clients.client(id: key.client)?.name ?? key.client,
                network: key.usedNetwork ?? "", since: texts.moment(key.createdAt, now: now),
                until: texts.moment(key.expiresAt, now: now), used: texts.moment(key.usedAt ?? key.createdAt, now: now),
                isUsed: key.usedAt != nil, hasNetwork: key.usedNetwork != nil)
        }
        let services = try clients.all.filter {
            try $0.gate?.takesAppKeys == true && $0.access.admits(account: user.account.id, connection)
        }.map { Service(id: $0.id, name: $0.name, isChosen: $0.id == typed?.client) }
        return Model(
            formToken: parts.sessions.formToken(for: user.session), items: items,
            services: services, typed: typed ?? Typed(name: "", days: ""), hasItems: !items.isEmpty,
            canAdd: !services.isEmpty, isRemoved: request.queryFields.count("removed") > 0, hasError: typed != nil)
    }

    /// Sends a visitor to sign in and back to the list. The page itself changes nothing, so that link checkers do not either.
    @Sendable private func signIn(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard try await parts.accounts.signedIn(context) == nil else { return .redirect(to: AppKeyPath.list) }
        let flow = Flow.Request(purpose: AppKeysPurpose.id, subject: "", demand: Flow.Demand())
        return try await parts.toSignIn(for: flow, request, context)
    }
}
