import Logging
import SSOShared
import SSOWeb

/// The discovery documents and signing keys of all providers, each fetched once for all callers.
struct ProviderDocuments: Sendable {
    private let http: ProviderHTTP
    private let discoveries: SharedCache<DiscoveryDocument>
    private let keySets: SharedCache<SigningKeys>
    private let logger: Logger
    /// What could not be used of the key set of each issuer.
    private let faults = LatestValues<[String]>()

    init(http: ProviderHTTP, clock: ServiceClock, logger: Logger) {
        (self.http, self.logger) = (http, logger)
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

    /// The claims of a token, after its signature has been checked with the one key for it.
    ///
    /// For a `kid` that the keys lack they are fetched again, at most once in five minutes for ID tokens and for notifications.
    /// They are also fetched again when the key does not fit an ID token, at most once a minute: some providers put a new key
    /// under an old `kid`, or have two keys under one `kid` for a while. A notification with a wrong signature has nothing fetched, because anybody may send one.
    func claims(
        _ token: SignedToken, _ provider: Provider, for caller: EarlyFetch
    ) async throws(ProviderError) -> TokenClaims {
        let reason: EarlyFetch
        do throws(ProviderError) {
            return try token.claims(try await keys(provider))
        } catch {
            switch ProviderError.AnswerError(rawValue: error.reason) {
            case .keyUnknown: reason = caller
            case .signature where caller == .signIn, .keyMismatch where caller == .signIn,
                .keyAmbiguous where caller == .signIn:
                reason = .wrongSignature
            default: throw error
            }
        }
        let fetch = fetchKeys(provider, try await discovery(provider))
        await keySets.newerValue(for: provider.issuer, reason, fetch: fetch)
        // Also where it was too early: another sign-in may have had them fetched meanwhile.
        return try token.claims(try await keys(provider))
    }

    private func fetchKeys(_ provider: Provider, _ discovery: DiscoveryDocument) -> SharedCache<SigningKeys>.Fetch {
        let (http, report) = (http, reportFaults)
        return {
            await Self.result { () async throws(ProviderError) in
                let reply = try await http.json(.keys, of: provider, discovery.keysURL)
                let keys = try SigningKeys(reply.json)
                report(keys, provider)
                return (keys, reply.lifetime)
            }
        }
    }

    /// Logs once what is ignored of a key set, and again when it is something else.
    private func reportFaults(_ keys: SigningKeys, _ provider: Provider) {
        guard faults.set(keys.faults, for: provider.issuer), !keys.faults.isEmpty else { return }
        let detail = ProviderError.printable(keys.faults.joined(separator: "; "))
        logger.record(Event(.providerKeysIgnored, detail: provider.id, ["detail": "\(detail)"]))
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
