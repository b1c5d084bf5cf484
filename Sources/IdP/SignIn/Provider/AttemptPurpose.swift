import Hummingbird
import SSOShared
import SSOWeb

/// An attempt that has had its answer, in the request that brought it.
struct AnsweredAttempt: Sendable {
    let attempt: ProviderAttempt
    let provider: Provider
    let session: Session
    let request: Request
    let context: VisitorContext
}

/// What becomes of the answers to attempts of one ``ProviderAttempt/Purpose``.
protocol AttemptPurpose: Sendable {
    /// The provider vouches for an identity. Called at most once for an attempt.
    func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response

    /// The user pressed "Cancel" at the provider.
    func cancelled(_ answered: AnsweredAttempt) async throws -> Response

    /// The browser comes back to an attempt that was finished: a reload, Back, or the second half of a double click.
    func again(_ answered: AnsweredAttempt) async throws -> Response

    /// The page for an answer that is refused.
    func page(_ refusal: PublicError, _ answered: AnsweredAttempt) async throws -> PublicError
}

extension AttemptPurpose {
    func again(_ answered: AnsweredAttempt) async throws -> Response { try await cancelled(answered) }
    func page(_ refusal: PublicError, _ answered: AnsweredAttempt) async throws -> PublicError { refusal }
}

extension ProviderSignIn: AttemptPurpose {
    func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        try await finish(
            proven, answered.provider, answered.attempt.flow, answered.session, answered.request, answered.context)
    }

    /// To the sign-in page, to choose another way. A user who is signed in goes on from there.
    func cancelled(_ answered: AnsweredAttempt) async throws -> Response {
        .redirect(to: FlowID.path("/sign-in", answered.attempt.flow))
    }
}

extension ProviderLink: AttemptPurpose {
    func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        guard case .link(let account) = answered.attempt.purpose else { throw PublicError.notFound }
        return try await finish(
            proven, answered.provider, account, answered.session, answered.request, answered.context)
    }

    func cancelled(_ answered: AnsweredAttempt) async throws -> Response { .redirect(to: "/") }
}

/// The purposes of all attempts.
struct AttemptPurposes: Sendable {
    let signIn: ProviderSignIn
    let link: ProviderLink
    let appLink: any AttemptPurpose

    subscript(_ purpose: ProviderAttempt.Purpose) -> any AttemptPurpose {
        switch purpose {
        case .signIn: signIn
        case .link: link
        case .appLink: appLink
        }
    }
}
