import Logging
import SSOShared
import SSOWeb

/// The outside world as values: what the partner reaches beyond its own memory.
struct RelyingPartyServices: Sendable {
    let database: any Database
    let backChannel: BackChannelClient
    let clock: ServiceClock
    let randomness: any Randomness
    let logger: Logger

    /// The real ones, as the settings say.
    static func live(_ settings: RelyingPartySettings, logger: Logger) async throws -> RelyingPartyServices {
        RelyingPartyServices(
            database: try await SQLiteDatabase(path: settings.database.path, migrations: RelyingPartyMigrations.all),
            backChannel: try BackChannelClient(settings), clock: .system(), randomness: SystemRandomness(),
            logger: logger)
    }
}

extension BackChannelClient {
    /// The client that the settings describe.
    init(_ settings: RelyingPartySettings) throws {
        try self.init(
            origin: settings.backChannel, clientID: settings.clientID, secret: settings.secret,
            requireSignedResponse: settings.requiresSignedResponse, caFile: settings.caFile,
            allowPlaintext: settings.allowsPlaintextBackChannel)
    }
}
