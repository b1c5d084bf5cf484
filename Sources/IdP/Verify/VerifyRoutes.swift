import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// The back channel `POST /auth/sso/verify` (contract 5). The order of the checks is the point: method, type, size,
/// signature, and only then anything in the body.
struct VerifyRoutes: Sendable {
    let signatures: SignatureCheck
    let tokens: SSOTokenStore
    let idleLimit: Duration
    let addresses: ClientAddress
    /// Slows down networks that send one bad signature after the other. Good ones are never counted.
    let badSignatures: NetworkLimit
    /// The networks that have sent a good signature. A flood of bad ones from the same network, say behind one proxy, must
    /// not keep them out.
    let proven: ProvenNetworks

    func add(to router: Router<VisitorContext>) {
        router.only(
            [.post], at: RouterPath(SSOPath.verify),
            refusing: { _ in
                var response = VerifyRefusal.wrongMethod.response
                response.headers[.allow] = "POST"
                return response
            }, use: verify)
    }

    @Sendable private func verify(_ request: Request, _ context: VisitorContext) async throws -> Response {
        do {
            return try await answer(request, context)
        } catch let refusal as VerifyRefusal {
            context.logger.log(
                level: refusal.isAlert ? .warning : .info, "verify refused",
                metadata: [
                    "error": "\(refusal.error.rawValue)", "client": "\(refusal.client ?? "-")",
                    "cause": "\(refusal.cause)", "flow": "\(refusal.flow ?? "-")",
                ])
            return refusal.response
        } catch let failure as DatabaseFailure {
            // Storage trouble is never reported as a bad token: the partner may try the sign-in again.
            context.logger.error(
                "verify failed", metadata: ["cause": "\(failure)"])
            return VerifyRefusal.unavailable.response
        }
    }

    private func answer(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "application/json" else {
            throw VerifyRefusal.wrongType
        }
        let address = addresses.address(of: request, peer: context.peer) ?? .unknown
        // Before the body is read and hashed: a flood must stay cheap.
        if let wait = badSignatures.wait(address), !proven.mayTry(address) { throw VerifyRefusal.rateLimited(wait) }
        let body: [UInt8]
        do { body = try await request.boundedBody(VerifyRequest.maximumBytes) } catch is PublicError {
            throw VerifyRefusal.tooLarge
        }
        guard let signed = signatures.check(request, body: body) else {
            if let wait = badSignatures.hit(address) { throw VerifyRefusal.rateLimited(wait) }
            throw VerifyRefusal.badSignature(claimed: signatures.claimedClient(of: request))
        }
        proven.note(address)
        let asked: VerifyRequest
        do { asked = try VerifyRequest(body: body) } catch {
            throw VerifyRefusal.badRequest("\(error)", client: signed.client.id)
        }
        return try await redeem(asked, signed, context)
    }

    private func redeem(
        _ asked: VerifyRequest, _ signed: SignatureCheck.Signed, _ context: VisitorContext
    ) async throws -> Response {
        // RFC 7636 4.1: 43 to 128 unreserved characters, or it is none.
        guard let token = SSOToken(wire: asked.token),
            asked.codeVerifier.map(CodeChallenge.isWellFormedVerifier) ?? true
        else {
            throw VerifyRefusal.badToken(signed.client.id, "malformed")
        }
        let outcome = try await tokens.consume(
            token, client: signed.client, redirectURI: asked.redirectURI, codeVerifier: asked.codeVerifier,
            idleLimit: idleLimit)
        switch outcome {
        case .accepted(let reply, let flow):
            context.logger.info(
                "token redeemed",
                metadata: [
                    "client": "\(signed.client.id)", "account": "\(reply.user.id)", "session": "\(reply.session.id)",
                    "flow": "\(flow)",
                ])
            return signed.answer(reply.body())
        case .refused(let fault): throw VerifyRefusal.badToken(signed.client.id, fault)
        case .burnt(let owner):
            throw VerifyRefusal.leakedToken(signed.client.id, owner: owner)
        }
    }
}
