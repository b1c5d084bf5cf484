package import Hummingbird
package import IdPClients
import SSOShared
package import SSOWeb

/// The limits per network (`IDP_LIMIT_…`): a brake on floods from one place, beside the budgets of each address.
///
/// Known browsers count for themselves, apart from their network, a used code takes back what it was counted for, and an
/// address whose email has reached nobody is not held against its network. So the limits of an office are not used up by its
/// own users, and a mail server that is down costs them nothing.
package struct SignInLimits: Sendable {
    private static let emailPosts = Setting(
        "IDP_LIMIT_EMAIL_POSTS", default: 200, in: counts, example: "500",
        "Addresses submitted per hour and network. Known browsers are not counted.")
    private static let codePosts = Setting(
        "IDP_LIMIT_CODE_POSTS", default: 400, in: counts, example: "1000", "Codes submitted per hour and network.")
    static let newSessions = Setting(
        "IDP_LIMIT_NEW_SESSIONS", default: 1000, in: counts, example: "2000", "Sessions begun per hour and network.")
    static let badSignatures = Setting(
        "IDP_LIMIT_BAD_SIGNATURES", default: 6000, in: counts, example: "600",
        "Wrong signatures, and refused notifications of Apple, per minute and network.")
    package static let settings: [any ReadableSetting] = [emailPosts, codePosts, newSessions, badSignatures]
    private static let counts = 1...1_000_000

    /// How many emails that a network has asked for within the hour have reached nobody, up to a bound.
    package typealias UnreachedMail = @Sendable (_ network: [UInt8], _ bound: Int) async throws -> Int

    /// How many times its limit a network may submit while its emails reach nobody. It bounds the rows of a flood, and the
    /// emails that leave together when the mail server is back.
    private static let unreachedFactor = 4

    let addresses: ClientAddress
    package let newcomers: NewSessionLimit
    private let emailPosts: NetworkLimit
    private let codePosts: NetworkLimit
    private let browserPosts: RateLimit
    private let networkKeys: [[UInt8]]
    private let unreached: UnreachedMail
    private let unreachedBound: Int

    package init(
        _ values: SettingValues, newcomers: NewSessionLimit, clock: ServiceClock, unreached: @escaping UnreachedMail
    ) throws(SettingError) {
        let (emails, codes) = (try values[Self.emailPosts], try values[Self.codePosts])
        self.unreached = unreached
        unreachedBound = emails * Self.unreachedFactor
        addresses = try values[FlowSettings.trustedProxies]
        self.newcomers = newcomers
        emailPosts = NetworkLimit(emails, per: .hours(1), clock: clock)
        codePosts = NetworkLimit(codes, per: .hours(1), clock: clock)
        browserPosts = RateLimit(emails, per: .hours(1), clock: clock)
        networkKeys = try values[FlowSettings.secretKey].derive("network")
    }

    /// Counts a submitted address.
    ///
    /// Beyond the limit the emails of this network that have reached nobody are looked up, and do not count. The question is
    /// the same for every address, and decoys are answered for as real emails are.
    ///
    /// - Throws: ``PublicError`` 429 beyond the limit.
    package func countEmailPost(_ request: Request, _ context: VisitorContext, browserID: String?) async throws {
        do { try count(emailPosts, request, context, browserID) } catch {
            guard browserID == nil, let address = addresses.countedAddress(of: request, peer: context.peer),
                let network = network(request, context)
            else { throw error }
            let unreached = try await unreached(network, unreachedBound)
            guard unreached > 0, emailPosts.hit(address, beyond: unreached) == nil else { throw error }
        }
    }

    /// Counts a submitted code.
    ///
    /// - Throws: ``PublicError`` 429 beyond the limit.
    package func countCodePost(_ request: Request, _ context: VisitorContext, browserID: String?) throws {
        try count(codePosts, request, context, browserID)
    }

    private func count(
        _ limit: NetworkLimit, _ request: Request, _ context: VisitorContext, _ browserID: String?
    ) throws {
        guard let browserID else { return try addresses.limit(limit, request, context.peer) }
        if let wait = browserPosts.hit(Array(browserID.utf8)) {
            throw PublicError.tooManyRequests(from: .browser, retryAfter: wait)
        }
    }

    /// Takes back what one sign-in was counted for, once its code was right. A known browser was counted for itself.
    ///
    /// - Parameters:
    ///   - hasPostedCode: false where a sign-in succeeded without a code.
    ///   - beganSession: false where a sign-in needed no session before, as in the JSON API.
    package func giveBack(
        _ request: Request, _ context: VisitorContext, browserID: String?, hasPostedCode: Bool = true,
        beganSession: Bool = true
    ) async {
        guard browserID == nil else { return }
        addresses.giveBack(emailPosts, request, context.peer)
        if hasPostedCode { addresses.giveBack(codePosts, request, context.peer) }
        if beganSession { await newcomers.giveBack(request, context) }
    }

    /// Takes back one code that was counted.
    package func giveBackCodePost(_ request: Request, _ context: VisitorContext, browserID: String?) {
        if browserID == nil { addresses.giveBack(codePosts, request, context.peer) }
    }

    /// Names the request's network in the queue of emails: a keyed hash, so that a leaked database reveals no IP address.
    package func network(_ request: Request, _ context: VisitorContext) -> [UInt8]? {
        guard let key = networkKeys.first, let address = addresses.countedAddress(of: request, peer: context.peer)
        else { return nil }
        return Array(HMACSHA256.code(for: address.siteKey ?? address.networkKey, key: key).prefix(12))
    }
}
