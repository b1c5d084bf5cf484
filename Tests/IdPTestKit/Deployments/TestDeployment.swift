import Foundation
import Hummingbird
import Logging
import SQLiteStorage
import Storage
import Synchronization

@testable import Counterparts
@testable import IdPClients
@testable import IdPDevPages
@testable import IdPFlow
@testable import IdPMail
@testable import IdPProviders
@testable import IdPServer
@testable import RelyingParty
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Both programs in this process, on real sockets and files, with the clock set by the test.
///
/// The public addresses are made up; ``browser(from:)`` knows where they are really served.
final class TestDeployment: Deployment, Sendable {
    struct Client: TestClient {
        let id, name, secret, origin: String
        let port: UInt16
        let database: any Database
        /// How to build another process of it.
        let build: (@Sendable (any Database, @escaping @Sendable (String) -> Void) throws -> any ApplicationProtocol)?
    }

    let folder: TemporaryFolder
    let clock: TestClock
    let origin = "http://localhost:4000"
    let port: UInt16
    let database: any Database
    let databases: DeploymentDatabases
    let mailbox: Mailbox
    let clients: [Client]
    let log: CapturedLog
    /// The sign-in providers that it knows.
    let standIns: [StandInProvider]
    /// The paths of the development pages.
    let dev: DevPages
    var mailboxPage: String { dev.path(of: .mailbox) }
    var linkTester: String { dev.path(of: .links) }
    /// How the IdP was built.
    let idp: IdP

    struct IdP: Sendable {
        let settings: SettingValues
        /// What the settings were read from.
        let values: [String: String]
        let added: AddedFeatures
        let keys: DerivedKeys
        let clients: ClientSource
        let providers: ProviderSource

        init(_ settings: SettingValues, from values: [String: String], added: AddedFeatures) throws {
            (self.settings, self.values, self.added) = (settings, values, added)
            keys = try settings[FlowSettings.secretKey]
            (clients, providers) = (try settings[IdPSettings.clients], try settings[IdPSettings.providers])
        }
    }

    private init(
        folder: TemporaryFolder, clock: TestClock, port: UInt16, idp: IdP, database: any Database,
        databases: DeploymentDatabases, mailbox: Mailbox, clients: [Client], log: CapturedLog,
        standIns: [StandInProvider], dev: DevPages
    ) {
        (self.folder, self.clock, self.port, self.idp, self.database) = (folder, clock, port, idp, database)
        self.databases = databases
        (self.mailbox, self.clients, self.log, self.dev) = (mailbox, clients, log, dev)
        self.standIns = standIns
    }

