import IdPDirectory
import IdPMail
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import Storage
import ThisBuild

/// The outside world as values: what the IdP reaches beyond its own memory.
struct IdPServices: Sendable {
    let database: any Database
    let mailer: any Mailer
    let clock: ServiceClock
    let randomness: any Randomness
    let logger: Logger
    /// The paths of the pages for a trial.
    let devPages: DevPages
    /// Pages in place of the built-in ones, for tests.
    var pages: Pages?
    /// What runs beside the server for the database.
    var jobs: [any Service] = []
    /// Whether this process does what one of all nodes does, such as deleting expired rows.
    var isChosen: @Sendable () -> Bool = { true }
    /// See ``ClientDirectory/renewalInterval``. Tests of single requests do not wait.
    var clientRenewalInterval = ClientDirectory.renewalInterval

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when the outbox folder
    ///   cannot; in one clear line.
    static func live(_ settings: IdPSettings, logger: Logger) async throws -> IdPServices {
        if let problem = (settings.mail.mailer() as? OutboxMailer)?.problem {
            throw SettingError("IDP_MAIL_URL: \(problem)")
        }
        let database = try await IdPDatabase.open(settings.database, logger)
        let node = try await IdPDatabase.join(database, logger, describing: settings.node(try IdPSettings.nodeID()))
        return IdPServices(
            database: database, mailer: settings.mail.mailer(), clock: node?.clock ?? .system(),
            randomness: SystemRandomness(), logger: logger, devPages: try DevPages(randomness: SystemRandomness()),
            jobs: node.map { [$0] } ?? [], isChosen: node.map { node in { @Sendable in node.isChosen } } ?? { true })
    }
}

extension IdPSettings {
    /// A new id of a node, for one start.
    static func nodeID() throws -> String { "node_" + Base64URL.encode(try SystemRandomness().bytes(9)) }

    /// This process for the other nodes. Reads the files again at each call.
    func node(_ id: String) -> @Sendable () -> DatabaseNode {
        let (publicURL, keys) = (Self.fingerprint(Array(publicURL.text.utf8)), keys.fingerprints)
        return { [files] in
            DatabaseNode(
                id: id, version: ThisBuild.stamp.text, publicURL: publicURL, keys: keys,
                files: files.mapValues { path in
                    BoundedFile.read(path, upTo: 1 << 20).map(Self.fingerprint) ?? "unreadable"
                })
        }
    }

    private static func fingerprint(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(bytes).prefix(8)) }
}
