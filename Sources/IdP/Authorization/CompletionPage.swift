import HTTPTypes
package import Hummingbird
package import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb
import Synchronization

/// The page "Authentication complete": names the user and the client, and goes to the callback.
///
/// Without JavaScript a refresh does it. With JavaScript a script does it, because a script recognises the Back button.
/// Every variant is rendered once, when it is first shown: this page is half of the work of a sign-in with a live session.
package struct CompletionPage: Sendable {
    /// When the page goes on to the client.
    package enum Pace: Sendable {
        /// The user was signed in already and nothing was asked.
        case atOnce
        /// The user has just signed in, or chosen an account: time to read who is signed in where.
        case afterTwoSeconds
        /// A token of this request was redeemed already: a user who comes back with the Back button stays here.
        case stays

        package init(_ grant: NewGrant) {
            self = grant.isRedeemedBefore ? .stays : grant.hasAsked ? .afterTwoSeconds : .atOnce
        }

        package var seconds: String { self == .afterTwoSeconds ? "2" : "0" }
    }

    private enum Value: String, CaseIterable { case client, name, email, callback, other, logo, pixelsWide, pixelsHigh }

    private struct Model: Encodable, Sendable {
        let client, name, email, callback, other, logo, pixelsWide, pixelsHigh, seconds: String
        let goesOn, waits, isNamed, hasLogo, hasPixels: Bool
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
                goesOn: variant.pace != .stays, waits: variant.pace == .afterTwoSeconds, isNamed: variant.isNamed,
                hasLogo: variant.logo != .none, hasPixels: variant.logo == .sized)
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
