import Foundation
import Hummingbird
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

    func signedIn(_ user: RelyingPartySession.User, formToken: String) -> Response {
        pages.response(
            "signed-in",
            SignedIn(
                name: user.name, email: user.email, since: PlainDate.long(user.signedInAt), formToken: formToken))
    }

    func account(_ user: RelyingPartySession.User) -> Response {
        pages.response(
            "account",
            Account(
                id: user.id, name: user.name, email: user.email, since: PlainDate.long(user.signedInAt),
                methods: user.methods.joined(separator: ", ")))
    }
}

/// The answer of `/api/session`.
struct SessionReply: Encodable {
    struct User: Encodable {
        let id, email, name: String
    }

    let user: User
    /// Seconds since 1970.
    let signedInAt: Int
    let methods: [String]

    init(user: RelyingPartySession.User) {
        self.user = User(id: user.id, email: user.email, name: user.name)
        signedInAt = user.signedInAt.seconds
        methods = user.methods
    }

    enum CodingKeys: String, CodingKey {
        case user, methods
        case signedInAt = "signed_in_at"
    }
}

/// JSON as this partner writes it: keys in order, slashes as they are.
enum JSONText {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
