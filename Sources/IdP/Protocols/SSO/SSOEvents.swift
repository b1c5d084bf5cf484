import IdPClients
import IdPFlow
import Logging
package import SSOWeb

/// What clients ask over the back channel.
extension EventKind {
    static let verifyFailed = EventKind(
        "verify_failed", .error, line: [.cause()], "Storage: 503. Look at `cause` and `/readyz`.")
    package static let sessionQuestionRefused = EventKind(
        "session_question_refused", .info, .refusal("client, `cause`"), line: SignedPostError.line,
        causes: SignedPostError.causesOfClients, "As `verify_refused`, for a question about a session.")
    static let sessionQuestionFailed = EventKind(
        "session_question_failed", .error, line: [.cause()], "Storage: 503. Look at `cause` and `/readyz`.")
    static let sessionAsked = EventKind(
        "session_asked", .info, line: [.client, .session.orDash],
        "A client has asked whether a session goes on: `answer`.")
    static let pingRefused = EventKind(
        "ping_refused", .info, .refusal("client, `cause`; `detail`: what a wrong signature was made with"),
        line: SignedPostError.line, causes: SignedPostError.causesOfClients,
        "As `verify_refused`, for a trial.")
    static let pingFailed = EventKind(
        "ping_failed", .error, line: [.cause()], "Storage: 503. Look at `cause` and `/readyz`.")
    static let pingAnswered = EventKind(
        "ping_answered", .info, line: [.client], by: [.field("redirect_uri", ["registered", "not_registered"])],
        "A client's trial: its `redirect_uri`, and how far its clock is ahead (`clock_difference_seconds`).")
}

/// The events of this target.
package enum SSOEvents {
    package static let all: [EventKind] = [
        .verifyFailed, .sessionQuestionRefused, .sessionQuestionFailed, .sessionAsked, .pingRefused, .pingFailed,
        .pingAnswered,
    ]
}
