import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `/passkeys` lists the passkeys of a user. Its forms rename one (``PasskeyRename``) or remove it (``PasskeyRemoval``).
struct PasskeyListRoutes: Sendable {
    let ceremonies: PasskeyCeremonies
    let parts: SharedParts

    private var accounts: AccountStore { parts.accounts }
    private var pages: Pages { parts.pages }

    /// A new name that cannot be used.
    struct Typed {
        let passkey, name: String
    }

    struct Item: Encodable, Sendable {
        let id, name, typed: String
        let used, since: Moment
        let isUsed, isSynced, canRemove, isWrong: Bool
    }

    struct Model: Encodable, Sendable {
        let formToken, accepted: String
        let items: [Item]
        let hasItems, canAdd, isAdded, isRemoved, isRenamed, hasError: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: PasskeyPath.list, use: show)
        router.visit(at: PasskeyPath.signIn, use: signIn)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let session = context.session else { return .redirect(to: PasskeyPath.signIn) }
        return try await response(request, session)
    }

    /// - Parameter typed: what is wrong in the form of a passkey; nil before anything is typed.
    func response(_ request: Request, _ session: Session, _ typed: Typed? = nil) async throws -> Response {
        let texts = pages.texts(for: request)
        let shown = try await accounts.database.read { connection in
            try accounts.signedIn(session, connection).map { try model($0, typed, request, texts, connection) }
        }
        guard let shown else { return .redirect(to: PasskeyPath.signIn) }
        return pages.response(
            "passkeys", shown, for: request, status: shown.hasError ? .unprocessableContent : .ok, offersLanguages: true
        )
    }

    private func model(
        _ user: SignedInUser, _ typed: Typed?, _ request: Request, _ texts: Texts, _ connection: any SQLConnection
    ) throws -> Model {
        let (passkeys, now) = (try PasskeyStore.all(of: user.account.id, connection), accounts.clock.now())
        let isLast = try AccountStore.identities(of: user.account.id, connection).count == 1
        let items = passkeys.map { passkey in
            let typed = typed.flatMap { $0.passkey.utf8.elementsEqual(passkey.id.utf8) ? $0.name : nil }
            return Item(
                id: passkey.id, name: passkey.name, typed: typed.map { String($0.prefix(200)) } ?? passkey.name,
                used: texts.moment(passkey.usedAt ?? passkey.addedAt, now: now),
                since: texts.moment(passkey.addedAt, now: now), isUsed: passkey.usedAt != nil,
                isSynced: passkey.isBackupEligible, canRemove: !isLast, isWrong: typed != nil)
        }
        let fields = request.queryFields
        return Model(
            formToken: parts.sessions.formToken(for: user.session),
            accepted: try ceremonies.accepted(of: user.account, connection), items: items,
            hasItems: !items.isEmpty, canAdd: items.count < PasskeyStore.maximumPerAccount,
            isAdded: fields.count("added") > 0, isRemoved: fields.count("removed") > 0,
            isRenamed: fields.count("renamed") > 0, hasError: items.contains(where: \.isWrong))
    }

    /// Sends a visitor to sign in and back to the list, and with `add` a user whose sign-in is too old or too weak to add one.
    @Sendable private func signIn(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let adds = request.queryFields.count("add") > 0
        let now = accounts.clock.now()
        let need = try await accounts.database.read { connection -> Proof.Need? in
            guard let session = context.session, let user = try accounts.signedIn(session, connection) else {
                return adds ? .recent : .anySignIn
            }
            guard adds, try !Proof.Need.ofAccount(user.account, connection).isMet(by: user, now: now) else {
                return nil
            }
            return try .ofAccount(user.account, connection)
        }
        guard let need else { return .redirect(to: adds ? PasskeyPath.add : PasskeyPath.list) }
        let flow = Flow.Request(
            purpose: adds ? PasskeyAddPurpose.id : PasskeyListPurpose.id, subject: "",
            demand: Flow.Demand(since: need.since(now), strength: need.strength == .any ? nil : need.strength))
        return try await parts.toSignIn(for: flow, request, context)
    }
}
