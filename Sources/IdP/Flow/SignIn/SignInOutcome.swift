import IdPAccounts
import IdPClients
import Logging
import SSOShared
import SSOWeb

/// What the transaction of a sign-in has decided, and what the log says of it.
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

    /// What the audit log says of it.
    ///
    /// - Parameters:
    ///   - session: nil for native screens whose account needs a second proof.
    ///   - old: the session of before.
    func auditRows(_ session: Session?, replacing old: Session?) -> [Event] {
        guard let match else { return [] }
        let (id, actor) = (match.account.id, AuditActor.user(match.account.id))
        var rows: [Event] = []
        if signIn != nil, let replaced, let old, replaced.accountID != id {
            rows.append(
                Event(
                    .signedOut, by: .user(replaced.accountID), account: replaced.accountID, session: old.handle,
                    cause: "other_account"))
        }
        let flow = signIn?.flow.flatMap(FlowID.init) ?? session?[HalfSignIn.self].anyFlow
        let logFlow = flow.flatMap { session?[Flows.self].logID($0) }
        if let signIn {
            rows.append(
                Event(
                    .signedIn, by: actor, account: id, session: session?.handle, flow: logFlow,
                    detail: signIn.methods.joined(separator: " ")))
        } else if let missing {
            rows.append(
                Event(
                    .secondFactorRequired, by: actor, account: id, session: session?.handle, flow: logFlow,
                    detail: missing.id))
        }
        if let added { rows.append(Event(.identityLinked, by: actor, account: id, detail: added.provider)) }
        rows += match.revoked.map {
            Event(.identityRevoked, by: actor, account: id, cause: "address_proven", detail: $0.provider)
        }
        return rows
    }

    /// - Parameter session: nil for native screens whose account needs a second proof.
    func log(_ session: Session?, to logger: Logger) {
        guard let match else { return }
        let flow = signIn?.flow.flatMap(FlowID.init) ?? session?[HalfSignIn.self].anyFlow
        var metadata: Logger.Metadata = [
            "account": "\(match.account.id)", "session": "\(session?.handle ?? "-")",
            "flow": "\(session?[Flows.self].logID(flow) ?? "-")",
        ]
        if let signIn {
            metadata["method"] = "\(signIn.methods.joined(separator: " "))"
            if session?.rememberedUntil != nil { metadata["remembered"] = "true" }
            logger.info("signed_in", metadata: metadata)
        } else if let missing {
            metadata["factor"] = "\(missing.id)"
            logger.info("second_factor_required", metadata: metadata)
        }
        if let added {
            logger.notice(
                "identity_linked",
                metadata: ["account": "\(match.account.id)", "provider": "\(added.provider)"])
        }
        if let removedProvider {
            logger.notice(
                "identity_link_refused",
                metadata: [
                    "account": "\(match.account.id)", "provider": "\(removedProvider)",
                    "reason": "provider_removed",
                ])
        }
        for identity in match.revoked {
            logger.warning(
                "identity_revoked",
                metadata: [
                    "account": "\(match.account.id)", "provider": "\(identity.provider ?? "-")",
                    "reason": "address_proven",
                ])
        }
    }
}
