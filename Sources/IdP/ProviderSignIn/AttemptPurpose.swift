package import Hummingbird
package import IdPClients
package import IdPFlow
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

/// What an attempt at a provider is for, as a ``FlowPurpose`` is for a flow: what becomes of the answers.
package protocol AttemptPurpose: Sendable {
    /// Stored with the attempts. Never changes.
    static var id: String { get }

    /// Where a user goes who needs the answer no more. Asked before the provider is.
    func over(_ answered: AnsweredAttempt) async throws -> Response?

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
    package func over(_ answered: AnsweredAttempt) async throws -> Response? { nil }
    package func again(_ answered: AnsweredAttempt) async throws -> Response { try await cancelled(answered) }
    package func page(_ refusal: PublicError, _ answered: AnsweredAttempt) async throws -> PublicError { refusal }
}

extension ProviderSignIn: AttemptPurpose {
    package static let id = "sign_in"

    /// Another tab has signed in meanwhile.
    package func over(_ answered: AnsweredAttempt) async throws -> Response? {
        try await completion.alreadySignedIn(answered.request, answered.context, flow: answered.attempt.flow)
    }

    package func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        try await finish(
            proven, answered.provider, answered.attempt.flow, answered.session, answered.request, answered.context)
    }

    /// To the sign-in page, to choose another way. A user who is signed in goes on from there.
    package func cancelled(_ answered: AnsweredAttempt) async throws -> Response {
        .redirect(to: SignInPath.signIn(answered.attempt.flow, cancelled: answered.provider.id))
    }

    package func again(_ answered: AnsweredAttempt) async throws -> Response {
        .redirect(to: SignInPath.signIn(answered.attempt.flow))
    }
}

extension ProviderAddition: AttemptPurpose {
    package static let id = "link"

    package func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        guard let account = answered.attempt.purpose.accountID else { throw PublicError.notFound }
        return try await finish(
            proven, answered.provider, account, answered.session, answered.request, answered.context)
    }

    package func cancelled(_ answered: AnsweredAttempt) async throws -> Response { .redirect(to: "/") }
}

extension ProviderAttempt.Purpose {
    /// To sign in, for a flow or to the home page.
    package static func signIn(_ flow: FlowID?) -> Self { Self(ProviderSignIn.id, flow: flow) }

    /// To link the identity to the account that is signed in.
    package static func link(accountID: String) -> Self { Self(ProviderAddition.id, accountID: accountID) }
}

/// The purposes of all attempts, and the one place that asks what an attempt is for.
struct AttemptPurposes: Sendable {
    private let signIn: ProviderSignIn
    private let others: [String: any AttemptPurpose]

    init(signIn: ProviderSignIn, _ others: [any AttemptPurpose]) {
        self.signIn = signIn
        self.others = Dictionary(others.map { (type(of: $0).id, $0) }) { _, last in last }
    }

    subscript(_ purpose: ProviderAttempt.Purpose) -> any AttemptPurpose { others[purpose.id] ?? signIn }
}
