import Hummingbird
import SQLiteStorage
import SSOShared
import Storage

@testable import Counterparts
@testable import IdPDevPages
@testable import IdPFlow
@testable import IdPMail
@testable import IdPSchema
@testable import IdPServer
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Every path that the routers serve, for claims about every page or every path: a new route is in them at once.
///
/// Without the assets, whose names are made of their content. A segment such as `{key}` stands for any text.
enum ProgramPaths {
    /// Settings that switch on every optional feature of the IdP.
    static let everyFeature = ReplySettings.all.merging([
        "IDP_LINK_TESTER": "true", "IDP_APPLE_APP_IDS": "ABCDE12345.com.example.app", "IDP_ANDROID_APPS": androidApp,
    ]) { $1 }.merging(TestDeployment.ownAccount) { $1 }

    /// The same without mail.
    static let everyPasskeyFeature = everyFeature.filter { !$0.key.hasPrefix("IDP_INBOUND") }
        .merging(["IDP_MAIL_URL": "none"]) { $1 }

    static let androidApp = "com.example.app=" + (0..<32).map { _ in "AB" }.joined(separator: ":")

    static func idp() async throws -> Set<String> { try await declared().paths }

    /// What the identity provider declares, with every optional feature.
    struct Declared: Sendable {
        /// Every path of its router but the assets.
        var paths: Set<String> = []
        /// Every route of its features.
        var routes: [Route] = []
        /// How apps open them.
        let configuration: PathConfiguration
    }

    static func declared() async throws -> Declared {
        try await withServices { settings, services in
            var declared = Declared(
                configuration: try IdPFeatures(settings, services, adding: .init()).paths)
            _ = try buildIdP(
                settings: settings, services: services,
                inspecting: { (declared.paths, declared.routes) = (Self.paths(of: $0), $1) })
            return declared
        }
    }

    /// Every change of the identity provider with these features beside the built-in ones, as its router has declared it.
    static func changes(adding added: AddedFeatures) async throws -> (
        declared: [DeclaredChange], all: [any WaitingChange]
    ) {
        try await withServices(adding: added) { settings, services in
            let features = try IdPFeatures(settings, services, adding: added)
            return (features.router.changes, features.all.flatMap(\.changes))
        }
    }

    private static func withServices<Value>(
        adding added: AddedFeatures = .init(), _ body: (SettingValues, IdPServices) throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder(inMemory: true)
        let settings = try TestDeployment.readIdPSettings(
            SettingsFixture.idp.merging(everyFeature) { $1 }.merging([
                "IDP_MAIL_URL": "outbox:\(try folder.folder("outbox"))"
            ]) { $1 }, adding: added)
        let database = try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
        let services = IdPServices(
            ProgramServices(database: database, clock: TestClock().clock, logger: CapturedLog().logger("idp")),
            mailer: OutboxMailer(folder: folder.path(of: "outbox")),
            devPages: try DevPages(randomness: SystemRandomness()))
        let value = try body(settings, services)
        await database.close()
        return value
    }

    static func relyingParty() async throws -> Set<String> {
        let folder = try TemporaryFolder(inMemory: true)
        let reader = SettingsReader(SettingsSource(SettingsFixture.client))
        guard let settings = RelyingPartySettings.read(reader) else {
            throw ProbeFailure(reader.problems.joined(separator: "\n"))
        }
        let database = try await SQLiteDatabase(
            path: folder.path(of: "rp.sqlite"), migrations: RelyingPartyMigrations.all)
        let services = RelyingPartyServices(
            ProgramServices(database: database, clock: TestClock().clock, logger: CapturedLog().logger("rp")),
            backChannel: try BackChannelClient(settings))
        var paths: Set<String> = []
        _ = try buildRelyingParty(settings: settings, services: services, inspecting: { paths = Self.paths(of: $0) })
        await database.close()
        return paths
    }

    private static func paths<Context: RequestContext>(of router: Router<Context>) -> Set<String> {
        Set(router.routes.map(\.path.description).filter { !$0.hasPrefix("/assets/") })
    }
}

/// Where one program of a deployment listens, and the paths that it serves there.
struct ServedPaths: Sendable {
    let probe: HTTPProbe
    /// In order, with an example in place of each variable segment.
    let paths: [String]

    /// The methods that a path accepts, as its 405 says; nil when the answer to TRACE is no 405.
    func allowed(at path: String) async throws -> [String]? {
        let reply = try await probe.send("TRACE", path)
        guard reply.status == 405, let allow = reply.header("allow") else { return nil }
        return allow.split(separator: ",").map { $0.trimmingPrefix(" ") }.map(String.init)
    }

    /// The paths that accept HEAD. What has a GET without HEAD changes something.
    func pages() async throws -> [String] { try await accepting("HEAD") }

    /// The paths that accept a method.
    func accepting(_ method: String) async throws -> [String] {
        var found: [String] = []
        for path in paths where try await allowed(at: path)?.contains(method) == true { found.append(path) }
        return found
    }
}

extension TestDeployment {
    /// The IdP, which needs ``ProgramPaths/everyFeature``.
    func servedByIdP() async throws -> ServedPaths {
        let paths = try await ProgramPaths.idp().map { path in
            switch path {
            case "/dev/{word}/mailbox": mailboxPage
            case "/dev/{word}/links": linkTester
            default: path.replacing(#/\{[a-z]+\}/#, with: "a-b_C.1")
            }
        }
        return ServedPaths(probe: HTTPProbe(port: port, authority: "localhost:4000"), paths: paths.sorted())
    }

    /// The first client.
    func servedByClient() async throws -> ServedPaths {
        ServedPaths(
            probe: HTTPProbe(host: "127.0.0.2", port: client.port, authority: "127.0.0.2:4100"),
            paths: try await ProgramPaths.relyingParty().sorted())
    }
}
