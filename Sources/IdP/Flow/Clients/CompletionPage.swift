import HTTPTypes
package import Hummingbird
package import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb
import Synchronization

/// The page "Authentication complete": names the user and the client, and goes to the callback.
///
/// Without JavaScript a refresh does it, once. With JavaScript a script does it, because a script recognises the Back button.
/// Every variant is rendered once, when it is first shown: this page is half of the work of a sign-in with a live session.
package struct CompletionPage: Sendable {
    /// When the page goes on to the client.
    package struct Pace: Hashable, Sendable {
        /// Two seconds for a user who has just signed in, or chosen an account: time to read who is signed in where. No time for a
        /// user who was signed in already and was asked nothing.
        package let waits: Bool
        /// False once a token of this request was redeemed: a user who comes back with the Back button stays here.
        package let goesOn: Bool
        /// Whether it goes on without JavaScript: the first time alone. Only a script can tell Back from a reload.
        let refreshes: Bool

        package static let atOnce = Pace(waits: false, goesOn: true, refreshes: true)
        package static let afterTwoSeconds = Pace(waits: true, goesOn: true, refreshes: true)

        private init(waits: Bool, goesOn: Bool, refreshes: Bool) {
            (self.waits, self.goesOn, self.refreshes) = (waits, goesOn, refreshes)
        }

        package init(_ grant: NewGrant) {
            goesOn = !grant.isRedeemedBefore
            waits = goesOn && grant.hasAsked
            refreshes = goesOn && !grant.isIssuedBefore
        }

        package var seconds: String { waits ? "2" : "0" }
    }

    private enum Value: String, CaseIterable { case client, name, email, callback, other, logo, pixelsWide, pixelsHigh }

    private struct Model: Encodable, Sendable {
        let client, name, email, callback, other, logo, pixelsWide, pixelsHigh, seconds: String
        let goesOn, refreshes, waits, isNamed, hasLogo, hasPixels: Bool
    }

    private enum Logo { case none, withoutSize, sized }

    private struct Variant: Hashable {
        let language: Language
        let pace: Pace
        /// Whether the user has a name of its own.
        let isNamed: Bool
        let logo: Logo
    }

    private final class Prepared: Sendable {
        let pages = Mutex<[Variant: PreparedPage<Value>]>([:])
    }

    private let pages: Pages
    private let logos: ClientLogos
    private let prepared = Prepared()

    /// - Throws: if the template is malformed.
    package init(pages: Pages, logos: ClientLogos) throws {
        (self.pages, self.logos) = (pages, logos)
        _ = try page(Variant(language: .english, pace: .atOnce, isNamed: true, logo: .sized))
    }

    private func page(_ variant: Variant) throws -> PreparedPage<Value> {
        if let page = prepared.pages.withLock({ $0[variant] }) { return page }
        guard pages.languages.all.contains(variant.language) else { throw PublicError.notFound }
        let page = try PreparedPage<Value>(pages, "completion", in: variant.language) { value in
            Model(
                client: value(.client), name: value(.name), email: value(.email), callback: value(.callback),
                other: value(.other), logo: value(.logo), pixelsWide: value(.pixelsWide),
                pixelsHigh: value(.pixelsHigh), seconds: variant.pace.seconds,
                goesOn: variant.pace.goesOn, refreshes: variant.pace.refreshes, waits: variant.pace.waits,
                isNamed: variant.isNamed, hasLogo: variant.logo != .none, hasPixels: variant.logo == .sized)
        }
        prepared.pages.withLock { $0[variant] = page }
        return page
    }

    /// - Parameters:
    ///   - callback: holds the token. It appears in attributes only, never in a header or in the log.
    ///   - other: where the user chooses another account for the same request. Holds no token.
    package func response(
        _ request: Request, client: Client, account: Account, callback: String, other: String, pace: Pace
    ) throws -> Response {
        let logo = logos.path(of: client)
        let size = logos.pixels(of: client)
        let variant = Variant(
            language: .preferred(by: request), pace: pace, isNamed: account.isNamed,
            logo: logo.isEmpty ? .none : size == nil ? .withoutSize : .sized)
        return try page(variant).response(
            headers: .goingOn
        ) { value in
            switch value {
            case .client: client.name
            case .name: account.name
            case .email: account.email
            case .callback: callback
            case .other: other
            case .logo: logo
            case .pixelsWide: size.map { "\($0.width)" } ?? ""
            case .pixelsHigh: size.map { "\($0.height)" } ?? ""
            }
        }
    }
}
