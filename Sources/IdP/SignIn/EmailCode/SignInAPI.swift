import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `POST /api/v1/sign-in` and `POST /api/v1/sign-in/code`: the sign-in by email code for native screens.
///
/// The steps, limits and budgets are those of the pages (``AddressStep``, ``CodeStep``). In place of a session the app holds
/// a key of its challenge.
///
/// An `Authorization` is ignored: HTTP clients add their last access token to every request, and a token that has ended must
/// not keep its user from signing in. Such a request has no cookies here (``APISession``), so it replaces no session.
struct SignInAPI: Sendable {
    let addresses: AddressStep
    let codes: CodeStep
    let completion: SignInCompletion
    let limits: SignInLimits
    /// Names a challenge for the app that began it.
    let keys: ChallengeKey
    let pages: Pages
    let database: any Database
    /// Whether emails are sent.
    let isOn: Bool
    let clock: ServiceClock
    let randomness: any Randomness

    init(_ parts: SharedParts, addresses: AddressStep, codes: CodeStep, completion: SignInCompletion) {
        (self.addresses, self.codes, self.completion) = (addresses, codes, completion)
        keys = ChallengeKey(keys: parts.keys, label: "api-challenge")
        (limits, pages, database) = (parts.limits, parts.pages, parts.database)
        (clock, randomness, isOn) = (parts.clock, parts.randomness, parts.hasMail)
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.api([.post], at: "sign-in", use: begin)
        router.api([.post], at: "sign-in/code", use: signIn)
    }

    /// The answer is the same whether or not the address may sign in.
    @Sendable private func begin(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard isOn else { throw APIError.withoutMail }
        let body = try await APIBody(request)
        let (text, earlier) = (try body.text("email"), try body.optionalText("challenge"))
        guard let asked = try await addresses.count(text, request, context, logFlow: nil) else {
            throw APIError.badRequest(
                "email must be an email address such as name@example.com. \(EmailAddressError.reason(text))",
                cause: "email_malformed")
        }
        // One that was not made here counts as none.
        let held = earlier.flatMap(challengeID)
        let begun = try await database.write { connection in
            let held = try held.flatMap { try addresses.challenges.entry(of: $0, connection) }
            return try addresses.begin(asked, held: held, flow: Challenge.appFlow, service: nil, connection)
        }
        return .json(
            [
                .init("challenge", Base64URL.encode(keys.bytes(for: begun.entry.id))),
                .init("expires_in", (begun.expiresAt - clock.now()).secondsRoundedUp),
            ], status: .accepted)
    }

    @Sendable private func signIn(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard isOn else { throw APIError.withoutMail }
        let body = try await APIBody(request)
        let (key, typed) = (try body.text("challenge"), try body.text("code"))
        let device = try deviceName(body, request)
        guard let id = challengeID(key), let challenge = try await addresses.challenges.find(id) else {
            try limits.countCodePost(request, context, browserID: nil)
            throw APIError.invalidCode
        }
        try limits.countCodePost(request, context, browserID: challenge.browserID)
        guard let code = EmailCode.normalised(typed) else {
            throw APIError.badRequest(EmailCode.inputProblem(typed), cause: "code_malformed")
        }
        let new = NewAccessToken(token: try AccessToken(randomness: randomness), device: device)
        let kind = DeviceKind(userAgent: request.headers[.userAgent]).rawValue
        let outcome = try await codes.guess(
            code, challenge: id, request, context, beganSession: false
        ) { identity, proof in
            let proven = ProvenSignIn(identity, method: CodeStep.method, flow: nil, consuming: proof)
            func complete(_ session: Session?) async throws -> SignInStep? {
                let target = SignInTarget(replacing: session, app: kind, issuing: new)
                let step = try await completion.complete(proven, for: target, request, context)
                if case .lost = step { return nil }
                return step
            }
            if let session = context.session, let step = try await complete(session) { return step }
            // Without a session, or its session has ended meanwhile and nothing was consumed.
            return try await complete(nil)
        }
        switch outcome {
        case .done(.signedIn(let done)): return answer(done, new.token, request)
        case .done: throw APIError.secondFactorRequired
        case .rejected(let reason): throw try await error(reason, challenge, context)
        }
    }

    private func answer(_ done: CompletedSignIn, _ token: AccessToken, _ request: Request) -> Response {
        var response = Response.json([
            .init("access_token", token.wire), .init("token_type", "Bearer"),
            .init("expires_in", AccessTokenStore.lifetime.secondsRoundedUp),
            .init("user", done.account.members), .init("new_user", done.isNew),
        ])
        completion.remember(done, request, in: &response)
        return response
    }

    private func error(
        _ reason: CodeStep.CodeError, _ challenge: Challenge, _ context: VisitorContext
    ) async throws -> APIError {
        let found = try await addresses.challenges.findForLog(challenge.id)
        context.record(
            reason.event(found?.challenge ?? challenge, account: found?.account, flow: nil, context))
        guard reason == .paused, let until = try await codes.guesses.pausedUntil(challenge) else {
            return .invalidCode
        }
        return .paused(until - clock.now())
    }

    private func challengeID(_ key: String) -> String? { Base64URL.decode(key).flatMap(keys.challengeID) }

    private func deviceName(_ body: APIBody, _ request: Request) throws -> String {
        guard let given = try body.optionalText("device_name") else {
            return pages.texts(for: request).plain(DeviceKind(userAgent: request.headers[.userAgent]).name)
        }
        guard let name = DisplayName.normalised(given) else {
            throw APIError.badRequest(
                "device_name must have 1 to \(DisplayName.maximumLength) visible characters.",
                cause: "device_name_malformed")
        }
        return name
    }
}

extension APIError {
    /// Wrong, used, expired or unknown: all the same (docs/architecture.md, "no account enumeration").
    fileprivate static let invalidCode = unauthorized(
        "invalid_code", "The code is wrong, used or expired, or the challenge is unknown.", cause: "code_rejected")

    /// The code was right and is used. Native screens ask for no second proof: the page of the IdP does.
    fileprivate static let secondFactorRequired = Self(
        status: .forbidden, code: "second_factor_required",
        words: "This account needs a second proof. Sign in with the system browser: /auth/native/email.",
        cause: "second_factor_missing")

    /// Native screens sign in by email alone.
    fileprivate static let withoutMail = Self(
        status: .forbidden, code: "email_off",
        words: "This server sends no emails. Sign in with the system browser: /auth/native/passkey.",
        cause: "email_off")

    fileprivate static func paused(_ wait: Duration) -> Self {
        Self(
            status: .tooManyRequests, code: "rate_limited", words: "Too many wrong codes. Try again after Retry-After.",
            cause: "guesses_paused", headers: [.retryAfter: String(max(1, wait.secondsRoundedUp))])
    }
}
