import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// The page that asks for another address.
struct AddressPage: Sendable {
    let parts: SharedParts

    private struct Model: Encodable, Sendable {
        let formToken, email, typed, errorHTML: String
        /// Until when the last change can be stopped.
        let until: Moment
        let isFree, isImported, isAdmin, isRecent, isOften, hasError: Bool
    }

    func response(
        _ request: Request, _ user: SignedInUser, typed: String = "", error: Text? = nil
    ) async throws -> Response {
        let (now, texts) = (parts.clock.now(), parts.pages.texts(for: request))
        let fixed = try await parts.database.read {
            try AddressChangeStore.fixed(
                user.account, isNamedAdmin: parts.admins.contains(user.account.email), at: now, $0)
        }
        let model = Model(
            formToken: parts.sessions.formToken(for: user.session), email: user.account.email,
            typed: typed, errorHTML: error.map { texts.html($0) } ?? "",
            until: texts.moment(fixed?.end ?? now), isFree: fixed == nil, isImported: fixed == .imported,
            isAdmin: fixed == .admin, isRecent: fixed?.end != nil, isOften: fixed == .often, hasError: error != nil)
        return parts.pages.response(
            "address", model, for: request, status: error == nil ? .ok : .unprocessableContent, offersLanguages: true)
    }
}

/// `/address` asks for another address of the account (``AddressAsk``), and `/address/code` for the code that was sent there.
struct AddressRoutes: Sendable {
    /// Since the sign-in, when the code is typed: ten minutes until it was asked for, and ten that it lives.
    private static let age: Duration = .minutes(20)

    let parts: SharedParts
    let keys: AddressKeys
    let mail: OwnAccountNews

    struct CodeModel: Encodable, Sendable {
        let formToken, address, errorHTML: String
        let hasError: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: AddressPath.page, use: show)
        let code = Form<SignedInUser>.ofUser(
            parts.accounts.signedIn, orElse: { _ in .init(label: Text("error.try-again"), href: AddressPath.code) },
            submit: submit)
        router.form(at: AddressPath.code, show: showCode, code)
        router.publicPage(at: AddressPath.changed) { [pages = parts.pages] request, _ in
            pages.response("address-changed", NoModel(), for: request, offersLanguages: true)
        }
    }

    // MARK: The address

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else {
            return .redirect(to: AccountPage.address.signIn)
        }
        return try await AddressPage(parts: parts).response(request, user)
    }

    // MARK: The code

    private func waiting(_ user: SignedInUser) async throws -> AddressChange? {
        let now = parts.clock.now()
        return try await parts.database.read {
            try AddressChangeStore.waiting(session: user.session.handle, of: user.account.id, at: now, $0)
        }
    }

    @Sendable private func showCode(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else {
            return .redirect(to: AccountPage.address.signIn)
        }
        guard let change = try await waiting(user) else { return .redirect(to: AddressPath.page) }
        return codePage(request, user, change)
    }

    private func codePage(
        _ request: Request, _ user: SignedInUser, _ change: AddressChange, error: Text? = nil
    ) -> Response {
        let model = CodeModel(
            formToken: parts.sessions.formToken(for: user.session), address: change.newAddress,
            errorHTML: error.map { parts.pages.texts(for: request).html($0) } ?? "",
            hasError: error != nil)
        return parts.pages.response(
            "address-code", model, for: request, status: error == nil ? .ok : .unprocessableContent,
            offersLanguages: true)
    }

    @Sendable private func submit(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        guard let waiting = try await waiting(user) else { throw ended(user, form) }
        guard let code = Entered.digits(String((try form.fields.text("code") ?? "").prefix(4096)), count: 6) else {
            return codePage(form.request, user, waiting, error: Text("address.six-digits"))
        }
        let now = parts.clock.now()
        let counted = try await parts.database.write {
            try AddressChangeStore.countGuess(
                on: waiting.id, session: user.session.handle, of: user.account.id, at: now, $0)
        }
        guard let counted else { throw ended(user, form) }
        let isRight = keys.matches(code, counted.id)
        guard isRight, counted.fate == .code else {
            form.context.record(rejected("wrong", user))
            guard counted.tries < AddressChange.maximumTries else { throw PublicError.addressCodeEnded }
            return codePage(form.request, user, counted, error: Text("address.wrong-code"))
        }
        return try await change(counted, user, form)
    }

    private func ended(_ user: SignedInUser, _ form: SubmittedForm) -> PublicError {
        form.context.record(rejected("ended", user))
        return .addressCodeEnded
    }

    private func rejected(_ cause: String, _ user: SignedInUser) -> Event {
        Event(
            .addressCodeRejected, by: .user(user.account.id), account: user.account.id,
            session: user.session.handle, cause: cause)
    }

    /// In one transaction: the user is still signed in, recently and strongly enough; the address changes, every sign-in ends, and
    /// both addresses are told.
    private func change(_ change: AddressChange, _ asking: SignedInUser, _ form: SubmittedForm) async throws -> Response
    {
        let (operators, now) = (mail.changes(by: .user(change.accountID)), parts.clock.now())
        let outcome = try await parts.database.write { connection -> ChangeOwnAddress.Outcome in
            guard let session = try parts.sessions.store.current(asking.session, connection),
                let user = try parts.accounts.signedIn(session, connection), user.account.id == change.accountID,
                try Proof.Need.ofAccount(user.account, age: Self.age, connection).isMet(by: user, now: now)
            else { return .ended }
            let outcome = try operators.make(ChangeOwnAddress(change, parts.accounts), connection).result
            if outcome == .changed { try mail.tell([.old, .new], about: change.id, connection) }
            return outcome
        }
        switch outcome {
        case .changed:
            var response = Response.redirect(to: AddressPath.changed)
            parts.sessions.forget(in: &response)
            return response
        case .taken: throw PublicError.addressTaken
        case .ended: return .redirect(to: AddressPath.page)
        }
    }
}

extension FixedAddress {
    /// Until when it is fixed, where that ends by itself.
    fileprivate var end: Timestamp? {
        if case .recent(let moment) = self { moment } else { nil }
    }
}
