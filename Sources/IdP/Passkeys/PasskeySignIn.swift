import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignIn
import SSOShared
import SSOWeb
import Storage
import WebAuthn

/// `POST /sign-in/passkey` takes what the browser answers, and `POST /sign-in/passkey/options` gives the page a new challenge.
struct PasskeySignIn: Sendable {
    static let path = SignInPath.passkey
    static let optionsPath = SignInPath.passkeyOptions

    let ceremonies: PasskeyCeremonies
    let completion: SignInCompletion
    let page: SignInPage
    let changes: any AccountChangeReporter
    let newcomers: NewSessionLimit

    private var sessions: Sessions { ceremonies.sessions }
    private var accounts: AccountStore { completion.accounts }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: { [completion] post in
                try await completion.alreadySignedIn(post.request, post.context, flow: post.flow)
                    .map { .over($0) } ?? .open(())
            },
            orElse: { .init(label: Text("sign-in.title"), href: SignInPath.signIn($0.flow)) },
            submit: { form, _ in try await submit(form) })
        router.form(at: Self.path, form)
        router.script(at: Self.optionsPath, use: renew)
    }

    @Sendable private func renew(
        _ request: Request, _ context: VisitorContext, _ session: Session
    ) async throws -> Response {
        try ceremonies.count(session, against: ceremonies.options)
        let flow = FlowID.read(request.queryFields)
        let use = flow == nil ? PasskeyChallenges.Use.signInToAny : .signIn(flow)
        guard let renewed = try await ceremonies.renew(for: use, in: session) else {
            throw PublicError.staleForm(request, from: .ownPage, .home)
        }
        return .json(text: ceremonies.requestOptions(flow, in: renewed.slots))
    }

    private func submit(_ form: SubmittedForm) async throws -> Response {
        try ceremonies.count(form.session, against: ceremonies.answers)
        do {
            return try await signIn(form)
        } catch {
            _ = try await ceremonies.take(for: .signIn(form.flow), in: form.session)
            throw error
        }
    }

    /// The challenge goes with the session that the sign-in replaces, or is taken out before a refusal is answered.
    private func signIn(_ form: SubmittedForm) async throws -> Response {
        let (request, context, session, flow) = (form.request, form.context, form.session, form.flow)
        if let error = completion.unreachable(form.fields, request, context) { throw error }
        let answer = try form.fields.bytes("passkey") ?? []
        let remembers = try RememberChoice.isTicked(in: form.fields)
        let proven: Proven
        switch try await check(answer, ceremonies.open(for: .signIn(flow), in: session.slots)) {
        case .refused(let refusal): return try await refuse(refusal, form)
        case .proven(let value): proven = value
        }
        let done = try await completion.finish(
            ProvenSignIn(
                .passkey(proven.passkey.identity), method: proven.method, strength: .phr, flow: flow,
                remembers: remembers, consuming: { try consume(proven, of: session, flow, context, $0) }),
            session, request, context)
        if let done {
            await newcomers.giveBack(request, context)
            return done
        }
        // The passkey, or its account, has gone meanwhile; or another request of this browser was faster.
        return try await refuse(PasskeyRefusal("used_elsewhere", account: proven.passkey.accountID), form)
    }

    // MARK: The proof

    private struct Proven: Sendable {
        let passkey: Passkey
        let assertion: VerifiedAssertion
        let challenge: [UInt8]

        /// A key that never leaves its device is one of hardware (RFC 8176 2).
        var method: String { passkey.isBackupEligible ? PasskeyMethod.name : PasskeyMethod.name + " +hwk" }
    }

    private enum Checked {
        case proven(Proven)
        case refused(PasskeyRefusal)
    }

    /// What the store has of a credential.
    private struct Stored: Sendable {
        let passkey: Passkey
        let handle: [UInt8]
        let maySignIn: Bool
    }

    /// The same work for every passkey that is known: whether its account may sign in is looked at last.
    private func check(_ answer: [UInt8], _ open: [Ceremony]) async throws -> Checked {
        guard !open.isEmpty else { return .refused(.expired) }
        let response: AssertionResponse
        do throws(WebAuthnError) { response = try AssertionResponse(json: answer) } catch {
            return .refused(PasskeyRefusal(error.reason))
        }
        let id = ceremonies.id(response.credentialID)
        guard let found = try await stored(id) else { return .refused(.unknown(response.credentialID)) }
        let passkey = found.passkey
        let assertion: VerifiedAssertion
        let challenge: [UInt8]
        do throws(WebAuthnError) {
            (assertion, challenge) = try PasskeyCeremonies.verify(open) { (ceremony) throws(WebAuthnError) in
                let verified = try response.verify(
                    ceremony, credential: StoredCredential(passkey), userHandle: found.handle)
                return (verified, ceremony.challenge)
            }
        } catch {
            return .refused(PasskeyRefusal(error, of: passkey))
        }
        guard found.maySignIn else {
            return .refused(PasskeyRefusal("account_disabled", account: passkey.accountID))
        }
        return .proven(Proven(passkey: passkey, assertion: assertion, challenge: challenge))
    }

    private func stored(_ id: PasskeyID) async throws -> Stored? {
        if let found = try accounts.database.readAtOnce({ try stored(id, $0) }) { return found }
        return try await accounts.database.read { connection in try stored(id, connection) }
    }

    private func stored(_ id: PasskeyID, _ connection: any SQLConnection) throws -> Stored? {
        guard let passkey = try PasskeyStore.find(id, connection),
            let account = try AccountStore.find(passkey.accountID, connection)
        else { return nil }
        return Stored(
            passkey: passkey, handle: try PasskeyStore.handle(of: account.id, connection) ?? [],
            maySignIn: accounts.eligibility.maySignIn(account))
    }

    /// In the transaction that signs in and ends the session: nothing has taken the challenge out of it, the passkey is still
    /// there, its account may still sign in, and no other sign-in has counted further.
    private func consume(
        _ proven: Proven, of session: Session, _ flow: FlowID?, _ context: VisitorContext,
        _ connection: any SQLConnection
    ) throws -> Bool {
        guard let current = try sessions.store.current(session, connection),
            ceremonies.open(for: .signIn(flow), in: current.slots).map(\.challenge).contains(proven.challenge),
            let account = try AccountStore.find(proven.passkey.accountID, connection),
            accounts.eligibility.maySignIn(account)
        else { return false }
        let (passkey, assertion) = (proven.passkey, proven.assertion)
        guard
            try PasskeyStore.use(
                passkey, signCount: assertion.signCount, isBackedUp: assertion.isBackedUp, connection)
        else { return false }
        if assertion.counter == .repeated {
            try context.record(
                Event(
                    .passkeyCounter, by: .user(account.id), account: account.id, cause: "synced", detail: passkey.id),
                connection)
        }
        return true
    }

    // MARK: The refusal

    /// The sign-in page with what the user may know, and a new challenge: those of before are taken out.
    private func refuse(_ refusal: PasskeyRefusal, _ form: SubmittedForm) async throws -> Response {
        let (request, context, flow) = (form.request, form.context, form.flow)
        guard let taken = try await ceremonies.take(for: .signIn(flow), in: form.session) else {
            return .redirect(to: SignInPath.signIn(flow))
        }
        context.record(
            Event(
                .passkeyRejected, by: .visitor, account: refusal.account, session: form.session.handle,
                flow: form.session[Flows.self].logID(flow), cause: refusal.reason))
        if refusal.isCopied, let account = refusal.account {
            try await raiseAlarm(account, refusal.passkey, form)
        }
        let session = try await page.prepared(taken.session, request, flow)
        return page.response(
            request, session, flow: flow, again: try await page.again(context, flow),
            passkey: .init(error: refusal.words, unknown: refusal.unknown.map(ceremonies.unknownCredential)),
            remembers: try RememberChoice.isTicked(in: form.fields))
    }

    /// There may be a copy of a key that never leaves its device.
    private func raiseAlarm(_ accountID: String, _ passkey: String?, _ form: SubmittedForm) async throws {
        try await accounts.database.write { connection in
            guard let account = try AccountStore.find(accountID, connection) else { return }
            try form.context.record(
                Event(
                    .passkeyCounter, by: .visitor, account: accountID, cause: "device_bound", detail: passkey),
                connection)
            try changes.report(.passkeyCopied, of: account, by: ChangeOrigin(form.request), connection)
        }
    }
}

