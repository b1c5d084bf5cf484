package import Hummingbird
package import IdPAccounts
package import IdPClients
import Logging
import SSOShared
package import SSOWeb

/// Recognises visitors who need not sign in, and those who have given only the first proof.
extension SignInCompletion {
    /// Where a user goes who is signed in already; nil for a visitor who is not, and for a user whom the flow asks to sign
    /// in again. A form that was open in another tab, or sent twice, ends where the first one did.
    package func alreadySignedIn(
        _ request: Request, _ context: VisitorContext, flow: FlowID?
    ) async throws -> Response? {
        guard let user = try await accounts.signedIn(context), !asksAgain(user, for: flow) else {
            logHalf(context)
            return nil
        }
        return .redirect(to: destination(flow, user.session, request))
    }

    /// The user whom a flow asks to sign in again; nil for any other visitor.
    package func askedAgain(_ context: VisitorContext, flow: FlowID?) async throws -> SignedInUser? {
        try await accounts.signedIn(context).flatMap { asksAgain($0, for: flow) ? $0 : nil }
    }

    /// The page for a visitor who would begin a sign-in for the flow of a client that is not pending in this browser: a whole
    /// sign-in would lead nowhere.
    ///
    /// - Parameter fields: of the address or of the form, which may have stood open for longer than the flow.
    package func unreachable(
        _ fields: URLEncodedFields, _ request: Request, _ context: VisitorContext
    ) -> PublicError? {
        purposes.unreachable(
            fields, in: context.session, hasCookies: request.headers[.cookie] != nil, now: clock.now())
    }

    /// Whether the visitor has given a first proof that waits for a second one.
    package func waitsForSecondProof(_ session: Session) -> Bool {
        session[HalfSignIn.self].current(now: clock.now()) != nil
    }

    /// Where a visitor goes on whose first step is over, or never was: to the second proof that is missing, or to the sign-in page.
    ///
    /// - Parameter hasCode: whether the browser has a code, whose challenge is gone then.
    package func pathAfterFirstStep(_ session: Session?, _ flow: FlowID?, hasCode: Bool) -> String {
        let asked = session?[HalfSignIn.self].current(now: clock.now())?.factor
        if let factor = factors.first(where: { $0.id == asked }) { return FlowID.path(factor.path, flow) }
        return hasCode ? SignInPath.signInWithoutCode(flow) : SignInPath.signIn(flow)
    }

    /// Logs that a visitor who has given the first proof tries to go on without the second one.
    private func logHalf(_ context: VisitorContext) {
        guard let session = context.session, let first = session[HalfSignIn.self].current(now: clock.now()) else {
            return
        }
        context.record(
            Event(
                .secondFactorMissing, account: first.accountID, session: session.handle,
                flow: session[Flows.self].logID(first.flow), detail: first.factor))
    }

    private func asksAgain(_ user: SignedInUser, for flow: FlowID?) -> Bool {
        user.session.slots.asksAgain(flow, after: user.signIn, now: clock.now())
    }
}
