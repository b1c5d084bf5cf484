import Foundation
import Hummingbird
import Logging
import SSOShared
import SSOWeb
import Synchronization

@testable import IdP
@testable import RelyingParty

/// Both programs in this process, on real sockets and files, with the clock in the test's hand.
///
/// The public addresses are made up; ``visitor(from:)`` knows where they are really served.
final class House: Household {
    struct Guest: PartnerPlace {
        let id, name, secret, origin: String
        let port: UInt16
        let database: SQLiteDatabase
    }

    let folder: TemporaryFolder
    let clock: TestClock
    let origin = "http://localhost:4000"
    let port: UInt16
    let database: SQLiteDatabase
    let letters: Letters
    let partners: [Guest]
    let log: LogBook
    /// Where the pages for a trial are.
    let dev: DevPages
    var mailbox: String { dev.path(of: .mailbox) }
    var linkTester: String { dev.path(of: .links) }

    private init(
        folder: TemporaryFolder, clock: TestClock, port: UInt16, database: SQLiteDatabase, letters: Letters,
        partners: [Guest], log: LogBook, dev: DevPages
    ) {
        (self.folder, self.clock, self.port, self.database) = (folder, clock, port, database)
        (self.letters, self.partners, self.log, self.dev) = (letters, partners, log, dev)
    }

    /// Opens a house, lets `body` use it, and closes it.
    ///
    /// - Parameters:
    ///   - count: how many partners there are: `partner-1`, `partner-2`, …
    ///   - settings: further settings of the IdP, over the ones made here.
    ///   - partnerSettings: the same for every partner.
    ///   - mailer: what delivers letters, given the folder where they are looked for.
    static func open(
        partners count: Int = 1, settings: [String: String] = [:], partnerSettings: [String: String] = [:],
        mailer: (String) -> any Mailer = { OutboxMailer(folder: $0) }, _ body: (House) async throws -> Void
    ) async throws {
        let (folder, clock, log) = (try TemporaryFolder(), TestClock(), LogBook())
        let letters = Letters(folder: try folder.folder("outbox"))
        let names = (1...count).map { "partner-\($0)" }
        let secrets = names.map { "\($0)-secret-\(ProgramPair.secret())" }
        let origins = (1...count).map { "http://127.0.0.\($0 + 1):4100" }
        var file = "clients:\n"
        for (index, name) in names.enumerated() {
            file += """
                  - {id: \(name), name: Partner number \(index + 1), redirect_uris: ["\(origins[index])/auth/sso/callback"],
                     secrets: ["\(secrets[index])"]}

                """
        }
        let base = [
            "IDP_PUBLIC_URL": "http://localhost:4000", "IDP_LISTEN": "127.0.0.1:0",
            "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))", "IDP_SECRET_KEY": ProgramPair.secret(),
            "IDP_MAIL_URL": "outbox:\(letters.folder)", "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com", "IDP_CLIENTS_FILE": try folder.write(file, to: "clients.yaml"),
        ]
        let database = try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
        let idp = try readIdPSettings(base.merging(settings) { $1 })
        let dev = try DevPages(randomness: SystemRandomness())
        let services = IdPServices(
            database: database, mailer: mailer(letters.folder), clock: clock.clock,
            randomness: SystemRandomness(), logger: log.logger("idp"), devPages: dev)
        try await serving({ try buildIdP(settings: idp, services: services, started: $0) }) { port in
            var guests: [Guest] = []
            for (index, name) in names.enumerated() {
                guests.append(
                    Guest(
                        id: name, name: "Partner number \(index + 1)", secret: secrets[index], origin: origins[index],
                        port: 0,
                        database: try await SQLiteDatabase(
                            path: folder.path(of: "\(name).sqlite"), migrations: RelyingPartyMigrations.all)))
            }
            try await serve(guests[...], done: [], idp: port, clock, log, partnerSettings) { partners in
                try await body(
                    House(
                        folder: folder, clock: clock, port: port, database: database, letters: letters,
                        partners: partners, log: log, dev: dev))
            }
        }
        await database.close()
    }

    /// A browser that finds the made-up addresses.
    func visitor(from source: String? = nil) -> Visitor {
        var routes = [origin: port]
        for partner in partners { routes[partner.origin] = partner.port }
        return Visitor(from: source, routes: routes)
    }

    /// Redeems a token over the back channel as the partner's server does.
    func verify(_ token: String, as partner: Guest, redirectURI: String? = nil) async throws -> ProbeReply {
        let body = VerifyRequest(token: token, redirectURI: redirectURI, codeVerifier: nil).body()
        return try await backChannel(body, signed(body, by: partner))
    }

    /// Posts to `/auth/sso/verify` just what is given.
    func backChannel(_ body: [UInt8], _ headers: HTTPProbe.Headers) async throws -> ProbeReply {
        try await HTTPProbe(port: port, authority: "localhost:4000").post(SSOPath.verify, headers, body: body)
    }

    /// A browser that is signed in at the IdP, by way of the first partner.
    func signedIn(as address: String = "ann@example.com", from source: String? = nil) async throws -> Visitor {
        let visitor = visitor(from: source)
        _ = try await visitor.signIn(at: partner, of: self, as: address)
        return visitor
    }

    private static func serve(
        _ waiting: ArraySlice<Guest>, done: [Guest], idp: UInt16, _ clock: TestClock, _ log: LogBook,
        _ rest: [String: String], _ body: ([Guest]) async throws -> Void
    ) async throws {
        guard let guest = waiting.first else { return try await body(done) }
        let host = try WebAddress(guest.origin + "/").host
        let base = [
            "RP_PUBLIC_URL": guest.origin, "RP_LISTEN": "\(host):0", "RP_SECRET_KEY": ProgramPair.secret(),
            "RP_IDP_URL": "http://localhost:4000", "RP_IDP_BACKCHANNEL_URL": "http://127.0.0.1:\(idp)",
            "SSO_CLIENT_ID": guest.id, "SSO_SHARED_SECRET": guest.secret,
        ]
        let reader = SettingsReader(SettingsSource(base.merging(rest) { $1 }))
        guard let settings = RelyingPartySettings.read(reader) else {
            throw ProbeFailure(reader.problems.joined(separator: "\n"))
        }
        let services = RelyingPartyServices(
            database: guest.database, backChannel: try BackChannelClient(settings), clock: clock.clock,
            randomness: SystemRandomness(), logger: log.logger(guest.id))
        try await serving({ try buildRelyingParty(settings: settings, services: services, started: $0) }) { port in
            let served = Guest(
                id: guest.id, name: guest.name, secret: guest.secret, origin: guest.origin, port: port,
                database: guest.database)
            try await serve(waiting.dropFirst(), done: done + [served], idp: idp, clock, log, rest, body)
        }
    }

    static func readIdPSettings(_ values: [String: String]) throws -> IdPSettings {
        let reader = SettingsReader(SettingsSource(values))
        guard let settings = IdPSettings.read(reader, environment: { _ in nil }) else {
            throw ProbeFailure(reader.problems.joined(separator: "\n"))
        }
        return settings
    }
}

/// Everything a program logged, at every level, as it would stand on standard error.
final class LogBook: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    func contains(_ part: String) -> Bool { lines.withLock { $0.contains { $0.contains(part) } } }

    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) { _ in Handler(book: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            book.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
