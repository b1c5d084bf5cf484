import HTTPTypes
package import Hummingbird
package import IdPDirectory
import IdPFlow
import IdPMail
import Logging
import NIOCore
package import SSOShared
package import SSOWeb

/// `POST /auth/mail/inbound`: takes one raw message from a mail server or a mail provider that has no pipe.
///
/// The order of the checks is that of verify: a request whose headers cannot be right costs no body. The signature is
/// HMAC-SHA256 over the exact bytes of the body with a secret of its own, which no client has.
package struct InboundMailRoutes: Sendable {
    package static let path = "/auth/mail/inbound"

    let secret: SharedSecret
    let receiver: ReplyReceiver
    let addresses: ClientAddress
    /// Limits bad signatures per network. Good ones are never counted.
    let badSignatures: NetworkLimit
    /// The networks that have sent a good signature. A flood of bad ones from the same network must not keep them out.
    let proven: ProvenNetworks

    package init(
        secret: SharedSecret, receiver: ReplyReceiver, addresses: ClientAddress, badSignatures: NetworkLimit,
        proven: ProvenNetworks
    ) {
        (self.secret, self.receiver, self.addresses, self.badSignatures, self.proven) = (
            secret, receiver, addresses, badSignatures, proven
        )
    }

    package func add(to router: Router<VisitorContext>) {
        router.only(
            [.post], at: RouterPath(Self.path),
            refusing: { _ in
                var response = SignedPostError.wrongMethod.response
                response.headers[.allow] = "POST"
                return response
            }, use: receive)
    }

    @Sendable private func receive(_ request: Request, _ context: VisitorContext) async throws -> Response {
        do {
            let message = try await message(of: request, context)
            let outcome = try await receiver.receive(message, recipient: nil, logger: context.logger)
            return Self.answer(outcome)
        } catch let error as SignedPostError {
            context.logger.log(
                level: error.isAlert ? .warning : .info, "inbound_mail_refused",
                metadata: ["error": "\(error.code.rawValue)", "cause": "\(error.cause)"])
            return error.response
        } catch let failure as DatabaseError {
            // The caller tries again. A message that was lost would be a user who waits in vain.
            context.logger.error("inbound_mail_failed", metadata: ["cause": "\(failure)"])
            return SignedPostError.inboundUnavailable.response
        }
    }

    /// The body of a request whose signature is right.
    private func message(of request: Request, _ context: VisitorContext) async throws -> [UInt8] {
        guard MediaRange.essence(of: request.headers[values: .contentType]) == "message/rfc822" else {
            throw SignedPostError.notMessage
        }
        let address = addresses.address(of: request, peer: context.peer) ?? .unknown
        // Checked before the body is read and hashed, so that a flood stays cheap.
        if let wait = badSignatures.wait(address), !proven.mayTry(address) {
            throw SignedPostError.rateLimited(wait)
        }
        do {
            try request.checkAnnouncedLength(InboundMailLimits.messageBytes)
            let given = try SignatureCheck.signature(of: request)
            let body = try await request.boundedBody(InboundMailLimits.messageBytes)
            guard RequestSignature.request(body: body, secret: secret).matches(given) else {
                throw SignatureCheck.SignatureError.wrong
            }
            proven.note(address)
            return body
        } catch let rejection as SignatureCheck.SignatureError {
            if let wait = badSignatures.hit(address) { throw SignedPostError.rateLimited(wait) }
            throw SignedPostError.badMessageSignature(rejection)
        } catch is PublicError {
            throw SignedPostError.messageTooLarge
        }
    }

    /// 200 for both: a message that is ignored would be ignored again.
    private static func answer(_ outcome: ReplyReceiver.Outcome) -> Response {
        let members: [JSONText.Member] =
            switch outcome {
            case .accepted: [.init("result", "accepted")]
            case .ignored(let reason): [.init("result", "ignored"), .init("reason", reason)]
            }
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: JSONText.object(members))))
    }
}

extension SignedPostError {
    fileprivate static let notMessage = Self(
        status: .unsupportedMediaType, code: .invalidRequest, words: "Content-Type must be message/rfc822.",
        cause: "content_type")

    fileprivate static let messageTooLarge = Self(
        status: .contentTooLarge, code: .invalidRequest,
        words: "The message must have at most \(InboundMailLimits.messageBytes) bytes.", cause: "body_size")

    fileprivate static func badMessageSignature(_ rejection: SignatureCheck.SignatureError) -> Self {
        var error = Self(
            status: .unauthorized, code: .invalidSignature,
            words:
                "X-SSO-Signature must be there once: sha256= and 64 hexadecimal digits, the HMAC-SHA256 of the exact bytes "
                + "of the message with IDP_INBOUND_MAIL_SECRET.",
            cause: rejection.rawValue)
        error.isAlert = rejection == .wrong
        return error
    }

    fileprivate static let inboundUnavailable = Self(
        status: .serviceUnavailable, code: .temporarilyUnavailable, words: "Send the message again in a moment.",
        cause: "storage", retryAfter: .seconds(1))
}
