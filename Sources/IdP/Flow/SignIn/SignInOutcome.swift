import IdPDirectory
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
