import Foundation
import SSOShared

/// One IdP on a fresh SQLite file, its settings, and the browsers that are signed in at it.
final class BenchIdP {
    let folder: String
    let port: UInt16
    let partner: BenchPartner
    private(set) var server: ServerUnderTest
    private let environment: [String: String]
    private let programs: String
    private var people = 0

    var authority: String { "localhost:\(port)" }
    var databasePath: String { "\(folder)/idp.sqlite" }

    init(programs: String, folder: String) throws {
        self.programs = programs
        self.folder = folder
        try FileManager.default.createDirectory(atPath: "\(folder)/outbox", withIntermediateDirectories: true)
        port = try ServerUnderTest.freePort()
        let secret = try Hex.encode(RandomBytes.generate(32))
        partner = BenchPartner(secret: try SharedSecret.parse(secret, setting: "the bench's secret"))
        environment = [
            "IDP_PUBLIC_URL": "http://localhost:\(port)", "IDP_LISTEN": "127.0.0.1:\(port)",
            "IDP_DATABASE_URL": "sqlite:\(folder)/idp.sqlite",
            "IDP_SECRET_KEY": try Hex.encode(RandomBytes.generate(32)),
            "IDP_MAIL_URL": "outbox:\(folder)/outbox", "IDP_MAIL_FROM": "Bench <bench@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com", "IDP_APPLE_APP_IDS": "ABCDE12345.com.example.bench",
            "SSO_CLIENT_ID": partner.id, "SSO_CLIENT_NAME": "Bench", "SSO_REDIRECT_URIS": partner.callback,
            "SSO_SHARED_SECRET": secret,
        ]
        server = try Self.make(programs, environment, folder, port)
    }

    /// The last lines of its log.
    var logEnd: String {
        let text = (try? String(contentsOfFile: "\(folder)/idp.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    func start() throws {
        server = try Self.make(programs, environment, folder, port)
        try server.start(until: "/readyz")
    }

    func connections(_ count: Int) throws -> [WireConnection] {
        try (0..<count).map { try WireConnection(port: port, index: $0) }
    }

    /// Signs in so many browsers that nobody has seen before.
    func signIn(_ count: Int) throws -> [String] {
        defer { people += count }
        return try SignInRush(port: port, authority: authority, outbox: "\(folder)/outbox").signIn(
            count, firstPerson: people)
    }

    func script(cookies: [String]) -> PairScript {
        PairScript(cookies: cookies, partner: partner, authority: authority)
    }

    private static func make(
        _ programs: String, _ environment: [String: String], _ folder: String, _ port: UInt16
    ) throws -> ServerUnderTest {
        try ServerUnderTest(
            "\(programs)/idp", ["serve"], environment: environment, folder: folder, port: port, log: "\(folder)/idp.log"
        )
    }
}
