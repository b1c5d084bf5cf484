import SSOWeb

/// Somebody who is signed in. Its account is not optional: holding the value is the proof.
struct SignedInVisitor: Sendable {
    let session: Session<IdPSession>
    let signIn: IdPSession.SignIn
    let account: Account
}

extension AccountStore {
    /// Who sent the request, or nil for a visitor who is not signed in. An account that may not sign in any more counts
    /// as signed out, and so does a sign-in from before all of the account's sign-ins were ended.
    func signedIn(_ context: VisitorContext) async throws -> SignedInVisitor? {
        guard let session = context.session, let signIn = session.slots.signIn,
            let account = try await find(signIn.accountID), eligibility.maySignIn(account),
            account.signOuts == signIn.accountSignOuts
        else { return nil }
        return SignedInVisitor(session: session, signIn: signIn, account: account)
    }
}
