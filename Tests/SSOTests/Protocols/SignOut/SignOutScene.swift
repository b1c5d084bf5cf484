import SSOShared
import Storage
import Synchronization

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPSSO
@testable import IdPSignOut
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The queue of messages to clients on a database of its own, with a clock and answers that the test sets.
struct SignOutScene: Sendable {
    let database: any Database
    let clock: TestClock
    let log = CapturedLog()
    let transport: ScriptedTransport
    let clients: ClientDirectory
    let sender: SignOutSender
    let signOuts: SignOuts
    let audit: AuditStore

    static let secret = BackChannelFixture.secretText

    /// - Parameters:
    ///   - names: clients that take messages.
    ///   - isPlain: whether they take them over plain http in a private network.
    static func open(
        clients names: [String] = ["wiki"], isPlain: Bool = false, transport: ScriptedTransport = ScriptedTransport(),
        _ body: (SignOutScene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let databases = DeploymentDatabases(folder: folder)
        let database = try await databases.openIdP()
        try await body(SignOutScene(database, names, isPlain, transport))
        await database.close()
    }

    private init(
        _ database: any Database, _ names: [String], _ isPlain: Bool, _ transport: ScriptedTransport
    ) throws {
        let clock = TestClock()
        let registered = try names.map { try isPlain ? Self.plain(Self.client($0)) : Self.client($0) }
        let clients = ClientDirectory(
            ClientSource(ClientRegistry(registered + [Self.silent(try Self.client("silent"))])),
            logger: log.logger("idp"))
        (self.database, self.clock, self.transport, self.clients) = (database, clock, transport, clients)
        signOuts = SignOuts(clock: clock.clock, randomness: SystemRandomness())
        audit = AuditStore(database: database, clock: clock.clock, randomness: SystemRandomness())
        sender = SignOutSender(
            signOuts.queue, audit, protocols: [SSOSignOut()], clients: clients, transport: transport,
            logger: log.logger("idp"))
    }

    static func client(_ name: String) throws -> Client {
        Client(
            id: name, name: name, redirectURIs: ["https://\(name).example.com/callback"],
            secrets: [try .parse("\(secret)-\(name)", setting: "secret")]
        ).ofSSO(logoutURI: "https://\(name).example.com/auth/sso/logout")
    }

    private static func plain(_ client: Client) -> Client {
        var client = client
        let address = "http://\(client.id).lan/auth/sso/logout"
        client.sso?.logoutURI = address
        client.allowsPrivateHTTP = true
        return client
    }

    private static func silent(_ client: Client) -> Client {
        var client = client
        client.sso?.logoutURI = nil
        return client
    }

    /// As if clients had redeemed tokens of a session.
    func entered(_ session: String, by account: String = "usr_ann", _ names: [String] = ["wiki"]) async throws {
        let now = clock.now
        try await database.write { connection in
            for name in names {
                try signOuts.signIns.note(
                    session, kind: "sso", client: name, account: account, at: now, connection)
            }
        }
    }

    @discardableResult
    func end(_ what: EndedSessions, _ cause: SignOutCause = .byOperator) async throws -> SignOuts.Told {
        try await database.write { connection in
            try signOuts.end(what, cause, by: .program, connection) { try audit.write($0, connection) }
        }
    }

    func messages() async throws -> [QueuedSignOut] {
        try await database.read { try signOuts.queue.all(isWaiting: false, limit: 100_000, $0) }
    }

    func events(_ events: EventKind...) async throws -> [AuditEntry] {
        try await audit.page(AuditSearch()).filter { row in events.contains { $0.id == row.event } }
    }
}

/// Answers messages as the test says, and writes them down.
final class ScriptedTransport: SignOutTransport {
    typealias Answer = @Sendable (_ message: SignOutMessage, _ number: Int) async throws(ConnectionError) -> Int

    private let answer: Answer
    private let seen = Mutex<[(request: HTTPClient.Request, message: SignOutMessage)]>([])

    init(_ answer: @escaping Answer = { _, _ in 204 }) { self.answer = answer }

    var requests: [HTTPClient.Request] { seen.withLock { $0.map(\.request) } }
    var messages: [SignOutMessage] { seen.withLock { $0.map(\.message) } }

    func send(_ request: HTTPClient.Request) async throws(ConnectionError) -> HTTPClient.Response {
        guard case .post(let body) = request.method, let message = try? SignOutMessage(body: body) else {
            throw .impossible("not a message")
        }
        let number = seen.withLock { seen in
            seen.append((request, message))
            return seen.count - 1
        }
        return HTTPClient.Response(status: try await answer(message, number))
    }
}
