import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import IdPInboundMail
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// `POST /auth/mail/inbound`: takes one raw message from a mail server or a mail provider that has no pipe.
///
/// The signature is HMAC-SHA256 over the exact bytes of the body with a secret of its own, which no client has
/// (``SignedPost`` has the order of the checks).
struct InboundMailRoutes: Sendable {
    static let path = "/auth/mail/inbound"

    let secret: SharedSecret
    let receiver: ReplyReceiver
    let networks: SignerNetworks

    private typealias Post = SignedPost<Void>

    private static let words = Post.Words(
        mediaType: "message/rfc822", maximumBytes: InboundMailLimits.messageBytes, refused: .inboundMailRefused,
        failed: .inboundMailFailed, wrongType: .notMessage,
        tooLarge: .messageTooLarge,
        unavailable: .inboundUnavailable
    ) { error, _ in .badMessageSignature(error) }

    func addRoutes(to router: inout FeatureRouter) {
        let post = Post(
            Self.words, from: networks,
            signature: { [secret] request throws(SignatureCheck.SignatureError) -> Post.BodyCheck in
                let given = try SignatureCheck.signature(of: request)
                return { body throws(SignatureCheck.SignatureError) in
                    guard RequestSignature.request(body: body, secret: secret).matches(given) else { throw .wrong }
                }
            },
            answer: { _, body, context in
                Self.answer(try await receiver.receive(body, recipient: nil, logger: context.logger))
            })
        router.signedPost(post, at: Self.path)
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
        Self(
            status: .unauthorized, code: .invalidSignature,
            words:
                "X-SSO-Signature must be there once: sha256= and 64 hexadecimal digits, the HMAC-SHA256 of the exact bytes "
                + "of the message with IDP_INBOUND_MAIL_SECRET.",
            cause: rejection.rawValue)
    }

    fileprivate static let inboundUnavailable = Self(
        status: .serviceUnavailable, code: .temporarilyUnavailable, words: "Send the message again in a moment.",
        cause: "storage", retryAfter: .seconds(1))
}
