import Hummingbird
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// `POST /auth/sso/ping`: a client tries out its secret, its redirect URI and its clock (``SignedPost`` has the order of the
/// checks). Changes nothing, and a wrong signature is no alarm.
struct PingRoutes: Sendable {
    let clients: ClientDirectory
    let clock: ServiceClock

    var post: ClientPost<PingQuestion> {
        ClientPost(
            .ping, refused: .pingRefused, failed: .pingFailed, badBody: SignedPostError.badPing, answer: answer)
    }

    private func answer(
        _ question: PingQuestion, _ signed: SignatureCheck.Signed, _ context: VisitorContext
    ) async throws -> Response {
        guard let client = try await clients.registeredNow(id: signed.client.id), signed.isSigned(by: client)
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
}
