import SSOShared
import SSOWeb

/// The discovery documents and signing keys of all providers, each fetched once for all callers.
struct ProviderDocuments: Sendable {
    private let http: ProviderHTTP
    private let discoveries: SharedCache<DiscoveryDocument>
    private let keySets: SharedCache<SigningKeys>

    init(http: ProviderHTTP, clock: ServiceClock) {
        self.http = http
        discoveries = SharedCache(clock: clock)
        keySets = SharedCache(clock: clock)
    }

    func discovery(_ provider: Provider) async throws(ProviderError) -> DiscoveryDocument {
        let http = http
        return try await discoveries.value(for: provider.issuer) {
            await Self.result { () async throws(ProviderError) in
                let reply = try await http.json(.discovery, of: provider, DiscoveryDocument.url(provider.issuer))
                return (try DiscoveryDocument(reply.json, for: provider), reply.lifetime)
            }
        }
    }

    func keys(_ provider: Provider) async throws(ProviderError) -> SigningKeys {
        try await keySets.value(for: provider.issuer, fetch: fetchKeys(provider, try await discovery(provider)))
    }

    /// Has the keys ready for a verifier.
    func prefetchKeys(_ provider: Provider) async { _ = try? await keys(provider) }

    /// The one key for a token. For a `kid` that the keys lack they are fetched again, at most once in five minutes for each
    /// caller.
    func verifier(
        _ token: SignedToken, _ provider: Provider, for caller: EarlyCaller
    ) async throws(ProviderError) -> SigningKey.Verifier {
        if let found = try await keys(provider).verifier(id: token.keyID, token.algorithm) { return found }
        let fetch = fetchKeys(provider, try await discovery(provider))
        if let newer = await keySets.newerValue(for: provider.issuer, caller: caller, fetch: fetch),
            let found = try newer.verifier(id: token.keyID, token.algorithm)
        {
            return found
        }
        throw .answer(.keyUnknown, token.keyID ?? "no kid")
    }

    private func fetchKeys(_ provider: Provider, _ discovery: DiscoveryDocument) -> SharedCache<SigningKeys>.Fetch {
        let http = http
        return {
            await Self.result { () async throws(ProviderError) in
                let reply = try await http.json(.keys, of: provider, discovery.keysURL)
                return (try await SigningKeys(reply.json), reply.lifetime)
            }
        }
    }

    private static func result<Value>(
        _ fetch: () async throws(ProviderError) -> (Value, lifetime: Duration)
    ) async -> Result<(Value, lifetime: Duration), ProviderError> {
        do throws(ProviderError) {
            return .success(try await fetch())
        } catch {
            return .failure(error)
        }
    }
}
