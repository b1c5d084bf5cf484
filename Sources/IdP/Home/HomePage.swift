import HTTPTypes
import Hummingbird
import SSOWeb

/// The two faces of the home page.
struct HomePage: Sendable {
    let pages: Pages

    struct Partner: Sendable {
        let name, href: String
        let hasHref: Bool
        let since: String
    }

    struct Model: Sendable {
        let formToken, name, typedName, email, since: String
        let partners: [Partner]
        let hasPartners, hasError: Bool
    }

    struct Welcome: Sendable {}

    func welcome() -> Response { pages.response("welcome", Welcome()) }

    func home(
        _ visitor: SignedInVisitor, formToken: String, typedName: String, partners: [Partner], hasError: Bool
    ) -> Response {
        let model = Model(
            formToken: formToken, name: visitor.account.name, typedName: typedName, email: visitor.account.email,
            since: PlainDate.long(visitor.signIn.authenticatedAt), partners: partners,
            hasPartners: !partners.isEmpty, hasError: hasError)
        return pages.response("home", model, status: hasError ? .unprocessableContent : .ok)
    }
}
