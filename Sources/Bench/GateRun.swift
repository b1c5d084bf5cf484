import Foundation

/// Measures what a check of the gate costs, by session and by key, beside the constant route, and what a million sessions at
/// services change.
struct GateRun {
    /// The options of the command line that count here.
    static let options: Set<String> = ["--rounds", "--seconds", "--seed-gate-sessions", "--program", "--parent"]

    /// How many connections a proxy keeps, and how many users are behind it.
    private static let connections = 64

    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rows = options.seed.gateSessions > 0 ? options.seed.gateSessions : 1_000_000
        let full = try BenchGate(options.program, folder: "\(folder)/full", label: "full database")
        try full.idp.start()
        try full.idp.stop()
        try SeedRows(sessions: rows, gateSessions: rows).insert(into: full.idp.databasePath)
        let empty = try BenchGate(options.program, folder: "\(folder)/this", label: "this build")
        let loads = try [empty, full].map { gate in
            try gate.idp.start()
            return try gate.enter(Self.connections)
        }
        var results: [[CheckResult]] = Array(repeating: [], count: 4)
        for round in 0..<options.rounds {
            // The first of a round may have an advantage, so rounds go forth and back.
            for index in round.isMultiple(of: 2) ? [0, 1, 2, 3] : [3, 2, 1, 0] {
                let (gate, requests) =
                    switch index {
                    case 0: (empty, empty.constant(Self.connections))
                    case 1: (empty, loads[0].bySession)
                    case 2: (empty, loads[0].byKey)
                    default: (full, loads[1].bySession)
                    }
                results[index].append(try gate.idp.send(requests, seconds: options.seconds))
            }
        }
        for gate in [empty, full] { try gate.idp.stop() }
        Self.report(results, rows)
    }

    private static func report(_ results: [[CheckResult]], _ rows: Int) {
        Report.title("The gate: checks on \(connections) connections")
        let names = ["GET /healthz", "by session", "by key", "among \(rows)"]
        for (name, result) in zip(names, results) {
            Report.line("\(name), answers per second", Report.range(result.map(\.perSecond), 0))
            Report.line("\(name), processor time", "\(Report.range(result.map { $0.processorTime * 1e6 }, 0)) µs")
        }
        let ratios = [("by session to /healthz", 1, 0), ("by key to /healthz", 2, 0), ("among \(rows) to alone", 3, 1)]
        for (name, first, second) in ratios {
            let pairs = zip(results[first], results[second])
            Report.line(name, Report.range(pairs.map { $0.perSecond / $1.perSecond }, 2))
        }
    }
}

/// What one measurement of checks gave.
struct CheckResult {
    let perSecond: Double
    /// Of the IdP for each, in seconds.
    let processorTime: Double
}

/// An IdP with a service behind the gate.
struct BenchGate {
    private static let client = "wiki"
    private static let host = "127.0.0.1:9"
    private static let proxy = "X-Forwarded-Proto: http\r\nX-Forwarded-Host: \(host)\r\nX-Forwarded-For: 192.0.2.1\r\n"

    let idp: IdPUnderTest

