import Hummingbird
import IdPApps
import IdPFlow
import IdPProviderSignIn
import IdPProviders
import SSOWeb

/// The answers to attempts that link for an app. The apps know no attempts, and the attempts no apps.
struct AppIdentityAttempts: AttemptPurpose {
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
        guard case .appIdentity(let id) = answered.attempt.purpose else { throw AppIdentityPages.over(nil) }
        return AppIdentityAnswer(
            id: id, provider: answered.provider, session: answered.session, request: answered.request,
            context: answered.context)
    }
}
