import HTTPTypes
import Hummingbird
import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// `POST /auth/sso/session`: a client asks whether a session that it was told goes on (``SignedPost`` has the order of the
/// checks).
///
/// The question does not prolong the session. A client learns only about sessions in which it has redeemed a token: every other
/// question has the same answer, after the same work.
struct SessionRoutes: Sendable {
    let questions: SessionQuestions

    var post: ClientPost<SessionQuestion> {
        ClientPost(
            .session, refused: .sessionQuestionRefused, failed: .sessionQuestionFailed,
            badBody: SignedPostError.badQuestion, answer: answer)
    }

    private func answer(
        _ question: SessionQuestion, _ signed: SignatureCheck.Signed, _ context: VisitorContext
    ) async throws -> Response {
        let found = try await questions.answer(
            question, from: signed.client.id, kind: SSOProtocol.id, whereStill: signed.isSigned)
        guard let answer = found else {
            throw SignedPostError.badSignature(.unknownClient, claimed: signed.client.id)
        }
        questions.note(signed.use, context.logger)
        var word = "active"
        if case .inactive(let reason, _) = answer { word = reason.rawValue }
        // Any text of a client may stand for an unknown session.
        let session = word == "unknown" ? nil : question.session
        context.record(Event(.sessionAsked, client: signed.client.id, session: session, ["answer": "\(word)"]))
        return signed.answer(answer.body())
    }
}

extension SignedPostError {
    fileprivate static func badQuestion(_ error: VerifyBodyError, client: String) -> Self {
        Self(
            status: .badRequest, code: .invalidRequest,
            words: "The body must be one JSON object with the strings \"session\" and \"user\", as verify gave them.",
            cause: "body", client: client, detail: "\(error)")
    }
}