    /// Opens a deployment, lets `body` use it, and closes it.
    ///
    /// - Parameters:
    ///   - count: how many clients there are: `partner-1`, `partner-2`, …
    ///   - keys: further keys of each client's entry in the file, such as `groups: [finance]`.
    ///   - clock: the clock of everything in it.
    ///   - settings: further settings of the IdP, which override the ones made here.
    ///   - clientKeys: further keys of every client in the clients file, such as `logout_uri: "…"`. `{origin}` stands for the
    ///     client's origin.
    ///   - clientSettings: the same for every client.
    ///   - limits: of the clients' calls to the IdP.
    ///   - standIns: the sign-in providers that the settings name.
    ///   - added: features of the test.
    ///   - wrap: puts a test double around the IdP's database.
    ///   - pages: pages of the IdP in place of the built-in ones.
    ///   - clientPages: the same for every client.
    ///   - prepare: makes the database file at the given path before the IdP opens it.
    ///   - mailer: delivers emails into the given folder.
    static func open(
        clients count: Int = 1, keys: [String] = [], at clock: TestClock = TestClock(),
        settings: [String: String] = [:], clientKeys: String = "",
        clientSettings: [String: String] = [:], limits: HTTPLimits = .patient, standIns: [StandInProvider] = [],
        mailer: (String) -> any Mailer = { OutboxMailer(folder: $0) },
        adding added: AddedFeatures = .init(),
        wrapping wrap: (any Database) -> any Database = { $0 }, pages: Pages? = nil, clientPages: Pages? = nil,
        preparing prepare: (String) async throws -> Void = { _ in }, _ body: (TestDeployment) async throws -> Void
    ) async throws {
        DeploymentCount.add()
        let (folder, log, rounds) = (try TemporaryFolder(inMemory: true), CapturedLog(), MailRounds())
        let mailbox = Mailbox(folder: try folder.folder("outbox"), deliver: rounds.begin)
        let names = (1...count).map { "partner-\($0)" }
        let secrets = names.map { "\($0)-secret-\(TestSecret.new())" }
        let origins = (1...count).map { "http://127.0.0.\($0 + 1):4100" }
        let native = clientSettings["RP_NATIVE_REDIRECT_URI"].map { ", \"\($0)\"" } ?? ""
        let more = clientKeys.isEmpty ? "" : ", \(clientKeys)"
        var file = "clients:\n"
        for (index, name) in names.enumerated() {
            file += """
                  - {id: \(name), name: Partner number \(index + 1), redirect_uris: ["\(origins[index])/auth/sso/callback"\(native)],
                     secrets: ["\(secrets[index])"], \(Self.signOutURIs(name, (keys + [more]).joined()))
                     \(keys.indices.contains(index) ? keys[index] : "access: everyone")\(more.replacing("{origin}", with: origins[index]))}

                """
        }
        let base = [
            "IDP_PUBLIC_URL": "http://localhost:4000", "IDP_LISTEN": "127.0.0.1:0",
            "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))", "IDP_SECRET_KEY": TestSecret.new(),
            "IDP_MAIL_URL": "outbox:\(mailbox.folder)", "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com", "IDP_CLIENTS_FILE": try folder.write(file, to: "clients.yaml"),
        ]
        let databases = DeploymentDatabases(folder: folder)
        try await prepare(databases.path)
        let database = try await databases.openIdP()
        let proxies = file.contains("gate_origin") ? ["IDP_TRUSTED_PROXIES": "127.0.0.1"] : [:]
        let values = base.merging(proxies) { $1 }.merging(settings) { $1 }
        let idp = try readIdPSettings(values, adding: added)
        let dev = try DevPages(randomness: SystemRandomness())
        let metrics = try idp[IdPSettings.metricsListen].map { ProgramMetrics.idp($0) }
        let services = IdPServices(
            ProgramServices(
                database: wrap(database), clock: clock.clock, logger: log.logger("idp").counting(metrics?.counts),
                metrics: metrics, pages: try pages ?? (added.files.isEmpty ? BuiltInPages.idp(idp) : nil)),
            mailer: try sends(idp) ? mailer(mailbox.folder) : nil, devPages: dev, clientRenewalInterval: .zero,
            mailRounds: rounds, newKey: KeyLeases().new)
        try await serving({ try buildIdP(settings: idp, services: services, adding: added, started: $0) }) { port in
            var clients: [Client] = []
            for (index, name) in names.enumerated() {
                clients.append(
                    Client(
                        id: name, name: "Partner number \(index + 1)", secret: secrets[index], origin: origins[index],
                        port: 0,
                        database: try await databases.openRelyingParty(name), build: nil))
            }
            try await serve(clients[...], done: [], idp: port, clock, log, clientSettings, limits, clientPages) {
                clients in
                try await body(
                    TestDeployment(
                        folder: folder, clock: clock, port: port,
                        idp: IdP(idp, from: values, added: added), database: database,
                        databases: databases, mailbox: mailbox, clients: clients, log: log, standIns: standIns, dev: dev
                    ))
            }
        }
        await database.close()
    }

    /// A key of SSO alone.
    private static func signOutURIs(_ name: String, _ keys: String) -> String {
        keys.contains("protocols: [oidc]") ? "" : "sign_out_uris: [\"https://\(name).example/bye\"],"
    }

    /// Builds a second IdP from the same settings on the same database and lets `body` use it in place of the first. It
    /// has nothing of what the first one keeps in memory, as after a restart or behind a load balancer.
    ///
    /// - Parameter changed: settings that it has in place of those of the first.
    func withSecondIdP(
        settings changed: [String: String] = [:], _ body: (TestDeployment) async throws -> Void
    ) async throws {
        let settings =
            try changed.isEmpty
            ? idp.settings
            : Self.readIdPSettings(idp.values.merging(changed) { $1 }, adding: idp.added)
        let database = try await databases.openIdP()
        let services = IdPServices(
            ProgramServices(
                database: database, clock: clock.clock, logger: log.logger("idp"),
                pages: try BuiltInPages.idp(settings)),
            mailer: try outbox(settings), devPages: dev, clientRenewalInterval: .zero, newKey: KeyLeases().new)
        try await serving({
            try buildIdP(settings: settings, services: services, adding: idp.added, started: $0)
        }) { port in
            try await body(
                TestDeployment(
                    folder: folder, clock: clock, port: port, idp: idp, database: database,
                    databases: databases, mailbox: mailbox, clients: clients, log: log, standIns: standIns, dev: dev))
        }
        await database.close()
    }

    /// Builds a second process of the first client on the same database, and lets `body` use it. It has nothing of what the
    /// first one keeps in memory.
    func withSecondClient(_ body: (Client) async throws -> Void) async throws {
        guard let build = client.build else { throw ProbeFailure("the client is not served") }
        let database = try await databases.openRelyingParty(client.id)
        try await serving({ try build(database, $0) }) { port in
            try await body(
                Client(
                    id: client.id, name: client.name, secret: client.secret, origin: client.origin, port: port,
                    database: database, build: build))
        }
        await database.close()
    }

