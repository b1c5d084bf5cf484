import Foundation
import Glibc
import SSOShared

/// The client that the bench plays.
struct BenchClient {
    static let id = "bench"
    static let callback = "http://127.0.0.1:9/auth/sso/callback"
    let secret: SharedSecret
    private let authority: String
    private let verifyHead: [UInt8]

    init(secret: SharedSecret, authority: String) {
        (self.secret, self.authority) = (secret, authority)
        verifyHead = Array(
            """
            POST \(SSOPath.verify) HTTP/1.1\r\nHost: \(authority)\r\nContent-Type: application/json\r
            \(RequestSignature.clientHeaderName): \(Self.id)\r\n\(RequestSignature.headerName): 
            """.utf8)
    }

    /// A browser's request for a token.
    func authorizeRequest(state: Int, cookie: String) -> [UInt8] {
        let redirect = "http%3A%2F%2F127.0.0.1%3A9%2Fauth%2Fsso%2Fcallback"
        let query = "client_id=\(Self.id)&redirect_uri=\(redirect)&state=bench-\(state)"
        let cookieLine = cookie.isEmpty ? "" : "Cookie: \(cookie)\r\n"
        return Array(
            """
            GET \(SSOPath.authorize)?\(query) HTTP/1.1\r\nHost: \(authority)\r
            \(cookieLine)Accept: text/html\r\n\r\n
            """.utf8)
    }

    /// The token on the page that answers.
    func token(in answer: WireConnection.Answer) -> [UInt8]? {
        guard answer.status == 200, let found = ByteSearch.find("token=sst_", in: answer.body),
            answer.body.count >= found + 53
        else { return nil }
        return Array(answer.body[(found + 6)..<(found + 53)])
    }

