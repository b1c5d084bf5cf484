import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// `POST /identities/unlink`: a button of the home page that removes the identity of a provider. Every other sign-in of the account
/// ends with it: another user may have signed in with that identity (ASVS 7.4.3).
struct ProviderUnlink: IdentityChange {
    struct Asked: Codable, Sendable {
        /// ``AccountIdentity/name``.
        let identity: String
    }

    static let id = "unlink"
    static let path = "/identities/unlink"

    let identities: Identities
    let accessTokens: AccessTokenStore
    let revocation: IdentityRevocation

    func asked(in fields: URLEncodedFields) throws -> Asked { Asked(identity: try fields.text("identity") ?? "") }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        try identities.identity(asked.identity, of: user, connection).flatMap(identities.name).map {
            page(Text("identities.remove-named"), Text("identities.confirm-unlink"), $0, user, isRemoval: true)
        }
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
        .here { user, slots, connection in
            let (accounts, id) = (identities.accounts, user.account.id)
            guard let identity = try identities.identity(asked.identity, of: user, connection), identity.issuer != nil
            else { return .done(goingTo: Self.home) }
            guard try accounts.unlink(identity, from: id, connection) else { return .refused(.lastIdentity) }
            try user.endOthers(.identityRemoved, &slots, accounts, accessTokens, context.audit, connection)
            let event = Event(
                .identityUnlinked, by: .user(id), account: id, session: user.session.handle, detail: identity.provider)
            // The user sees at the provider at once that it is so. A failure is tried again.
            return .done(
                goingTo: "/?removed=\(identity.provider ?? "")",
                telling: identity.provider.map(AccountChange.unlinked), recording: event
            ) { _ = try? await revocation.settle(limit: 1) }
        }
    }
}
