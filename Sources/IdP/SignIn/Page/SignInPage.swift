import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
package import IdPFlow
package import SSOShared
package import SSOWeb
import Storage

/// The page `/sign-in`: every method's option.
package struct SignInPage: Sendable {
    let pages: Pages
    let sessions: Sessions
    let completion: SignInCompletion
    let methods: [any SignInMethod]
    let assets: StaticAssets

    private var purposes: FlowPurposes { completion.purposes }

    /// How many characters the field for an address takes: one with its name and the marks of a copied sentence.
    static let longestTyped = 1024

    package init(_ parts: SharedParts, _ completion: SignInCompletion, _ methods: [any SignInMethod]) {
        (pages, sessions, assets) = (parts.pages, parts.sessions, parts.assets)
        (self.completion, self.methods) = (completion, methods)
    }

    /// What became of a passkey that this page has asked for.
    package struct PasskeyOutcome {
        /// Why it signs nobody in.
        let error: Text
        /// A credential that the browser may forget, as JSON.
        let unknown: String?

        package init(error: Text, unknown: String?) { (self.error, self.unknown) = (error, unknown) }
    }

    struct Link: Encodable, Sendable { let label, href: String }
    struct Note: Encodable, Sendable { let textHTML: String }

    /// What the methods offer on the page.
    private struct Offered {
        var field: (hint: String, button: String)?
        var links: [Link] = []
        var providers: [ProviderButton] = []
        var notes: [Note] = []
        var passkey: PasskeyButton?
        /// Whether a browser without passkeys has no way here.
        var needsPasskeys: Bool { field == nil && providers.isEmpty && links.isEmpty && passkey != nil }
        /// Whether there is no way at all, as in the web view of an app.
        var isEmpty: Bool { field == nil && providers.isEmpty && links.isEmpty && passkey == nil }

        init(_ methods: [any SignInMethod], for attempt: SignInAttempt, _ texts: Texts) {
            for option in methods.flatMap({ $0.options(for: attempt) }) {
                switch option {
                case .emailField(let hint, let button): field = (texts.plain(hint), texts.plain(button))
                case .link(let label, let path):
                    links.append(Link(label: texts.plain(label), href: FlowID.path(path, attempt.flow)))
                case .provider(let button): providers.append(button)
                case .passkey(let button): passkey = button
                case .note(let text): notes.append(Note(textHTML: texts.html(text)))
                }
            }
        }
    }

    struct Model: Encodable, Sendable {
        let formToken, flow, introHTML, logo, logoSizeHTML, againHTML, cancel, cancelHTML, address: String
        let hint, button, errorHTML: String
        let hasIntro, hasLogo, hasAgain, hasCancel, hasError, hasLinks: Bool
        let passkeyErrorHTML, unknownPasskey: String
        let hasPasskeys, hasPasskeyError, needsPasskey, canSetUp, setsUpHere: Bool
        let isOutOfReach, hasNothingElse, hasNothing, isStale: Bool
        let notes: [Note]
        let links: [Link]
        let parts: [SignInParts.Part]
    }

    /// - Parameters:
    ///   - again: who is signed in and asked to sign in again.
    ///   - address: what the visitor typed before, to correct it.
    ///   - error: what is wrong with that.
    ///   - remembers: whether the user has ticked the box to stay signed in.
    package func response(
        _ request: Request, _ session: Session, flow: FlowID?, again: SignInAgain? = nil, address: String? = nil,
        error: EmailAddressError? = nil, passkey outcome: PasskeyOutcome? = nil, remembers: Bool = false
    ) -> Response {
        let hasError = error != nil
        let isStale = request.queryFields.count(SignInPath.staleParameter) > 0
        let attempt = attempt(request, session, flow)
        let texts = pages.texts(for: request)
        let words = purposes.texts(of: flow, in: session, again: again?.user.account.email)
        let needed = session[Flows.self].flow(flow)?.demand.strength ?? .any
        // The web view of an app may hide what sets one up, too. Its link leads to the system browser.
        let (isWithinReach, canSetUp) = (isWithinReach(needed), again?.hasNothingStronger == true)
        let setsUpHere = canSetUp && !attempt.isNativeShell
        let offered = Offered(
            setsUpHere ? [] : methods.filter { again?.lacksStrength != true || $0.strength >= needed }, for: attempt,
            texts)
        let parts = parts(offered, hasError: hasError, remembers, request, texts)
        let model = Model(
            formToken: sessions.formToken(for: session), flow: flow?.text ?? "",
            introHTML: words.intro.map(texts.html) ?? "", logo: words.logo, logoSizeHTML: words.logoSizeHTML,
            againHTML: words.again.map(texts.html) ?? "",
            cancel: words.cancel?.href ?? "", cancelHTML: words.cancel.map { texts.html($0.label) } ?? "",
            address: address ?? shown(flow, session, again), hint: offered.field?.hint ?? "",
            button: offered.field?.button ?? "",
            errorHTML: error.map { texts.html($0.words) } ?? "",
            hasIntro: words.intro != nil,
            hasLogo: !words.logo.isEmpty, hasAgain: words.again != nil, hasCancel: words.cancel != nil,
            hasError: hasError, hasLinks: !offered.links.isEmpty,
            passkeyErrorHTML: outcome.map { texts.html($0.error) } ?? "", unknownPasskey: outcome?.unknown ?? "",
            hasPasskeys: offered.passkey != nil, hasPasskeyError: outcome != nil,
            needsPasskey: again == nil && needed > .any && offered.passkey != nil,
            canSetUp: canSetUp, setsUpHere: canSetUp && offered.links.isEmpty, isOutOfReach: !isWithinReach,
            hasNothingElse: offered.needsPasskeys,
            hasNothing: offered.isEmpty && !canSetUp && isWithinReach, isStale: isStale, notes: offered.notes,
            links: offered.links, parts: parts.ordered)
        var response = pages.response(
            "sign-in", model, for: request,
            status: hasError || outcome != nil
                ? .unprocessableContent : isStale && request.method == .post ? .forbidden : .ok,
            offersLanguages: true)
        // Its script asks for a new challenge while the page is open.
        if offered.passkey != nil { response.headers[.contentSecurityPolicy] = ContentPolicy.formsAndEvents }
        sessions.remember(session, in: &response)
        return response
    }

    private func parts(
        _ offered: Offered, hasError: Bool, _ remembers: Bool, _ request: Request, _ texts: Texts
    ) -> SignInParts {
        let passkey = offered.passkey.map {
            SignInParts.PasskeyForm(action: $0.path, renewal: $0.renewal, options: $0.options)
        }
        return SignInParts(
            providers: offered.providers, passkey: passkey,
            remember: passkey == nil
                ? nil
                : RememberChoice(
                    sessions.store.lifetime, isTicked: remembers, request, texts,
                    besideProviders: !offered.providers.isEmpty),
            hasEmailField: offered.field != nil, hasError: hasError,
            lastUsed: completion.lastMethod.value(in: request), texts: texts,
            logo: { assets.path(of: "provider-\($0).svg") })
    }

    /// Who is signed in and asked to sign in again, and what the sign-in lacks.
    package func again(_ context: VisitorContext, _ flow: FlowID?) async throws -> SignInAgain? {
        guard let user = try await completion.askedAgain(context, flow: flow) else { return nil }
        let needed = user.session[Flows.self].flow(flow)?.demand.strength ?? .any
        guard user.signIn.proofs.strength < needed, !isLifted(to: needed) else {
            return SignInAgain(user: user, lacksStrength: false, hasNothingStronger: false)
        }
        let has = try await completion.accounts.database.read { try PasskeyStore.has(user.account.id, $0) }
        return SignInAgain(
            user: user, lacksStrength: true, hasNothingStronger: !has && isWithinReach(needed))
    }

    /// Whether a second factor may lift any method to what is needed.
    private func isLifted(to needed: Strength) -> Bool { needed != .phr && !completion.factors.isEmpty }

    /// Whether any user could prove as much: where browsers make no passkeys, none can.
    private func isWithinReach(_ needed: Strength) -> Bool {
        needed == .any || isLifted(to: needed) || methods.contains { $0.strength >= needed }
    }

    private func attempt(_ request: Request, _ session: Session?, _ flow: FlowID?) -> SignInAttempt {
        var attempt = SignInAttempt(
            flow: flow, clientName: session.flatMap { purposes.name(of: flow, in: $0) },
            isNativeShell: request.isFromNativeShell, needsNewSignIn: session?.slots.signInSince(flow) != nil)
        attempt.cancelled = (try? request.queryFields.text(SignInPath.cancelledParameter)) ?? nil
        attempt.hasLostCode = request.queryFields.count(SignInPath.lostCodeParameter) > 0
        if let session { attempt.slots = session.slots }
        return attempt
    }

    /// The session of a request that shows the page, with what the methods put into it. A new one has it from the start.
    /// A HEAD stores nothing.
    func session(_ request: Request, _ context: VisitorContext, _ flow: FlowID?) async throws -> Session {
        if let session = context.session { return try await prepared(session, request, flow) }
        guard request.method != .head else {
            return try await prepared(sessions.current(request, context), request, flow)
        }
        var slots = SessionSlots()
        _ = try prepare(attempt(request, nil, flow), in: &slots)
        return try await sessions.begin(slots, request, context, isVisit: true)
    }

    /// A session with what the methods put into it.
    package func prepared(_ session: Session, _ request: Request, _ flow: FlowID?) async throws -> Session {
        let attempt = attempt(request, session, flow)
        var shown = session
        guard try prepare(attempt, in: &shown.slots), request.method != .head else { return shown }
        return try await sessions.store.update(session) { try prepare(attempt, in: &$0) } ?? session
    }

    private func prepare(_ attempt: SignInAttempt, in slots: inout SessionSlots) throws -> Bool {
        try methods.reduce(false) { try $1.prepare(attempt, in: &slots) || $0 }
    }

    /// The address to begin with.
    private func shown(_ flow: FlowID?, _ session: Session, _ again: SignInAgain?) -> String {
        EmailAddress.shown(session[Flows.self].flow(flow)?.demand.loginHint ?? again?.user.account.email ?? "")
    }
}

/// A user who is signed in and has to sign in again.
package struct SignInAgain: Sendable {
    let user: SignedInUser
    /// Whether only a method of the strength that is needed will do.
    let lacksStrength: Bool
    /// Whether the account has none, and has to set one up first.
    let hasNothingStronger: Bool
}