    /// The request of the client's server that redeems a token.
    func verifyRequest(_ token: [UInt8]) -> [UInt8] {
        let body = Array("{\"token\":\"".utf8) + token + Array("\",\"redirect_uri\":\"\(Self.callback)\"}".utf8)
        let signature = RequestSignature.request(body: body, secret: secret).headerValue
        return verifyHead + Array("\(signature)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }
}

/// An IdP, of one process or several nodes, on a database of its own, measured through /proc, and the browsers that are signed in
/// at it.
final class IdPUnderTest {
    let label: String
    private let folder: String
    /// Of each node. Connections take turns.
    private let ports: [UInt16]
    private let client: BenchClient
    private let binary: String
    private let environment: [String: String]
    private var processes: [Process] = []
    /// The `Cookie` values of the browsers that are signed in.
    private(set) var cookies: [String] = []
    /// Each login has a state of its own: a state that a session has used before gives the IdP other work.
    private var nextState = 0
    /// From the start of the first process to its first answer, in seconds.
    private(set) var startUp = 0.0

    var port: UInt16 { ports[0] }
    var authority: String { "localhost:\(port)" }
    var databasePath: String { "\(folder)/idp.sqlite" }

    /// - Parameters:
    ///   - settings: further ones.
    ///   - nodes: how many processes share the database.
    ///   - hasDeadClient: whether there is a second client, whose server refuses every connection.
    ///   - furtherClients: so many more than that.
    init(
        _ binary: String, folder: String, label: String, settings: [String: String] = [:], nodes: Int = 1,
        hasDeadClient: Bool = false, furtherClients: Int = 0
    ) throws {
        (self.binary, self.folder, self.label) = (binary, folder, label)
        try FileManager.default.createDirectory(atPath: "\(folder)/outbox", withIntermediateDirectories: true)
        ports = try (0..<nodes).map { _ in try Self.freePort() }
        let port = ports[0]
        let secret = try Hex.encode(RandomBytes.generate(32))
        client = BenchClient(
            secret: try SharedSecret.parse(secret, setting: "the bench's secret"), authority: "localhost:\(port)")
        let inherited = ProcessInfo.processInfo.environment.filter { $0.key == "PATH" || $0.key.hasPrefix("LD_") }
        let clients =
            hasDeadClient || furtherClients > 0
            ? ["IDP_CLIENTS_FILE": try Self.clientsFile(in: folder, secret: secret, further: furtherClients)]
            : [
                "SSO_CLIENT_ID": BenchClient.id, "SSO_CLIENT_NAME": "Bench",
                "SSO_REDIRECT_URIS": BenchClient.callback, "SSO_SHARED_SECRET": secret,
            ]
        environment = inherited.merging(clients) { $1 }.merging([
            "IDP_PUBLIC_URL": "http://localhost:\(port)",
            "IDP_DATABASE_URL": "sqlite:\(folder)/idp.sqlite",
            "IDP_SECRET_KEY": try Hex.encode(RandomBytes.generate(32)),
            "IDP_MAIL_URL": "outbox:\(folder)/outbox", "IDP_MAIL_FROM": "Bench <bench@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com", "IDP_APPLE_APP_IDS": "ABCDE12345.com.example.bench",
            "SHUTDOWN_GRACE": "0s",
        ]) { $1 }.merging(settings) { $1 }
    }

    private static func clientsFile(in folder: String, secret: String, further: Int) throws -> String {
        var text = """
            clients:
              - {id: \(BenchClient.id), name: Bench, redirect_uris: ["\(BenchClient.callback)"], secrets: ["\(secret)"], access: everyone}
              - {id: \(SeedRows.deadClient), name: Dead, redirect_uris: ["http://127.0.0.1:9/dead"],
                 secrets: ["\(try Hex.encode(RandomBytes.generate(32)))"], access: everyone, logout_uri: "http://127.0.0.1:9/logout"}

            """
        for number in 0..<further {
            let entry = try [
                "id: more-\(number)", "name: More \(number)", "access: everyone",
                "redirect_uris: [\"http://127.0.0.1:9/more/\(number)\"]",
                "secrets: [\(Hex.encode(RandomBytes.generate(32)))]",
            ]
            text += "  - {\(entry.joined(separator: ", "))}\n"
        }
        let path = "\(folder)/clients.yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    deinit { for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    // MARK: - The processes

    /// Starts them, one after another, and waits until each is ready.
    func start() throws {
        processes = []
        for (index, port) in ports.enumerated() {
            let seconds = try startNode(on: port, log: "\(folder)/idp\(index == 0 ? "" : "-\(index)").log")
            if index == 0 { startUp = seconds }
        }
    }

    /// - Returns: the seconds until its first answer.
    private func startNode(on port: UInt16, log: String) throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["serve"]
        process.environment = environment.merging(["IDP_LISTEN": "127.0.0.1:\(port)"]) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        guard FileManager.default.createFile(atPath: log, contents: nil), let handle = FileHandle(forWritingAtPath: log)
        else { throw BenchError("cannot write \(log)") }
        // A pipe, as a service manager gives it.
        let output = Pipe()
        (process.standardError, process.standardOutput) = (output, output)
        let begin = LoadLoop.now()
        try process.run()
        let reader = Thread {
            var lines = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(output.fileHandleForReading.fileDescriptor, &lines, lines.count)
                guard count > 0 else { return }
                _ = write(handle.fileDescriptor, lines, count)
            }
        }
        reader.start()
        processes.append(process)
        let request = Array("GET /readyz HTTP/1.1\r\nHost: \(authority)\r\n\r\n".utf8)
        while (try? WireConnection(port: port, index: 0).exchange(request).status) != 200 {
            guard process.isRunning, LoadLoop.now() - begin < 20_000_000_000 else {
                throw BenchError("\(binary) is not ready:\n\(logEnd)")
            }
            usleep(500)
        }
        return Double(LoadLoop.now() - begin) / 1e9
    }

    func stop() throws {
        for process in processes {
            process.terminate()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw BenchError("\(binary) ended with \(process.terminationStatus):\n\(logEnd)")
            }
        }
    }

