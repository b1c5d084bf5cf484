import Hummingbird

/// Counts the sessions that one network begins: each is a row, and a visitor who throws the cookie away makes one a
/// visit. Whoever has a session is never counted.
public struct NewcomerLimit: Sendable {
    private let addresses: ClientAddress
    private let limit: RateLimit

    public init(_ limit: RateLimit, by addresses: ClientAddress) {
        self.limit = limit
        self.addresses = addresses
    }

    /// - Throws: ``PublicFailure`` 429 beyond the limit.
    func count(_ request: Request, _ context: some WebRequestContext) throws {
        try addresses.limit(limit, request, context.peer)
    }
}
