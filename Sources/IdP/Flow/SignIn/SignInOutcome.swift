import IdPAccounts
import IdPClients
import Logging
import SSOShared
import SSOWeb

/// What the transaction of a sign-in has decided, and what happened with it.
struct SignInOutcome: Sendable {
    var match: AccountMatch?
    /// Nil while a second proof is missing.
    var signIn: CurrentSignIn.SignIn?
    var missing: (any SecondFactor)?
    /// The identity that waited for this sign-in.
    var added: ExternalIdentity?
    /// The id of the provider of one that waited and was not added, because its provider is not in the file any more.
    var removedProvider: String?
    var known: KnownBrowserCookie.Claim?
    /// The sign-in of the browser until now.
    var replaced: CurrentSignIn.SignIn?
    /// Whether the session of before was that of a user, or of one whose second proof was missing: clients may know it.
    var replacesAccount = false

    /// What happened.
    ///
    /// - Parameters:
    ///   - session: nil for native screens whose account needs a second proof.
    ///   - old: the session of before.
    func events(_ session: Session?, replacing old: Session?) -> [Event] {
        guard let match else { return [] }
        let (id, actor) = (match.account.id, AuditActor.user(match.account.id))
        var events: [Event] = []
        if signIn != nil, let replaced, let old, replaced.accountID != id {
            let signedOut = Event(
                .signedOut, by: .user(replaced.accountID), account: replaced.accountID, session: old.handle,
                cause: "other_account")
            events.append(signedOut.only(in: .auditLog))
        }
        let flow = signIn?.flow.flatMap(FlowID.init) ?? session?[HalfSignIn.self].anyFlow
        let logFlow = flow.flatMap { session?[Flows.self].logID($0) }
        if let signIn {
            events.append(
                Event(
                    .signedIn, by: actor, account: id, session: session?.handle, flow: logFlow,
                    detail: signIn.proofs.text,
                    session?.rememberedUntil == nil ? [:] : ["remembered": "true"]))
        } else if let missing {
            events.append(
                Event(
                    .secondFactorRequired, by: actor, account: id, session: session?.handle, flow: logFlow,
                    detail: missing.id))
        }
        if let added { events.append(Event(.identityLinked, by: actor, account: id, detail: added.provider)) }
        if let removedProvider {
            events.append(
                Event(.identityLinkRefused, account: id, cause: "provider_removed", detail: removedProvider))
        }
        return events
            + match.revoked.map {
                Event(.identityRevoked, by: actor, account: id, cause: "address_proven", detail: $0.provider)
            }
    }
}
