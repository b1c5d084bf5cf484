package import Hummingbird
package import IdPAccounts
package import SSOWeb

/// A page that comes between a sign-in and what it was for, such as one that offers a passkey. The flow goes on either way.
package protocol SignInOffer: Sendable {
    /// The path of the page; nil where there is nothing to offer.
    ///
    /// - Parameters:
    ///   - identity: what the user has proven.
    ///   - flow: what the sign-in was for.
    func path(
        after done: CompletedSignIn, by identity: ProvenIdentity, flow: FlowID?, _ request: Request
    ) async throws -> String?
}

/// The session slot of what the script of a sign-in page has found in this browser. It says nothing about a user.
package struct BrowserAbilities: SessionSlot {
    package static let key = "browserAbilities"
    package static let survivesSignIn = true
    /// The field of the form in which the script says so.
    private static let field = "platform"

    /// Whether the device itself can keep a passkey, and check its user.
    package var hasPlatformAuthenticator: Bool { platform == true }
    private var platform: Bool?

    package init() {}

    /// Notes what a form says.
    package mutating func note(_ fields: URLEncodedFields) {
        if (try? fields.text(Self.field)) == "1" { platform = true }
    }
}
