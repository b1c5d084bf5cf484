import Hummingbird
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb

/// What a client asks in a signed post with a JSON object as its body (``SignedPost`` has the order of the checks).
protocol ClientQuestion: Sendable {
    static var maximumBytes: Int { get }
    init(body: [UInt8]) throws(VerifyBodyError)
}

extension VerifyRequest: ClientQuestion {}
extension PingQuestion: ClientQuestion {}
extension SessionQuestion: ClientQuestion {}

/// The events of a post, and its errors that other posts do not have.
struct ClientPostWords: Sendable {
    let refused, failed: EventKind
    let unavailable: SignedPostError
    /// For a body that cannot be read; the client's id.
    let badBody: @Sendable (VerifyBodyError, String) -> SignedPostError
}

extension SignedPost<SignatureCheck.Signed> {
    /// - Parameter label: what the signature is for.
    init<Question: ClientQuestion>(
        _ label: MessageLabel, _ words: ClientPostWords, from networks: SignerNetworks, signatures: SignatureCheck,
        answer: @escaping @Sendable (Question, SignatureCheck.Signed, VisitorContext) async throws -> Response
    ) {
        self.init(
            Words(
                mediaType: "application/json", maximumBytes: Question.maximumBytes, refused: words.refused,
                failed: words.failed, wrongType: .wrongType, tooLarge: .tooLarge, unavailable: words.unavailable
            ) { error, request in
                .badSignature(error, claimed: signatures.claimedClient(of: request))
            },
            from: networks, renewing: signatures.clients,
            signature: { request throws(SignatureCheck.SignatureError) -> BodyCheck in
                let claim = try signatures.claim(of: request)
                return { body throws(SignatureCheck.SignatureError) in
                    try signatures.check(claim, body: body, label: label)
                }
            },
            answer: { signed, body, context in
                let question: Question
                do throws(VerifyBodyError) { question = try Question(body: body) } catch {
                    throw words.badBody(error, signed.client.id)
                }
                return try await answer(question, signed, context)
            })
    }
}
