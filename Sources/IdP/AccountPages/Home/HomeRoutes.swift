import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOWeb
import Storage

/// The IdP's home page: for a user the sections of ``Model``, for a visitor the sign-in page.
struct HomeRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let pages: Pages
    let identities: Identities
    let clients: SignedInClients
    let userSessions: UserSessions
    let activity: UserActivity
    let own: OwnAccountSection

    /// One section for each part of the account, made by the type that owns the part. A new part brings a struct of its own,
    /// a property here and its HTML in the template.
    struct Model: Encodable, Sendable {
        let formToken: String
        /// Whether the user comes from the page that offered one.
        let hasNewPasskey: Bool
        let profile: ProfileSection
        let identities: IdentitySection
        let clients: ClientSection
        let sessions: SessionSection
        let activity: UserActivity.Section
        let own: OwnAccountSection
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "/", use: show)
        router.form(at: "/name", .ofUser(accounts.signedIn, submit: rename))
        router.form(at: "/name/later", .ofUser(accounts.signedIn, submit: leaveName))
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let isSaved = request.queryFields.count("saved") > 0
        guard let session = context.session, session[CurrentSignIn.self].signIn != nil,
            let model = try await clients.clients.read(
                accounts.database,
                { connection in
                    try accounts.signedIn(session, connection).map {
                        try sections(request, $0, name: $0.account.name, isSaved ? .saved : .shown, connection)
                    }
                })
        else { return .redirect(to: SignInPath.signIn) }
        return pages.response("home", model, for: request, offersLanguages: true)
    }

    @Sendable private func rename(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        let typed = try form.fields.text("name") ?? ""
        guard let name = DisplayName.normalised(typed) else {
            let cut = String(typed.prefix(DisplayName.maximumLength))
            let model = try await accounts.database.read { connection in
                try sections(form.request, user, name: cut, .refused, connection)
            }
            return pages.response("home", model, for: form.request, status: .unprocessableContent)
        }
        try await accounts.rename(user.account, to: name, form.context.audit)
        return .redirect(to: "/?saved")
    }

    /// The question for the name is left unanswered, and not asked again.
    @Sendable private func leaveName(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        try await accounts.database.write {
            try ProfileStore.noteNameAnswered(by: user.account.id, at: accounts.clock.now(), $0)
        }
        return .redirect(to: "/")
    }

    /// All sections in one read: they show one state of the account, and a read costs more than its statements.
    private func sections(
        _ request: Request, _ user: SignedInUser, name: String, _ outcome: ProfileSection.NameOutcome,
        _ connection: any SQLConnection
    ) throws -> Model {
        let (texts, now) = (pages.texts(for: request), accounts.clock.now())
        let registered = try clients.clients.registered(connection)
        return Model(
            formToken: sessions.formToken(for: user.session),
            hasNewPasskey: request.queryFields.count("passkey") > 0,
            profile: ProfileSection(
                user, try ProfileStore.profile(of: user.account.id, connection), typedName: name, outcome, texts),
            identities: try identities.section(of: user.account, for: request, texts, connection),
            clients: try clients.section(of: user, registered, now: now, texts, connection),
            sessions: try userSessions.section(of: user, registered, now: now, texts, connection),
            activity: try activity.section(of: user, now: now, texts, connection), own: own)
    }
}

/// The part of the home page that says who is signed in, with the form for the user's name.
struct ProfileSection: Encodable, Sendable {
    /// What became of the form with the name.
    enum NameOutcome: Sendable { case shown, saved, refused }

    let typedName, email: String
    /// On the card.
    let shownName, initials: String
    let since: Moment
    let isSaved, hasError: Bool
    /// Whether it asks what services should call the user: until there is an answer, which may be "not now". Who came with a
    /// provider or an operator has a name.
    let asksName: Bool
    let hasPicture: Bool

    init(_ user: SignedInUser, _ profile: Profile, typedName: String, _ outcome: NameOutcome, _ texts: Texts) {
        let account = user.account
        (self.typedName, email) = (typedName, account.email)
        shownName = account.name
        let words = account.name.split(separator: " ")
        initials = ([words.first] + [words.count > 1 ? words.last : nil]).compactMap { $0?.prefix(1) }.joined()
            .uppercased()
        since = texts.moment(user.signIn.authenticatedAt)
        (isSaved, hasError) = (outcome == .saved, outcome == .refused)
        asksName = !account.isNamed && !profile.hasAnsweredName
        hasPicture = profile.picture != nil
    }
}
