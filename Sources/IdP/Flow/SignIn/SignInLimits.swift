package import Hummingbird
package import IdPClients
package import SSOShared
package import SSOWeb

/// The limits per network (`IDP_LIMIT_…`): a brake on floods from one place, beside the budgets of each address.
///
/// Known browsers count for themselves, apart from their network, a used code takes back what it was counted for, and an
/// address whose email has reached nobody is not held against its network. So the limits of an office are not used up by its
/// own users, and a mail server that is down costs them nothing.
package struct SignInLimits: Sendable {
    /// How many events of each kind one network gets.
    package struct Counts: Sendable {
        /// Addresses submitted per hour.
        package var emailPosts = 200
        /// Codes submitted per hour.
        package var codePosts = 400
        /// Sessions begun per hour.
        package var newSessions = 1_000
        /// Requests with a wrong signature at verify per minute.
        package var badSignatures = 6_000

        package init() {}
    }

    /// How many emails that a network has asked for within the hour have reached nobody, up to a bound.
    package typealias UnreachedMail = @Sendable (_ network: [UInt8], _ bound: Int) async throws -> Int

    /// How many times its limit a network may submit while its emails reach nobody. It bounds the rows of a flood, and the
    /// emails that leave together when the mail server is back.
    private static let unreachedFactor = 4

    let addresses: ClientAddress
    package let newcomers: NewSessionLimit
    private let emailPosts: NetworkLimit
    private let codePosts: NetworkLimit
    private let parkedAnswers: NetworkLimit
    private let browserPosts: RateLimit
    private let networkKeys: [[UInt8]]
    private let unreached: UnreachedMail
    private let unreachedBound: Int

    package init(
        _ counts: Counts, addresses: ClientAddress, newcomers: NewSessionLimit, keys: DerivedKeys, clock: ServiceClock,
        unreached: @escaping UnreachedMail
    ) {
        self.unreached = unreached
        unreachedBound = counts.emailPosts * Self.unreachedFactor
        self.addresses = addresses
        self.newcomers = newcomers
        emailPosts = NetworkLimit(counts.emailPosts, per: .hours(1), clock: clock)
        codePosts = NetworkLimit(counts.codePosts, per: .hours(1), clock: clock)
        parkedAnswers = NetworkLimit(counts.codePosts, per: .hours(1), clock: clock)
        browserPosts = RateLimit(counts.emailPosts, per: .hours(1), clock: clock)
        networkKeys = keys.derive("network")
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
        if let wait = browserPosts.hit(Array(browserID.utf8)) { throw PublicError.tooManyRequests(retryAfter: wait) }
    }

    /// Counts an answer of a provider that is kept until its browser comes for it. That request carries no cookie of ours, so
    /// a known browser is counted with its network.
    ///
    /// - Throws: ``PublicError`` 429 beyond the limit of codes.
    package func countParkedAnswer(_ request: Request, _ context: VisitorContext) throws {
        try addresses.limit(parkedAnswers, request, context.peer)
    }

    /// Takes back one answer that was counted: it is not kept any more.
    package func giveBackParkedAnswer(_ request: Request, _ context: VisitorContext) {
        addresses.giveBack(parkedAnswers, request, context.peer)
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
