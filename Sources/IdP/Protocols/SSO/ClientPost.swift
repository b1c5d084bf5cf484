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

/// A signed post of a client: its label, what is written about it, and its answer.
struct ClientPost<Question: ClientQuestion>: Sendable {
    /// What the signature is for.
    let label: MessageLabel
    let refused, failed: EventKind
    let unavailable: SignedPostError
    /// For a body that cannot be read; the client's id.
    let badBody: @Sendable (VerifyBodyError, String) -> SignedPostError
    let answer: @Sendable (Question, SignatureCheck.Signed, VisitorContext) async throws -> Response

    init(
        _ label: MessageLabel, refused: EventKind, failed: EventKind, unavailable: SignedPostError = .tryAgain,
        badBody: @escaping @Sendable (VerifyBodyError, String) -> SignedPostError,
        answer: @escaping @Sendable (Question, SignatureCheck.Signed, VisitorContext) async throws -> Response
    ) {
        (self.label, self.refused, self.failed, self.unavailable) = (label, refused, failed, unavailable)
        (self.badBody, self.answer) = (badBody, answer)
    }

    func checked(by signatures: SignatureCheck, from networks: SignerNetworks) -> SignedPost<SignatureCheck.Signed> {
        SignedPost(
            .init(
                mediaType: "application/json", maximumBytes: Question.maximumBytes, refused: refused, failed: failed,
                wrongType: .wrongType, tooLarge: .tooLarge, unavailable: unavailable, uncertain: .tryAgain
            ) { error, request in
                .badSignature(error, claimed: signatures.claimedClient(of: request))
            },
            from: networks, renewing: signatures.clients,
            explaining: { [label] in await signatures.near($0, body: $1, label: label) },
            signature: { [label] request throws(SignatureCheck.SignatureError) in
                let claim = try signatures.claim(of: request)
                return { body throws(SignatureCheck.SignatureError) in
                    try signatures.check(claim, body: body, label: label)
                }
            },
            answer: { [badBody, answer, clients = signatures.clients] signed, body, context in
                do {
                    let question: Question
                    do throws(VerifyBodyError) { question = try Question(body: body) } catch {
                        throw badBody(error, signed.client.id)
                    }
                    return try await answer(question, signed, context)
                } catch let error as SignedPostError where !error.isAudited {
                    // No transaction has compared the client, which may have been dropped by then, or its secret.
                    await clients.renew()
                    try clients.checkCompared()
                    let client = clients.client(id: signed.client.id)
                    guard client.map(signed.isSigned) == true else {
                        throw SignedPostError.badSignature(
                            client == nil ? .unknownClient : .wrong, claimed: signed.client.id)
                    }
                    throw error
                }
            })
    }
}

extension SignedPostError {
    static let tryAgain = Self(
        status: .serviceUnavailable, code: .temporarilyUnavailable, words: "Try again in a moment.",
        cause: "storage", retryAfter: .seconds(1))
}