    /// Copies the SQLite file of the stopped IdP into an empty database of PostgreSQL.
    func copyDatabase(to address: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["database", "copy", "--from", "sqlite:\(databasePath)", "--to", address]
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("the database could not be copied") }
    }

    /// Resident memory of all processes in MiB.
    var residentMemory: Double { memory("VmRSS:") }

    /// The highest resident memory since the start, in MiB.
    var peakMemory: Double { memory("VmHWM:") }

    private func memory(_ field: String) -> Double {
        processes.reduce(0) { sum, process in
            let line = proc("status", process).split(separator: "\n").first { $0.hasPrefix(field) }
            return sum + (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0)
                / 1_024
        }
    }

    /// Seconds of processor time used so far by all threads, user and system.
    var processorTime: Double {
        processes.reduce(0) { sum, process in
            let fields = proc("stat", process).drop { $0 != ")" }.split(separator: " ")
            guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return sum }
            return sum + (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// How often its threads have waited and were woken (proc(5), `voluntary_ctxt_switches` of a task).
    func wakeUps() throws -> Int {
        var count = 0
        for process in processes {
            let tasks = "/proc/\(process.processIdentifier)/task"
            for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
                let line = proc("task/\(task)/status", process).split(separator: "\n")
                    .first { $0.hasPrefix("voluntary_ctxt_switches:") }
                count += line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
            }
        }
        return count
    }

    private func proc(_ name: String, _ process: Process) -> String {
        (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/\(name)", encoding: .utf8)) ?? ""
    }

    /// The last lines of its log, for errors: its folder is removed after the run.
    var logEnd: String {
        let text = (try? String(contentsOfFile: "\(folder)/idp.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    // MARK: - Load

    /// Signs in so many browsers.
    func signIn(_ count: Int) throws {
        do {
            cookies = try BrowserSignIn(port: port, authority: authority, outbox: "\(folder)/outbox").signIn(count)
        } catch { throw BenchError("\(error)\n\(logEnd)") }
    }

    /// Runs logins for a while.
    func logIn(concurrency: Int, seconds: Double) throws -> LoginResult {
        let loop = LoadLoop(connections: try connections(concurrency))
        var load = LoginLoad(
            cookies: Array(cookies.prefix(concurrency)), client: client, firstState: nextState, seconds: seconds)
        let before = processorTime
        let cost = try loop.run(&load)
        nextState = load.nextState
        return LoginResult(
            perSecond: Double(load.latencies.count) / cost.seconds,
            processorTime: (processorTime - before) / Double(max(load.latencies.count, 1)), latencies: load.latencies,
            errors: load.errors, generatorShare: cost.ownShare)
    }

    /// Answers per second of a route without any work: what HTTP alone costs.
    func constantRate(concurrency: Int, seconds: Double) throws -> Double {
        let loop = LoadLoop(connections: try connections(concurrency))
        var load = ConstantLoad(path: "/healthz", authority: authority, seconds: seconds)
        let cost = try loop.run(&load)
        guard load.errors == 0 else { throw BenchError("\(load.errors) errors at /healthz") }
        return Double(load.answers) / cost.seconds
    }

    /// The `Cookie` value of the first browser.
    var firstCookie: String { cookies.first ?? "" }

    /// A number for a state that was not used yet.
    func newState() -> Int {
        nextState += 1
        return nextState
    }

    /// One authorize of a browser that is signed in. Beyond 50 in a minute that no client redeems the browser has to wait.
    func authorize(browser: Int = 0) -> RequestKind {
        RequestKind(
            name: "GET /auth/sso/authorize",
            bytes: client.authorizeRequest(state: newState(), cookie: cookies[browser]), status: 200)
    }

    /// So many requests that redeem a token of one browser. An account has its share of rows in the audit log: beyond it a request
    /// costs one statement more.
    func verifications(_ count: Int, browser: Int) throws -> [RequestKind] {
        let connection = try WireConnection(port: port, index: 0)
        return try (0..<count).map { _ in
            guard let token = client.token(in: try connection.exchange(authorize(browser: browser).bytes)) else {
                throw BenchError("no token\n\(logEnd)")
            }
            return RequestKind(name: "POST /auth/sso/verify", bytes: client.verifyRequest(token), status: 200)
        }
    }

    /// Requests that may be repeated as they are.
    func plainKinds() -> [RequestKind] {
        func get(_ path: String, _ status: Int = 200, cookie: String? = nil) -> RequestKind {
            let cookie = cookie.map { "Cookie: \($0)\r\n" } ?? ""
            let head = "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\n\(cookie)Accept: text/html\r\n\r\n"
            return RequestKind(name: "GET \(path)", bytes: Array(head.utf8), status: status)
        }
        return [
            get("/healthz"), get("/readyz"), get("/nothing", 404), get("/sign-in"), get("/", cookie: cookies.first),
        ]
    }

    /// New ones for each measurement: the server closes a connection that was idle in the meantime.
    private func connections(_ count: Int) throws -> [WireConnection] {
        try (0..<count).map { try WireConnection(port: ports[$0 % ports.count], index: $0) }
    }

    /// A port on which no program listens.
    private static func freePort() throws -> UInt16 {
        let socket = try WireConnection.boundSocket()
        close(socket.descriptor)
        return socket.port
    }
}
