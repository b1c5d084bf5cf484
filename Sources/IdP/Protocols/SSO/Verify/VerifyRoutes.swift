import HTTPTypes
package import Hummingbird
package import IdPDirectory
package import IdPFlow
import Logging
import NIOCore
import SSOShared
package import SSOWeb

/// The back channel `POST /auth/sso/verify`. The order of the checks matters: method, type, announced size, headers of the
/// signature, and only then the body is read; then its size, the signature, and its content.
package struct VerifyRoutes: Sendable {
    let signatures: SignatureCheck
    let grants: GrantStore
    let idleLimit: Duration
    let addresses: ClientAddress
    /// Limits bad signatures per network. Good ones are never counted.
    let badSignatures: NetworkLimit
    /// The networks that have sent a good signature. A flood of bad ones from the same network, for example behind one
    /// proxy, must not keep them out.
    let proven: ProvenNetworks

    package init(
        signatures: SignatureCheck, grants: GrantStore, idleLimit: Duration, addresses: ClientAddress,
        badSignatures: NetworkLimit, proven: ProvenNetworks
    ) {
        (self.signatures, self.grants, self.idleLimit, self.addresses, self.badSignatures) = (
            signatures, grants, idleLimit, addresses, badSignatures
        )
        self.proven = proven
    }

    package func add(to router: Router<VisitorContext>) {
        router.only(
            [.post], at: RouterPath(SSOPath.verify),
            refusing: { _ in
                var response = SignedPostError.wrongMethod.response
                response.headers[.allow] = "POST"
                return response
            }, use: verify)
    }

    @Sendable private func verify(_ request: Request, _ context: VisitorContext) async throws -> Response {
        do {
            return try await answer(request, context)
        } catch let error as SignedPostError {
            context.logger.log(
                level: error.isAlert ? .warning : .info, "verify_refused", metadata: Self.metadata(error))
            return error.response
        } catch let failure as DatabaseError {
            // A storage failure is never reported as a bad token: the client may try again.
            context.logger.error(
                "verify_failed", metadata: ["cause": "\(failure)"])
            return SignedPostError.unavailable.response
        }
    }

    private static func metadata(_ error: SignedPostError) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "error": "\(error.code.rawValue)", "cause": "\(error.cause)", "flow": "\(error.flow ?? "-")",
            "client": "\(error.client ?? "-")",
        ]
        for (name, value) in [
            ("session", error.session), ("issued_to", error.issuedTo), ("detail", error.detail),
        ] { if let value { metadata[name] = "\(value)" } }
        return metadata
    }

    private func answer(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/json" else {
            throw SignedPostError.wrongType
        }
        let address = addresses.address(of: request, peer: context.peer) ?? .unknown
        // Checked before the body is read and hashed, so that a flood stays cheap.
        if let wait = badSignatures.wait(address), !proven.mayTry(address) {
            throw SignedPostError.rateLimited(wait)
        }
        let (signed, body) = try await signed(request, from: address)
        proven.note(address)
        let asked: VerifyRequest
        do { asked = try VerifyRequest(body: body) } catch {
            throw SignedPostError.badRequest(error, client: signed.client.id)
        }
        return try await redeem(asked, signed, context)
    }

    /// The client that has signed a request, and the body. Headers that cannot be right cost no body.
    private func signed(
        _ request: Request, from address: IPAddress
    ) async throws -> (SignatureCheck.Signed, body: [UInt8]) {
        do {
            try request.checkAnnouncedLength(VerifyRequest.maximumBytes)
            let claim = try signatures.claim(of: request)
            let body = try await request.boundedBody(VerifyRequest.maximumBytes)
            return (try signatures.check(claim, body: body), body)
        } catch let rejection as SignatureCheck.SignatureError {
            if let wait = badSignatures.hit(address) { throw SignedPostError.rateLimited(wait) }
            throw SignedPostError.badSignature(rejection, claimed: signatures.claimedClient(of: request))
        } catch is PublicError {
            throw SignedPostError.tooLarge
        }
    }

    private func redeem(
        _ asked: VerifyRequest, _ signed: SignatureCheck.Signed, _ context: VisitorContext
    ) async throws -> Response {
        // RFC 7636 4.1: 43 to 128 unreserved characters.
        guard asked.codeVerifier.map(CodeChallenge.isWellFormedVerifier) ?? true else {
            throw SignedPostError.badToken(signed.client.id, .malformedVerifier)
        }
        guard let token = SSOToken(wire: asked.token) else {
            throw SignedPostError.badToken(signed.client.id, .malformedToken)
        }
        let outcome = try await grants.consume(
            GrantStore.Presented(
                token, SSOProtocol.grantKind, by: signed.client, returnTo: asked.redirectURI,
                codeVerifier: asked.codeVerifier, whereStill: signed.isSigned), idleLimit: idleLimit)
        switch outcome {
        case .accepted(let account, let redeemed):
            context.logger.info(
                "token_redeemed",
                metadata: [
                    "client": "\(signed.client.id)", "account": "\(account.id)", "session": "\(redeemed.sessionHandle)",
                    "flow": "\(redeemed.flow)",
                ])
            let reply = VerifyReply(
                user: VerifiedUser(id: account.id, email: account.email, name: account.name),
                clientID: signed.client.id,
                session: VerifiedSession(
                    id: redeemed.sessionHandle, authenticatedAt: redeemed.provenAt?.seconds,
                    methods: redeemed.methods))
            return signed.answer(reply.body())
        case .refused(let rejection): throw SignedPostError.badToken(signed.client.id, rejection)
        case .clientDropped: throw SignedPostError.badSignature(.unknownClient, claimed: signed.client.id)
        case .burnt(let owner):
            throw SignedPostError.leakedToken(signed.client.id, owner: owner)
        }
    }
}