    init(_ program: String, folder: String, label: String) throws {
        let file = "\(folder)/clients.yaml"
        idp = try IdPUnderTest(
            program, folder: folder, label: label,
            settings: [
                "IDP_CLIENTS_FILE": file, "IDP_TRUSTED_PROXIES": "127.0.0.0/8",
                // The limits of a network are not what is measured.
                "IDP_LIMIT_NEW_SESSIONS": "1000000", "IDP_LIMIT_EMAIL_POSTS": "1000000",
                "IDP_LIMIT_CODE_POSTS": "1000000",
            ])
        try """
        clients:
          - {id: \(Self.client), name: Wiki, protocols: [gate], access: everyone, gate_origin: "http://\(Self.host)", app_keys: true}

        """.write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// The requests of so many users, one for each connection.
    func enter(_ count: Int) throws -> (bySession: [[UInt8]], byKey: [[UInt8]]) {
        try idp.signIn(count)
        let sessions = try idp.cookies.enumerated().map { try session(of: $1, index: $0) }
        let keys = try idp.cookies.enumerated().map { try key(of: $1, index: $0) }
        return (
            sessions.map { Self.check("Cookie: \($0)\r\n") }, keys.map { Self.check("Authorization: Bearer \($0)\r\n") }
        )
    }

    func constant(_ count: Int) -> [[UInt8]] {
        let request = Array("GET /healthz HTTP/1.1\r\nHost: \(idp.authority)\r\n\r\n".utf8)
        return Array(repeating: request, count: count)
    }

    /// As nginx asks about a part of a page.
    private static func check(_ credential: String) -> [UInt8] {
        Array(
            """
            GET /gate/\(client)/check?unauthorized=401 HTTP/1.1\r\nHost: \(host)\r
            X-Original-URL: http://\(host)/page\r\nX-Original-Method: GET\r\nX-Forwarded-For: 192.0.2.1\r
            Accept: */*\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\nSec-Fetch-Site: same-origin\r
            \(credential)\r\n
            """.utf8)
    }

    /// The `Cookie` value of a session at the service, of a browser that is signed in.
    private func session(of cookie: String, index: Int) throws -> String {
        let connection = try WireConnection(port: idp.port, index: index)
        func get(_ path: String, _ fields: String) throws -> (cookie: String?, location: String) {
            let answer = try connection.exchange(
                Array("GET \(path) HTTP/1.1\r\nHost: \(idp.authority)\r\n\(fields)\r\n".utf8))
            guard let location = ByteSearch.text(after: "\nlocation: ", until: "\r", in: answer.head) else {
                throw BenchError("\(path) answered \(answer.status)\n\(idp.logEnd)")
            }
            return (ByteSearch.text(after: "set-cookie: sso_gate", until: ";\r", in: answer.head), location)
        }
        let (state, sign) = try get("/gate/\(Self.client)/start?to=/", Self.proxy)
        let (_, back) = try get(Self.target(sign), "Cookie: \(cookie)\r\n")
        let path = "/gate/\(Self.client)/\(Self.target(back).dropFirst("/.sso/".count))"
        guard let id = try get(path, "\(Self.proxy)Cookie: sso_gate\(state ?? "")\r\n").cookie else {
            throw BenchError("the callback gave no session\n\(idp.logEnd)")
        }
        return "sso_gate\(id)"
    }

    private static func target(_ address: String) -> String {
        address.hasPrefix("http") ? String(address.dropFirst(7).drop { $0 != "/" }) : address
    }

    /// A key that the user of a browser makes.
    private func key(of cookie: String, index: Int) throws -> String {
        let browser = try BenchBrowser(port: idp.port, authority: idp.authority, index: index)
        browser.cookie = cookie
        try browser.visit("/app-keys")
        let request = try browser.request(
            formWith: "action=\"/app-keys/add\"", ("name", "bench"), further: [("client", Self.client)])
        let answer = try WireConnection(port: idp.port, index: index).exchange(request)
        guard let key = ByteSearch.text(after: ">sgk_", until: "<", in: answer.body) else {
            throw BenchError("no key was made: \(answer.status)\n\(idp.logEnd)")
        }
        return "sgk_\(key)"
    }
}

extension IdPUnderTest {
    /// Sends the request of each connection again and again.
    func send(_ requests: [[UInt8]], seconds: Double) throws -> CheckResult {
        let loop = LoadLoop(connections: try requests.indices.map { try WireConnection(port: port, index: $0) })
        var load = CheckLoad(requests: requests, seconds: seconds)
        let before = processorTime
        let cost = try loop.run(&load)
        guard load.errors == 0, load.answers > 0 else { throw BenchError("\(load.errors) errors\n\(logEnd)") }
        return CheckResult(
            perSecond: Double(load.answers) / cost.seconds,
            processorTime: (processorTime - before) / Double(load.answers))
    }
}

/// The same request again and again on each connection. Each answer must be 200.
struct CheckLoad: Load {
    private let requests: [[UInt8]]
    private let end: UInt64
    private(set) var answers = 0
    private(set) var errors = 0

    init(requests: [[UInt8]], seconds: Double) {
        (self.requests, end) = (requests, LoadLoop.now() + UInt64(seconds * 1e9))
    }

    mutating func request(on connection: Int) -> [UInt8] { requests[connection] }

    mutating func took(_ answer: WireConnection.Answer, on connection: Int, after microseconds: UInt32) -> Bool {
        if answer.status == 200 { answers += 1 } else { errors += 1 }
        return LoadLoop.now() < end
    }

    mutating func broke(_ connection: Int) { errors += 1 }
}
