import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPProviders
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/api/v1/identities`: the ways in which the user signs in, and the link of a provider.
///
/// A provider is linked in three steps: a ticket for the system browser, the visit to the provider there, and the code that the
/// browser brings back to the app. Only the last one changes anything.
struct IdentitiesAPI: Sendable {
    let authentication: APIAuthentication
    let providers: ProviderRegistry
    let apps: NativeApps
    let appIdentities: AppIdentityStore
    let changes: any AccountChangeReporter
    let pages: Pages

    private var accounts: AccountStore { authentication.accounts }

    @Sendable func list(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let account = try await authentication.app(request, context).account
        let all = try await accounts.database.read { connection in
            try AccountStore.identities(of: account.id, connection)
        }
        let texts = pages.texts(for: request)
        return .json([
            .init(
                "identities",
                all.map { identity -> [JSONText.Member] in
                    identity.members(name: name(of: identity, texts)) + [.init("created_at", identity.addedAt.seconds)]
                        + (identity.usedAt.map { [.init("last_used_at", $0.seconds)] } ?? [])
                })
        ])
    }

    private func name(of identity: AccountIdentity, _ texts: Texts) -> String {
        switch identity.kind {
        case .email: texts.plain(Text("api.identity-email"))
        case .passkey: texts.plain(Text("api.identity-passkey"))
        case .external(let issuer, _): providers.name(ofIssuer: issuer)
        }
    }

    // MARK: The link of a provider

    @Sendable func issueTicket(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let user = try await authentication.app(request, context)
        guard let provider = providers.provider(id: try await APIBody(request).text("provider")) else {
            throw APIError.badRequest("provider must be the id of a provider.", cause: "provider_unknown")
        }
        let need = try await accounts.database.read { try Proof.Need.ofAccount(user.account, $0) }
        guard need.isMet(by: user.entry.proofs.strength, at: user.entry.provenAt, now: accounts.clock.now()) else {
            throw APIError.freshSignInRequired
        }
        let ticket = try IdentityTicket(randomness: appIdentities.randomness)
        try await appIdentities.issue(ticket, to: user, provider: provider.id)
        context.record(
            Event(
                .linkTicketIssued, account: user.account.id, detail: provider.id, ["device": "\(user.entry.id)"]))
        return .json(
            [
                .init("ticket", ticket.wire), .init("expires_in", AppIdentityStore.ticketLifetime.secondsRoundedUp),
            ], status: .created)
    }

    /// What a transaction has decided.
    private enum Outcome: Sendable {
        case added(AccountIdentity, isNew: Bool)
        case elsewhere(provider: String)
        case rejected(IdentityTicketError)
    }

    @Sendable func link(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let user = try await authentication.app(request, context)
        let body = try await APIBody(request)
        let (text, verifier) = (try body.text("code"), try body.text("verifier"))
        let presented = try await PresentedCode(text, verifier, isKnown: appIdentities.isKnown) {
            rejected($0 == .malformed ? .malformed : .unknown, user, context)
        }
        switch try await finish(presented, user, by: ChangeOrigin(request), context.audit) {
        case .rejected(let rejection): throw rejected(rejection, user, context)
        case .elsewhere(let provider):
            context.record(
                Event(.linkCodeRejected, account: user.account.id, cause: "linked_elsewhere", detail: provider))
            throw APIError.linkedElsewhere
        case .added(let identity, let isNew):
            let name = name(of: identity, pages.texts(for: request))
            return .json(identity.members(name: name), status: isNew ? .created : .ok)
        }
    }

    /// In one transaction: the code is consumed and the identity linked, or the code is consumed.
    private func finish(
        _ presented: PresentedCode, _ user: TokenUser, by origin: ChangeOrigin, _ audit: RequestAudit?
    ) async throws -> Outcome {
        try await accounts.database.write { connection in
            let identity: ExternalIdentity
            switch try appIdentities.consume(
                presented.code, verifier: presented.verifier, by: user, of: apps, connection)
            {
            case .failure(let rejection): return .rejected(rejection)
            case .success(let parked): identity = parked
            }
            guard providers.has(id: identity.provider, issuer: identity.issuer) else {
                return .rejected(.providerRemoved)
            }
            let outcome = try accounts.addOnce(
                identity, to: user.account, reporting: changes, by: origin, connection)
            if case .elsewhere = outcome { return .elsewhere(provider: identity.provider) }
            if outcome == .added {
                try audit?.record(
                    Event(
                        .identityLinked, by: .user(user.account.id), account: user.account.id,
                        session: user.entry.sessionHandle, detail: identity.provider, ["device": "\(user.entry.id)"]),
                    connection)
            }
            let key = AccountIdentity.Kind.external(issuer: identity.issuer, subject: identity.subject)
            guard
                let added = try AccountStore.identities(of: user.account.id, connection).first(where: { $0.kind == key }
                )
            else { throw DatabaseError.unavailable("an identity vanished while it was linked") }
            return .added(added, isNew: outcome == .added)
        }
    }

    /// Says why.
    ///
    /// - Returns: the answer, the same for every reason.
    private func rejected(_ rejection: IdentityTicketError, _ user: TokenUser, _ context: VisitorContext) -> APIError {
        context.record(
            Event(
                .linkCodeRejected, account: user.account.id, cause: rejection.rawValue,
                ["device": "\(user.entry.id)"]))
        return .invalidIdentityCode
    }
}

extension AccountIdentity {
    /// The identity in answers of the JSON API.
    fileprivate func members(name: String) -> [JSONText.Member] {
        let provider =
            switch kind {
            case .email: "email"
            case .passkey: "passkey"
            case .external: self.provider ?? ""
            }
        let id = self.name
        return [.init("id", id), .init("provider", provider), .init("name", name)]
            + (email.map { [.init("email", $0)] } ?? [])
    }
}

extension APIError {
    /// The sign-in of the access token is too old for a change of how the user signs in.
    fileprivate static let freshSignInRequired = Self(
        status: .forbidden, code: "fresh_sign_in_required", words: "Sign in again, and then repeat the request.",
        cause: "sign_in_too_old")

    /// Wrong, used, expired or unknown: all the same. The access token holds, so the status is not 401.
    fileprivate static let invalidIdentityCode = Self(
        status: .badRequest, code: "invalid_code",
        words: "The code is wrong, used or expired, or the verifier is wrong.", cause: "link_code_rejected")

    fileprivate static let linkedElsewhere = Self(
        status: .conflict, code: "linked_elsewhere",
        words: "The user's account at the provider belongs to another account.", cause: "linked_elsewhere")
}
