import Hummingbird
import IdPApps
import IdPClients
import IdPFlow
import IdPProviderSignIn
import IdPProviders
import SSOWeb

/// The answers to attempts that link for an app. The apps know no attempts, and the attempts no apps.
struct AppIdentityAttempts: AttemptPurpose {
    static let id = "app_link"

    private let answers: AppIdentityAnswers
    private let signIn: ProviderSignIn

    init(_ identities: AppIdentityStore, _ apps: NativeApps, _ parts: SharedParts, signIn: ProviderSignIn) {
        answers = AppIdentityAnswers(
            identities: identities, apps: apps, randomness: parts.randomness, pages: AppIdentityPages(parts))
        self.signIn = signIn
    }

    func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        try await answers.finish(signIn.identity(proven, answered.provider), try answer(answered))
    }

    func cancelled(_ answered: AnsweredAttempt) async throws -> Response {
        try await answers.cancelled(try answer(answered))
    }

    func again(_ answered: AnsweredAttempt) async throws -> Response { try await answers.again(try answer(answered)) }

    func page(_ refusal: PublicError, _ answered: AnsweredAttempt) async throws -> PublicError {
        try await answers.page(refusal, try answer(answered))
    }

    private func answer(_ answered: AnsweredAttempt) throws(PublicError) -> AppIdentityAnswer {
        guard let id = answered.attempt.purpose.flow else { throw AppIdentityPages.over(nil) }
        return AppIdentityAnswer(
            id: id, provider: answered.provider, session: answered.session, request: answered.request,
            context: answered.context)
    }
}

extension ProviderAttempt.Purpose {
    /// To park the identity for the app of this link, which finishes with its access token.
    static func appIdentity(_ link: FlowID) -> Self { Self(AppIdentityAttempts.id, flow: link) }
}

extension ProviderFeature {
    /// Takes the browser to a provider that is to be added for an app.
    @Sendable func beginAppIdentity(
        _ provider: Provider, for flow: FlowID, _ session: Session, _ context: VisitorContext,
        _ completion: SignInCompletion
    ) async throws -> Response {
        try await start(completion).begin(provider, .appIdentity(flow), session, context)
    }
}
