package import Hummingbird
package import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb
import Storage

/// A form that was sent with the token of its session's own pages. Only ``FeatureRouter`` makes it.
package struct SubmittedForm: Sendable {
    package let request: Request
    package let context: VisitorContext
    package let session: Session
    package let fields: URLEncodedFields
    /// What the form was sent for.
    package var flow: FlowID? { FlowID.read(fields) }

    init(_ post: FormPost, of session: Session) {
        (request, context, fields, self.session) = (post.request, post.context, post.fields, session)
    }
}

/// The POST of a form before its token has been checked. It decides nothing but what the form is about.
package struct FormPost: Sendable {
    package let request: Request
    package let context: VisitorContext
    package let fields: URLEncodedFields
    /// What the browser says about the page that has the form.
    package let sender: FormSender
    /// Whether our page was sent with the id of a session that has ended. Another request, such as the first half of a double click,
    /// may have replaced it. The browser's next request carries the new cookie.
    package let isOutrun: Bool
    /// What the form was sent for.
    package var flow: FlowID? { FlowID.read(fields) }
}

/// What a form is about: looked up before its token is checked, because a second click or Back often sends a form whose
/// session has moved on.
package enum FormSubject<Subject: Sendable>: Sendable {
    /// Nothing is left to do. The user goes on without a message about a stale form.
    case over(Response)
    case open(Subject)
}

/// What happens to the POST of a form.
package struct Form<Subject: Sendable>: Sendable {
    let subject: @Sendable (FormPost) async throws -> FormSubject<Subject>
    let stale: @Sendable (FormPost) -> any Error
    /// Where a user tries again; nil for the start page.
    var again: (@Sendable (FormPost) -> PublicError.NextStep)?
    let submit: @Sendable (SubmittedForm, Subject) async throws -> Response

    /// - Parameters:
    ///   - subject: changes nothing.
    ///   - stale: where a user goes on whose form has no valid token.
    package init(
        about subject: @escaping @Sendable (FormPost) async throws -> FormSubject<Subject>,
        orElse stale: @escaping @Sendable (FormPost) -> PublicError.NextStep,
        submit: @escaping @Sendable (SubmittedForm, Subject) async throws -> Response
    ) {
        self.init(
            about: subject, refusing: { PublicError.staleForm($0.request, from: $0.sender, stale($0)) }, submit: submit)
        again = stale
    }

    /// - Parameter stale: the error for a form without a valid token, for a route that logs it.
    package init(
        about subject: @escaping @Sendable (FormPost) async throws -> FormSubject<Subject>,
        refusing stale: @escaping @Sendable (FormPost) -> any Error,
        submit: @escaping @Sendable (SubmittedForm, Subject) async throws -> Response
    ) {
        (self.subject, self.stale, self.submit) = (subject, stale, submit)
    }
}

extension Form {
    /// The same error, from which a user who is on the way to a client comes back to the form: a limit and a storage that cannot be
    /// reached are over soon, and the start page would lead away from the client.
    func leadingBack(_ error: any Error, _ post: FormPost) -> any Error {
        guard let again, post.flow != nil else { return error }
        switch error {
        case let error as PublicError where error.status == .tooManyRequests || error.status == .serviceUnavailable:
            return error.nextStep.href == PublicError.NextStep.home.href ? error.leading(to: again(post)) : error
        case let error as DatabaseError: return PublicError.unavailable("\(error)").leading(to: again(post))
        default: return error
        }
    }
}

extension Form where Subject == SignedInUser {
    /// A form of a user who is signed in. Any other visitor goes on at `elsewhere`: one whose session has ended on the page that
    /// says so.
    package static func ofUser(
        _ signedIn: @escaping @Sendable (VisitorContext) async throws -> SignedInUser?,
        elsewhere: @escaping @Sendable (FormPost) -> String = { $0.isOutrun ? SignInPath.stale : "/" },
        orElse stale: @escaping @Sendable (FormPost) -> PublicError.NextStep = { _ in .home },
        submit: @escaping @Sendable (SubmittedForm, SignedInUser) async throws -> Response
    ) -> Form {
        Form(
            about: { post in
                try await signedIn(post.context).map { .open($0) } ?? .over(.redirect(to: elsewhere(post)))
            }, orElse: stale, submit: submit)
    }
}
