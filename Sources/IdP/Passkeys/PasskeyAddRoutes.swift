import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage
import Synchronization
import WebAuthn

/// `/passkeys/add`: asks the browser for a passkey, and takes what the authenticator has made.
///
/// The rule for the sign-in of its user (``Proof/Need/ofAccount(_:age:_:)``) is checked where the page is shown, so that no
/// authenticator makes a passkey in vain, and again in the transaction that stores it.
struct PasskeyAddRoutes: Sendable {
    let ceremonies: PasskeyCeremonies
    let completion: SignInCompletion
    let changes: any AccountChangeReporter
    let pages: Pages
    let offer: PasskeyOffer

    private var accounts: AccountStore { completion.accounts }
    private var sessions: Sessions { ceremonies.sessions }
    private var clock: ServiceClock { ceremonies.clock }

    struct Model: Encodable, Sendable {
        let formToken, options, errorHTML, email, unknown, flow: String
        let hasError, isOffer, isInvited: Bool
        /// Who waits for the passkey, and the flow with which that began.
        let service, waiting: String?
    }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form<SignedInUser>.ofUser(
            accounts.signedIn, elsewhere: { _ in PasskeyPath.add },
            orElse: { _ in .init(label: Text("error.try-again"), href: PasskeyPath.add) }, submit: submit)
        router.form(at: PasskeyPath.add, show: show, form)
        let later = Form<SignedInUser>.ofUser(
            accounts.signedIn, elsewhere: { SignInPath.signIn($0.flow) },
            orElse: { .init(label: Text("error.try-again"), href: FlowID.path(PasskeyPath.offer, $0.flow)) },
            submit: { form, user in .redirect(to: next(form.flow, user.session.slots)) })
        router.form(at: PasskeyPath.offer, show: showOffer, later)
    }

    // MARK: The page

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let session = context.session else { return Self.signIn }
        return try await page(request, session)
    }

    /// Where a user goes on whom a passkey was offered.
    private func next(_ flow: FlowID?, _ slots: SessionSlots) -> String {
        completion.purposes.destination(flow, in: slots, isNativeShell: false)
    }

    @Sendable private func showOffer(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        guard let session = context.session else { return .redirect(to: SignInPath.signIn(flow)) }
        var response = try await page(request, session, offering: .some(flow))
        offer.note(in: &response)
        return response
    }

    private static var signIn: Response { .redirect(to: PasskeyPath.signIn + "?add") }

    /// What the page shows, read in the transaction that puts its challenge into the session.
    private struct Content: Sendable {
        let user: SignedInUser
        let passkeys: [Passkey]
        let handle: [UInt8]
        let slots: SessionSlots
    }

    /// Nil for a user whose sign-in does not do.
    ///
    /// - Parameter changes: false for a HEAD, which gets neither a challenge nor a handle.
    private func content(_ session: Session, changing changes: Bool) async throws -> Content? {
        let now = clock.now()
        guard changes else {
            return try await accounts.database.read { connection in
                var slots = session.slots
                return try content(session, &slots, changing: false, now, connection)
            }
        }
        // The body may run again. The value of its last run is what was committed.
        let result = Mutex<Content?>(nil)
        let updated = try await sessions.store.update(
            session,
            with: { slots, connection in
                let found = try content(session, &slots, changing: true, now, connection)
                result.withLock { $0 = found }
                return found != nil
            })
        return updated == nil ? nil : result.withLock { $0 }
    }

    private func content(
        _ session: Session, _ slots: inout SessionSlots, changing changes: Bool, _ now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Content? {
        guard let user = try accounts.signedIn(session, as: slots[CurrentSignIn.self], connection),
            try Proof.Need.ofAccount(user.account, connection).isMet(by: user, now: now)
        else { return nil }
        let id = user.account.id
        if changes { _ = try ceremonies.issue(for: .add(to: id), in: &slots) }
        return Content(
            user: user, passkeys: try PasskeyStore.all(of: id, connection),
            handle: try changes
                ? PasskeyStore.handle(of: id, ceremonies.randomness, connection)
                : PasskeyStore.handle(of: id, connection) ?? [], slots: slots)
    }

    /// - Parameters:
    ///   - refusal: why the page is shown again.
    ///   - offered: what the sign-in was for, on the page that offers a passkey; nil on the page that adds one.
    private func page(
        _ request: Request, _ session: Session, after refusal: PasskeyAddRefusal? = nil,
        offering offered: FlowID?? = nil
    ) async throws -> Response {
        guard let content = try await content(session, changing: request.method != .head) else {
            return offered.map { .redirect(to: next($0, session.slots)) } ?? Self.signIn
        }
        guard content.passkeys.count < PasskeyStore.maximumPerAccount || refusal != nil else {
            return .redirect(to: PasskeyPath.list)
        }
        let account = content.user.account
        let waiting =
            offered == nil
            ? content.slots[Flows.self].demanding(
                moreThan: content.user.signIn.proofs.strength, of: account.id, now: clock.now()) : nil
        let model = Model(
            formToken: sessions.formToken(for: session),
            options: ceremonies.creationOptions(
                for: account, handle: content.handle, excluding: content.passkeys, in: content.slots),
            errorHTML: refusal.map { pages.texts(for: request).html($0.words) } ?? "", email: account.email,
            unknown: refusal?.unknown.map(ceremonies.unknownCredential) ?? "", flow: offered.flatMap { $0?.text } ?? "",
            hasError: refusal != nil, isOffer: offered != nil,
            isInvited: PasskeyOffer.isInvited(offered ?? nil, session),
            service: completion.purposes.name(of: waiting, in: session), waiting: waiting?.text)
        return pages.response(
            "passkey-add", model, for: request, status: refusal == nil ? .ok : .unprocessableContent,
            offersLanguages: true)
    }

    // MARK: The answer

    @Sendable private func submit(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        try ceremonies.count(form.session, against: ceremonies.answers)
        // Before anything of the form is read.
        guard let taken = try await ceremonies.take(for: .add(to: user.account.id), in: form.session) else {
            return .redirect(to: PasskeyPath.add)
        }
        let open = taken.open
        let answer = try form.fields.bytes("passkey") ?? []
        guard !open.isEmpty else {
            return try await refuse(.init("challenge_expired", Text("passkey.error-expired")), user, form)
        }
        let credential: NewCredential
        do throws(WebAuthnError) {
            let response = try RegistrationResponse(json: answer)
            credential = try PasskeyCeremonies.verify(open) { (ceremony) throws(WebAuthnError) in
                try response.verify(ceremony)
            }
        } catch {
            return try await refuse(.init(error.reason, Text("passkey-add.error")), user, form)
        }
        // A sign-in without a name could not find it.
        if credential.isDiscoverable == false {
            return try await refuse(
                .init("not_discoverable", Text("passkey-add.error-full"), credential.id), user, form)
        }
        switch try await add(credential, user, form) {
        case .added where try form.fields.text("offer") == "1":
            let next = next(form.flow, form.session.slots)
            return .redirect(to: next == "/" ? "/?passkey" : next)
        case .added:
            // A client or a page waits for a user who had no passkey.
            let waiting = form.session[Flows.self].demanding(
                moreThan: user.signIn.proofs.strength, of: user.account.id, now: clock.now())
            return .redirect(to: waiting.map { SignInPath.signIn($0) } ?? PasskeyPath.list + "?added")
        case .taken: return try await refuse(.init("already_registered", Text("passkey-add.error-taken")), user, form)
        case .full:
            return try await refuse(.init("too_many", Text("passkey-add.error-many"), credential.id), user, form)
        case nil: return Self.signIn
        }
    }

    /// In one transaction: the sign-in still does, the passkey is stored, its owner is told, and it is recorded.
    ///
    /// - Returns: nil for a user whose sign-in does not do any more.
    private func add(
        _ credential: NewCredential, _ asking: SignedInUser, _ form: SubmittedForm
    ) async throws -> PasskeyStore.AddOutcome? {
        let (now, origin) = (clock.now(), ChangeOrigin(form.request))
        let name = name(of: credential, form.request)
        let new = AddedPasskey(
            ceremonies.id(credential.id), publicKey: credential.publicKey, algorithm: credential.algorithm.rawValue,
            signCount: credential.signCount, isBackupEligible: credential.isBackupEligible,
            isBackedUp: credential.isBackedUp, transports: credential.transports, aaguid: credential.aaguid.bytes)
        return try await accounts.database.write { connection in
            guard let session = try sessions.store.current(asking.session, connection),
                let user = try accounts.signedIn(session, connection), user.account.id == asking.account.id,
                try Proof.Need.ofAccount(user.account, connection).isMet(by: user, now: now)
            else { return nil }
            let outcome = try PasskeyStore.add(new, named: name, to: user.account, accounts, connection)
            guard case .added(let id) = outcome else { return outcome }
            try changes.report(.passkeyAdded(name: name), of: user.account, by: origin, connection)
            try form.context.record(
                Event(
                    .passkeyAdded, by: .user(user.account.id), account: user.account.id, session: session.handle,
                    detail: id),
                connection)
            return outcome
        }
    }

    /// The model of the authenticator and the day. The user may change it.
    private func name(of credential: NewCredential, _ request: Request) -> String {
        let texts = pages.texts(for: request)
        return texts.plain(
            Text(
                "passkeys.default-name",
                [
                    "model": credential.aaguid.name ?? texts.plain(Text("passkeys.passkey")),
                    "date": String(PlainDate.rfc3339(clock.now()).prefix(10)),
                ]))
    }

    private func refuse(
        _ refusal: PasskeyAddRefusal, _ user: SignedInUser, _ form: SubmittedForm
    ) async throws -> Response {
        form.context.record(
            Event(
                .passkeyRejected, by: .user(user.account.id), account: user.account.id, session: form.session.handle,
                cause: refusal.reason))
        let isOffer = try form.fields.text("offer") == "1"
        return try await page(
            form.request, form.session, after: refusal, offering: isOffer ? .some(form.flow) : nil)
    }
}

/// Why a passkey is not added.
struct PasskeyAddRefusal: Sendable {
    let reason: String
    let words: Text
    /// The credential that was made in vain, so that the browser can forget it.
    let unknown: [UInt8]?

    init(_ reason: String, _ words: Text, _ unknown: [UInt8]? = nil) {
        (self.reason, self.words, self.unknown) = (reason, words, unknown)
    }
}
