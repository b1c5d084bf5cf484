package import Hummingbird
package import IdPClients
import IdPFlow
package import IdPProviders
import SSOShared
package import SSOWeb

/// An attempt that has had its answer, in the request that brought it.
package struct AnsweredAttempt: Sendable {
    package let attempt: ProviderAttempt
    package let provider: Provider
    package let session: Session
    package let request: Request
    package let context: VisitorContext
}

/// What becomes of the answers to attempts of one ``ProviderAttempt/Purpose``.
package protocol AttemptPurpose: Sendable {
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
    package func again(_ answered: AnsweredAttempt) async throws -> Response { try await cancelled(answered) }
    package func page(_ refusal: PublicError, _ answered: AnsweredAttempt) async throws -> PublicError { refusal }
}

extension ProviderSignIn: AttemptPurpose {
    package func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        try await finish(
            proven, answered.provider, answered.attempt.flow, answered.session, answered.request, answered.context)
    }

    /// To the sign-in page, to choose another way. A user who is signed in goes on from there.
    package func cancelled(_ answered: AnsweredAttempt) async throws -> Response {
        .redirect(to: SignInPath.signIn(answered.attempt.flow))
    }
}

extension ProviderAddition: AttemptPurpose {
    package func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        guard case .link(let account) = answered.attempt.purpose else { throw PublicError.notFound }
        return try await finish(
            proven, answered.provider, account, answered.session, answered.request, answered.context)
    }

    package func cancelled(_ answered: AnsweredAttempt) async throws -> Response { .redirect(to: "/") }
}

/// The purposes of all attempts.
package struct AttemptPurposes: Sendable {
    let signIn: ProviderSignIn
    let link: ProviderAddition
    let appIdentity: any AttemptPurpose

    package init(signIn: ProviderSignIn, link: ProviderAddition, appIdentity: any AttemptPurpose) {
        (self.signIn, self.link, self.appIdentity) = (signIn, link, appIdentity)
    }

    subscript(_ purpose: ProviderAttempt.Purpose) -> any AttemptPurpose {
        switch purpose {
        case .signIn: signIn
        case .link: link
        case .appIdentity: appIdentity
        }
    }
}
