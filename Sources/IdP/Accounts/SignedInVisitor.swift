import SSOWeb

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
