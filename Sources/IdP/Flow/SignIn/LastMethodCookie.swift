package import Hummingbird
import IdPAccounts
import SSOShared
package import SSOWeb

/// The cookie that remembers how this browser signed in last, so that the sign-in page offers that first.
///
/// Its value is `email`, `passkey` or the id of a provider. It decides nothing but the order of a page that every visitor sees, so it is
/// not signed. Only a successful sign-in sets it: it does not show whether an address has an account.
package struct LastMethodCookie: Sendable {
    /// No provider has this id.
    package static let email = "email"
    /// Nor this one.
    package static let passkey = "passkey"
    static let lifetime: Duration = .days(180)

    private let cookie: BrowserCookie

    package init(origin: PublicOrigin) {
        cookie = BrowserCookie(name: "idp_last_method", origin: origin, maximumAge: Self.lifetime)
    }

    /// What the browser says. It may be any text: compare it, and never show it.
    package func value(in request: Request) -> Substring? { cookie.value(in: request) }

    /// Remembers a sign-in with an identity.
    func remember(_ identity: ProvenIdentity, in response: inout Response) {
        switch identity {
        case .email: cookie.set(Self.email, in: &response)
        case .external(let external): cookie.set(external.provider, in: &response)
        case .passkey: cookie.set(Self.passkey, in: &response)
        case .printedLink: break
        }
    }
}