/// Why a passkey signs nobody in.
struct PasskeyRefusal: Sendable {
    let reason: String
    var account: String?
    /// The id of the row.
    var passkey: String?
    /// The credential that nobody knows, so that the browser can forget it.
    var unknown: [UInt8]?
    fileprivate var isCopied = false
    /// The same for everything that says something about an account.
    fileprivate var words = Text("passkey.error")

    init(_ reason: String, account: String? = nil) { (self.reason, self.account) = (reason, account) }

    /// - Parameter passkey: whose key it is. Only its owner learns of a change of BE.
    init(_ error: WebAuthnError, of passkey: Passkey) {
        (reason, account, self.passkey) = (error.reason, passkey.accountID, passkey.id)
        isCopied = error == .counterRepeated
        if error == .backupEligibilityChanged { words = Text("passkey.error-other-device") }
    }

    /// The challenge is too old, or was used.
    static var expired: PasskeyRefusal {
        var refusal = PasskeyRefusal("challenge_expired")
        refusal.words = Text("passkey.error-expired")
        return refusal
    }

    static func unknown(_ credential: [UInt8]) -> PasskeyRefusal {
        var refusal = PasskeyRefusal("credential_unknown")
        refusal.words = Text("passkey.error-unknown")
        refusal.unknown = credential
        return refusal
    }
}

extension StoredCredential {
    fileprivate init(_ passkey: Passkey) {
        self.init(
            id: passkey.identity.credential, publicKey: passkey.publicKey, signCount: passkey.signCount,
            isBackupEligible: passkey.isBackupEligible)
    }
}