    /// The keys that the IdP derives its own from.
    var keys: DerivedKeys { idp.keys }

    /// Where the made-up addresses are really served.
    var routes: [String: UInt16] {
        var routes = [origin: port]
        for client in clients { routes[client.origin] = client.port }
        return routes
    }

    /// A browser that resolves the made-up addresses.
    func browser(
        from source: String? = nil, language: String? = nil, userAgent: String = Browser.browserUserAgent
    ) -> Browser {
        Browser(from: source, language: language, userAgent: userAgent, routes: routes)
    }

    /// Redeems a token over the back channel as the client's server does.
    func verify(_ token: String, as client: Client, redirectURI: String? = nil) async throws -> ProbeReply {
        let body = VerifyRequest(token: token, redirectURI: redirectURI, codeVerifier: nil).body()
        return try await backChannel(body, signed(body, by: client))
    }

    /// Posts exactly these values to `/auth/sso/verify`.
    func backChannel(_ body: [UInt8], _ headers: HTTPProbe.Headers) async throws -> ProbeReply {
        try await HTTPProbe(port: port, authority: "localhost:4000").post(SSOPath.verify, headers, body: body)
    }

    /// Plain requests to the IdP, without cookies or the headers of a browser.
    func probe() -> HTTPProbe { HTTPProbe(port: port, authority: "localhost:4000") }

    /// Raw requests to the first client.
    func clientProbe() -> HTTPProbe { HTTPProbe(host: "127.0.0.2", port: client.port, authority: "127.0.0.2:4100") }

    /// A browser that is signed in at the IdP, through the first client.
    func signedIn(as address: String = "ann@example.com", from source: String? = nil) async throws -> Browser {
        let browser = browser(from: source)
        _ = try await browser.signIn(at: client, of: self, as: address)
        return browser
    }

    private static func serve(
        _ waiting: ArraySlice<Client>, done: [Client], idp: UInt16, _ clock: TestClock, _ log: CapturedLog,
        _ rest: [String: String], _ limits: HTTPLimits, _ pages: Pages?, _ body: ([Client]) async throws -> Void
    ) async throws {
        guard let client = waiting.first else { return try await body(done) }
        let host = try WebAddress(client.origin + "/").host
        let base = [
            "RP_PUBLIC_URL": client.origin, "RP_LISTEN": "\(host):0", "RP_SECRET_KEY": TestSecret.new(),
            "RP_IDP_URL": "http://localhost:4000", "RP_IDP_BACKCHANNEL_URL": "http://127.0.0.1:\(idp)",
            "SSO_CLIENT_ID": client.id, "SSO_SHARED_SECRET": client.secret,
        ]
        let reader = SettingsReader(SettingsSource(base.merging(rest) { $1 }))
        guard let settings = RelyingPartySettings.read(reader) else {
            throw ProbeFailure(reader.problems.joined(separator: "\n"))
        }
        let build = { @Sendable (database: any Database, started: @escaping @Sendable (String) -> Void) in
            let logger = log.logger(client.id)
            let services = RelyingPartyServices(
                ProgramServices(
                    database: database, clock: clock.clock, logger: logger,
                    pages: try pages ?? BuiltInPages.relyingParty(settings)),
                backChannel: try BackChannelClient(
                    settings, limits: limits,
                    notePreviousSecret: PreviousSecretWarning(clock: clock.clock, logger: logger).note))
            return try buildRelyingParty(settings: settings, services: services, started: started)
                as any ApplicationProtocol
        }
        try await serving({ try build(client.database, $0) }) { port in
            let served = Client(
                id: client.id, name: client.name, secret: client.secret, origin: client.origin, port: port,
                database: client.database, build: build)
            try await serve(waiting.dropFirst(), done: done + [served], idp: idp, clock, log, rest, limits, pages, body)
        }
    }

    static func readIdPSettings(
        _ values: [String: String], adding added: AddedFeatures = .init()
    ) throws -> SettingValues {
        let reader = SettingsReader(SettingsSource(values))
        let protocols = ClientProtocols(ClientProtocols.builtIn.all + added.protocols)
        guard let settings = IdPSettings.read(reader, adding: added.settings, protocols: protocols) else {
            throw ProbeFailure(reader.problems.joined(separator: "\n"))
        }
        return settings
    }
}

extension HTTPLimits {
    /// For answers that a busy machine gives late. What the limits do is shown with short ones, in BackChannelLimitsTests.
    static let patient = HTTPLimits(
        connect: .seconds(30), call: .seconds(60), shortCall: .seconds(60), queue: .seconds(30))
}
