import Hummingbird
import NIOCore
import SSOWeb

/// What every request carries.
struct VisitorContext: SessionRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?
    let reference = RequestReference()
    var session: Session<IdPSession>?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
        nameLogLines()
    }
}

/// Somebody who is signed in. Its account is not optional: holding the value is the proof.
struct SignedInVisitor: Sendable {
    let session: Session<IdPSession>
    let signIn: IdPSession.SignIn
    let account: Account
}

extension AccountStore {
    /// Who sent the request, or nil for a stranger. A disabled account counts as signed out.
    func signedIn(_ context: VisitorContext) async throws -> SignedInVisitor? {
        guard let session = context.session, let signIn = session.slots.signIn,
            let account = try await find(signIn.accountID), !account.isDisabled
        else { return nil }
        return SignedInVisitor(session: session, signIn: signIn, account: account)
    }
}
