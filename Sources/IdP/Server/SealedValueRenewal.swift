import IdPClients
import IdPOperations
import IdPProviderSignIn
import IdPSigningKeys
import Logging
package import SSOShared
import SSOWeb
import ServiceLifecycle
package import Storage

/// Seals stored values again with the first key of `IDP_SECRET_KEY`: within a minute of a start, and hourly.
struct SealedValueRenewal: Service {
    private static let interval: Duration = .hours(1)

    let values: SealedValueStore
    let audit: AuditLog
    let isChosen: @Sendable () -> Bool
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last: ContinuousClock.Instant?
            while !Task.isCancelled {
                if isChosen(), last.map({ .now - $0 >= Self.interval }) ?? true {
                    last = .now
                    await renew()
                }
                try? await Task.sleep(for: .seconds(30))
            }
        }
    }

    func renew() async {
        do {
            let renewed = try await values.renew().filter { $0.old > 0 }
            guard !renewed.isEmpty else { return }
            let detail = renewed.map { "\($0.old) \($0.name)" }.joined(separator: ", ")
            audit.record(Event(.sealedValuesRenewed, detail: detail))
        } catch {
            // The next hour tries again.
            logger.record(Event(.sealedValuesNotRenewed, cause: "\(error)"))
        }
    }
}

extension SealedValueStore {
    /// For looking only.
    package init(database: any Database, _ keys: DerivedKeys) {
        self.init(database: database, columns: .all(keys, SystemRandomness()))
    }
}

extension [SealedColumn] {
    /// Every column with values that are sealed and stay. What is sealed for minutes, such as a provider's answer, needs none.
    static func all(_ keys: DerivedKeys, _ randomness: any Randomness) -> [SealedColumn] {
        [
            .clientSecrets(ClientSecretBox(keys: keys, randomness: randomness)),
            .signingKeys(SigningKeyBox(keys: keys, randomness: randomness).box),
            .refreshTokens(ProviderFeature.refreshTokens(keys, randomness)),
        ]
    }
}
