import Hummingbird
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// `POST /auth/sso/ping`: a client tries out its secret, its redirect URI and its clock (``SignedPost`` has the order of the
/// checks). Changes nothing, and a wrong signature is no alarm.
struct PingRoutes: Sendable {
    let signatures: SignatureCheck
    let networks: SignerNetworks
    let clock: ServiceClock

    func addRoutes(to router: inout FeatureRouter) { router.signedPost(post, at: SSOPath.ping) }

    private var post: SignedPost<SignatureCheck.Signed> {
        SignedPost(
            .ping,
            ClientPostWords(
                refused: .pingRefused, failed: .pingFailed, unavailable: .pingUnavailable,
                badBody: SignedPostError.badPing),
            from: networks, signatures: signatures, answer: answer)
    }

    private func answer(
        _ question: PingQuestion, _ signed: SignatureCheck.Signed, _ context: VisitorContext
    ) async throws -> Response {
        guard let client = try await signatures.clients.registeredNow(id: signed.client.id), signed.isSigned(by: client)
        else {
            throw SignedPostError.badSignature(.unknownClient, claimed: signed.client.id)
        }
        let (now, isRegistered) = (clock.now().seconds, client.hasRedirectURI(question.redirectURI))
        context.record(
            Event(
                .pingAnswered, client: client.id,
                [
                    "redirect_uri": "\(isRegistered ? "registered" : "not_registered")",
                    "clock_difference_seconds": .number(question.time.subtractingReportingOverflow(now).partialValue),
                ]))
        return signed.answer(
            PingAnswer(clientID: client.id, isRegistered: isRegistered, time: now, version: ProductVersion.text).body())
    }
}

extension SignedPostError {
    fileprivate static func badPing(_ error: VerifyBodyError, client: String) -> Self {
        Self(
            status: .badRequest, code: .invalidRequest,
            words:
                "The body must be one JSON object with the string \"redirect_uri\" and the whole number \"time\", in seconds since 1970.",
            cause: "body", client: client, detail: "\(error)")
    }

    fileprivate static let pingUnavailable = Self(
        status: .serviceUnavailable, code: .temporarilyUnavailable, words: "Try again in a moment.",
        cause: "storage", retryAfter: .seconds(1))
}
