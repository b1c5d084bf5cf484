import Foundation
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The whole program in memory, with browsers, mailboxes, clients and operators around it. Each step is carried out as a browser,
/// a client or a shell would, and its answer put into the words of the ``Model``.
final class World {
    let folder: TemporaryFolder
    let clock: TestClock
    let start: Timestamp
    let randomness: SeededRandomness
    let mailer: WorldMailer
    let transport: WorldTransport
    let breaking = Breaking()
    let databases: DeploymentDatabases
    var database: any Database
    /// The processes on the database. The second one starts when it is first asked.
    var nodes: [WorldNode?]
    var current = 0
    var isNarrowed = false
    /// The handles of sessions that were signed in.
    var handles: Set<String> = []
    var browsers = (0..<Cast.browsers).map { _ in WorldBrowser() }
    var secrets: [[String]]
    /// Tokens and codes in the order in which they were issued, and for which client.
    var grants: [(text: String, client: Int)] = []
    var tokens: [(text: String, isRefresh: Bool)] = []
    /// What clients were told: the session and the account.
    var told: [(client: Int, session: String, account: String)] = []
    /// The ids of accounts in the order in which they were made.
    var accounts: [String] = []
    /// Passkeys and printed links in the order in which they were made.
    var passkeys: [WorldPasskey] = []
    var links: [String] = []
    /// The changes of addresses in the order in which they were asked for.
    var addressChanges: [(id: String, browser: Int)] = []
    /// Keys for apps in the order in which they were made.
    var appKeys: [String] = []
    /// By browser: the ids of its sessions at the service behind the gate, the newest last.
    var gateCookies: [Int: [String]] = [:]
    var states = 0
    var restores = 0
    /// The rows of the audit log that were compared.
    var seen: Set<[UInt8]> = []

    /// A feature that is added to the program.
    let added: AddedSteps?

    init(seed: UInt64, adding added: AddedSteps? = nil) async throws {
        self.added = added
        folder = try TemporaryFolder(inMemory: true)
        (clock, mailer, transport) = (TestClock(), WorldMailer(), WorldTransport())
        start = clock.now
        randomness = SeededRandomness(seed)
        secrets = Cast.clients.map { ["secret-of-\($0)-0-0123456789abcdefghijklmnop"] }
        databases = DeploymentDatabases(folder: folder)
        database = breaking.wrapping(try await databases.openIdP())
        try Self.clientsFile(drops: false, secrets, added).write(
            toFile: folder.path(of: "clients.yaml"), atomically: true, encoding: .utf8)
        nodes = [nil, nil]
        nodes[0] = try startNode()
        try await addStored()
        // What a history begins with is not compared.
        _ = try await rows(since: start)
    }

    /// The same world with browsers of its own, for what happens at the same moment. Its process is the same, or another one.
    func twin(inTwo: Bool) async throws -> World { try World(beside: self, inTwo: inTwo) }

    private init(beside other: World, inTwo: Bool) throws {
        added = other.added
        (folder, clock, start, randomness) = (other.folder, other.clock, other.start, other.randomness)
        (mailer, transport, databases, database) = (other.mailer, other.transport, other.databases, other.database)
        (nodes, current, isNarrowed, handles) = (other.nodes, other.current, other.isNarrowed, other.handles)
        (browsers, secrets, grants, tokens) = (other.browsers, other.secrets, other.grants, other.tokens)
        (told, accounts, states) = (other.told, other.accounts, other.states + 1000)
        (passkeys, links) = (other.passkeys, other.links)
        if inTwo { nodes = [try startNode(), nil] }
    }

    func end() async { await database.close() }

    /// The process that answers.
    var node: WorldNode {
        get throws {
            guard let node = nodes[current] else { throw ProbeFailure("no process answers") }
            return node
        }
    }

    func startNode() throws -> WorldNode {
        let values = [
            "IDP_PUBLIC_URL": "http://localhost:4000", "IDP_LISTEN": "127.0.0.1:0",
            "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
            "IDP_SECRET_KEY": "the-key-of-every-history-0123456789abcdef", "IDP_MAIL_URL": "outbox:\(folder.path)",
            "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": allowed,
            "IDP_CLIENTS_FILE": folder.path(of: "clients.yaml"), "IDP_LIMIT_EMAIL_POSTS": "1000000",
            "IDP_LIMIT_CODE_POSTS": "1000000", "IDP_LIMIT_NEW_SESSIONS": "1000000", "IDP_MAIL_HOURLY_LIMIT": "1000000",
        ]
        return try WorldNode(
            TestDeployment.readIdPSettings(
                values.merging(added?.settings ?? [:]) { $1 }, adding: added?.features ?? .init()),
            added?.features ?? .init(),
            database, clock.clock, randomness, mailer: mailer,
            transport: transport)
    }

