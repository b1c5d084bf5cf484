import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb

/// The back channel `POST /auth/sso/verify` (``SignedPost`` has the order of the checks).
struct VerifyRoutes: Sendable {
    let grants: GrantStore
    let lifetime: SessionLifetime

    var post: ClientPost<VerifyRequest> {
        ClientPost(
            .verify, refused: .verifyRefused, failed: .verifyFailed, unavailable: .unavailable,
            badBody: SignedPostError.badRequest, answer: redeem)
    }

    private func redeem(
        _ asked: VerifyRequest, _ signed: SignatureCheck.Signed, _ context: VisitorContext
    ) async throws -> Response {
        guard let token = SSOToken(wire: asked.token) else {
            throw SignedPostError.badToken(signed.client.id, .malformedToken)
        }
        let outcome = try await grants.consume(
            GrantStore.Presented(
                token, SSOProtocol.grantKind, by: signed.client, returnTo: asked.redirectURI,
                codeVerifier: asked.codeVerifier, context.audit, use: signed.use, whereStill: signed.isSigned),
            lifetime)
        switch outcome {
        case .accepted(let account, let redeemed, _):
            let reply = VerifyReply(
                user: VerifiedUser(
                    id: account.id, email: account.email, name: account.name, groups: redeemed.groups),
                clientID: signed.client.id,
                session: VerifiedSession(
                    id: redeemed.toldSession, authenticatedAt: redeemed.provenAt?.seconds,
                    methods: redeemed.proofs.methods, acr: redeemed.proofs.strength.rawValue))
            return signed.answer(reply.body())
        case .refused(let rejection): throw SignedPostError.badToken(signed.client.id, rejection)
        case .clientDropped: throw SignedPostError.badSignature(.unknownClient, claimed: signed.client.id)
        case .burnt(let rejection, let owner):
            throw SignedPostError.leakedToken(signed.client.id, rejection, owner: owner)
        }
    }
}
