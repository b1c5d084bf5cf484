import IdPSigningKeys
import Logging
import SSOWeb
import ServiceLifecycle

/// Makes the next signing keys in time and removes old ones: at the start, and hourly.
struct SigningKeyRenewal: Service {
    private static let interval: Duration = .hours(1)

    let keys: SigningKeys
    let isChosen: @Sendable () -> Bool
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if isChosen() {
                    do { try await keys.renew() } catch {
                        // The next hour tries again: a key is published for a day before it is needed.
                        logger.record(Event(.signingKeysNotRenewed, cause: "\(error)"))
                    }
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
