import Hummingbird
import SSOShared
import SSOWeb

/// The partner's pages.
struct HomePage: Sendable {
    let pages: Pages

    struct SignedOut: Sendable {
        let link: String
    }

    struct SignedIn: Sendable {
        let name, email, since, formToken: String
    }

    struct Account: Sendable {
        let id, name, email, since, methods: String
    }

    func signedOut(link: String) -> Response { pages.response("signed-out", SignedOut(link: link)) }

    func signedIn(_ user: SignedInUser.User, formToken: String) -> Response {
        pages.response(
            "signed-in",
            SignedIn(
                name: user.name, email: user.email, since: PlainDate.long(user.signedInAt), formToken: formToken))
    }

    func account(_ user: SignedInUser.User) -> Response {
        pages.response(
            "account",
            Account(
                id: user.id, name: user.name, email: user.email, since: PlainDate.long(user.signedInAt),
                methods: user.methods.joined(separator: ", ")))
    }
}

/// The answer of `/api/session`.
enum SessionReply {
    /// `signed_in_at` is in seconds since 1970.
    static func json(_ user: SignedInUser.User) -> String {
        JSONText.object([
            .init("methods", user.methods), .init("signed_in_at", user.signedInAt.seconds),
            .init("user", [.init("email", user.email), .init("id", user.id), .init("name", user.name)]),
        ])
    }
}