    var allowed: String { isNarrowed ? "*@example.com" : "*@example.com, *@example.net" }

    /// The clients of the file: one for everyone, and one for a group.
    private static func clientsFile(drops: Bool, _ secrets: [[String]], _ added: AddedSteps?) -> String {
        let entries = [
            entry(0, "access: everyone" + (added?.clientKeys ?? ""), secrets), entry(1, "groups: [staff]", secrets),
        ]
        return "clients:\n" + entries.dropFirst(drops ? 1 : 0).joined()
    }

    private static func entry(_ client: Int, _ access: String, _ secrets: [[String]]) -> String {
        let id = Cast.clients[client]
        return """
              - {id: \(id), name: Client \(id), redirect_uris: ["\(callback(client))"], \(access),
                 secrets: ["\(secrets[client][0])"], logout_uri: "https://\(id).example/out"}

            """
    }

    static func between(_ start: String, end: (Character) -> Bool, in text: String) -> String? {
        text.range(of: start).map { String(text[$0.upperBound...].prefix { !end($0) }) }
    }

    static func callback(_ client: Int) -> String { "https://\(Cast.clients[client]).example/callback" }

    // MARK: Steps

    func step(_ operation: Operation) async throws -> Outcome {
        _ = (mailer.take(), transport.take())
        let began = clock.now
        let answer = try await answer(operation)
        try await node.send()
        try await noteAccounts()
        return Outcome(
            answer: answer, sent: emails(), received: try messages(), recorded: try await rows(since: began))
    }

    func answer(_ operation: Operation) async throws -> String {
        switch operation {
        case .ask(let browser, let address): try await ask(browser, address)
        case .type(let browser, let code, let remember): try await type(browser, code, remember)
        case .look(let browser): try await look(browser)
        case .lookEarlier(let browser): try await lookEarlier(browser)
        case .signOut(let browser): try await signOut(browser)
        case .authorize(let browser, let client, let wish): try await authorize(browser, client, wish)
        case .redeem, .question, .exchange, .refresh, .userInfo, .introspect, .revoke, .server:
            try await answerClient(operation)
        case .link(let browser, let other): try await link(browser, other)
        case _ where operation.isOfPasskeys: try await answerPasskey(operation)
        case .endOthers(let browser): try await endOthers(browser)
        case .endSession(let browser, let other): try await endSession(browser, other)
        case .kill(let step, let steps): try await kill(step, after: steps)
        case .wait, .jobs, .restart, .node, .backUp, .restore, .file, .allow: try await pass(operation)
        case .added(let step): try await added?.world(self, step) ?? "no such step"
        default: try await answerOperator(operation)
        }
    }

    private func pass(_ operation: Operation) async throws -> String {
        switch operation {
        case .wait(let seconds): clock.advance(by: .seconds(seconds))
        case .jobs: try await node.purge()
        case .restart: try await restart()
        case .node(let number):
            current = number
            if nodes[number] == nil {
                nodes[number] = try startNode()
                await nodes[number]?.features.atStart()
            }
        case .backUp: try await backUp()
        case .restore: return try await restore()
        case .file(let drops, let isReloaded):
            try Self.clientsFile(drops: drops, secrets, added).write(
                toFile: folder.path(of: "clients.yaml"), atomically: true, encoding: .utf8)
            if isReloaded { for node in nodes { await node?.features.reload() } }
        case .allow(let isNarrowed):
            self.isNarrowed = isNarrowed
            try await restart()
        default: return "no such step"
        }
        return "done"
    }
}

/// A browser: cookies, and what it has open.
struct WorldBrowser {
    var cookies: [String: String] = [:]
    /// The id of the session before.
    var earlier: String?
    var requests = 0
    /// The id of the flow that it was sent to sign in for.
    var flow: String?
    /// The token of the form that is open.
    var formToken: String?
    /// The codes of emails that it asked for, by address.
    var codes: [Int: String] = [:]
    /// The address for which a code may come in this step.
    var waitsForCode: Int?
    /// The keys of the links in them.
    var links: [Int: String] = [:]
    /// The handle of its last session with a sign-in.
    var handle: String?
    /// The address of the form that is open.
    var address: Int?
}
