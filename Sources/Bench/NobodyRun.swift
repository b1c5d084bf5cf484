import Foundation
import Glibc

/// Measures what requests of nobody cost: without a session, without a right signature, or never finished.
struct NobodyRun {
    /// The options of the command line that count here.
    static let options: Set<String> = ["--rounds", "--program", "--parent", "--connections", "--bounds"]

    /// How many requests are measured together. The kernel counts processor time in steps of 10 ms.
    private static let batch = 400

    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try requests(folder)
        let dear: [String] = try options.bounds.isEmpty ? [] : routes(folder, RouteCosts(file: options.bounds))
        try connections(folder)
        guard dear.isEmpty else { throw BenchError("dearer than its bound: \(dear.joined(separator: ", "))") }
    }

    /// Processor time of a visitor's request at every route.
    ///
    /// - Returns: the routes that cost more than their bound.
    private func routes(_ folder: String, _ costs: RouteCosts) throws -> [String] {
        let idp = try IdPUnderTest(
            options.program, folder: "\(folder)/routes", label: "routes", settings: Self.settings)
        try idp.start()
        let constant = NobodyRequest("GET", "/healthz")
        _ = try idp.processorTime(of: constant.bytes, times: Self.batch)
        Report.title(
            "processor time of a visitor's request at each route, as a multiple of GET /healthz, and its bound")
        var dear: [String] = []
        for row in costs.rows {
            let request = RouteCosts.request(row)
            let ratios = try (0..<options.rounds).map { _ in
                let base = try idp.processorTime(of: constant.bytes, times: 2 * Self.batch)
                return try idp.processorTime(of: request.bytes, times: Self.batch) / max(base, 1e-6)
            }
            let median = Statistics.median(ratios)
            if median > row.bound { dear.append(row.name) }
            let note = median > row.bound ? ", OVER IT" : ""
            Report.line(row.name, "\(Report.number(median, 1)) of \(Report.number(row.bound, 0))\(note)")
        }
        try idp.stop()
        return dear
    }

    /// Processor time of whole requests, beside that of `GET /healthz`, in turns.
    private func requests(_ folder: String) throws {
        let idp = try IdPUnderTest(
            options.program, folder: "\(folder)/requests", label: "requests", settings: Self.settings)
        try idp.start()
        let kinds = NobodyRequest.whole
        var ratios = kinds.map { _ in [Double]() }
        let constant = NobodyRequest("GET", "/healthz")
        _ = try idp.processorTime(of: constant.bytes, times: Self.batch)
        for _ in 0..<options.rounds {
            let base = try idp.processorTime(of: constant.bytes, times: 4 * Self.batch)
            for (index, kind) in kinds.enumerated() {
                ratios[index].append(try idp.processorTime(of: kind.bytes, times: Self.batch) / base)
            }
        }
        Report.title("processor time of a request, as a multiple of GET /healthz")
        for (kind, ratios) in zip(kinds, ratios) { Report.line(kind.name, Report.range(ratios, 1)) }
        try idp.stop()
    }

    /// Resident memory while many connections have sent all but the end.
    private func connections(_ folder: String) throws {
        Report.title(
            "resident memory with \(options.connections) connections, each without its last byte: idle, peak, after")
        for (number, kind) in NobodyRequest.unfinished.enumerated() {
            let idp = try IdPUnderTest(
                options.program, folder: "\(folder)/connections-\(number)", label: kind.name, settings: Self.settings)
            try idp.start()
            let idle = idp.residentMemory
            let flood = try Flood(port: idp.port, count: options.connections, bytes: kind.bytes.dropLast())
            flood.send(seconds: 6)
            flood.close()
            sleep(3)
            Report.line(
                kind.name,
                [idle, idp.peakMemory, idp.residentMemory].map { Report.number($0, 0) }.joined(separator: ", ")
                    + " MiB; \(flood.reopened) opened again")
            try idp.stop()
        }
    }

    /// Limits that would answer 429 instead of the work that is measured.
    private static let settings = [
        "IDP_LIMIT_NEW_SESSIONS": "1000000", "IDP_LIMIT_BAD_SIGNATURES": "1000000",
        "IDP_INBOUND_MAIL_DOMAIN": "reply.example", "IDP_INBOUND_AUTHSERV_ID": "mx.example",
        "IDP_INBOUND_MAIL_SECRET": String(repeating: "bench-secret-", count: 3),
    ]
}

/// A request that anybody can send.
struct NobodyRequest {
    let name: String
    let bytes: [UInt8]

    private static let signature = "X-SSO-Signature: sha256=" + String(repeating: "0", count: 64) + "\r\n"
    private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
    private static let json = "Content-Type: application/json\r\n"
    private static let mail = "Content-Type: message/rfc822\r\n"

    init(_ method: String, _ path: String, _ headers: String = "", _ body: String? = nil, called name: String? = nil) {
        self.name = name ?? "\(method) \(path)"
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        bytes = Array("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\(length)\r\n\(body ?? "")".utf8)
    }

    /// Requests whose answer is measured.
    static let whole: [NobodyRequest] = {
        let cookies = "Cookie: " + (0..<1_700).map { "c\($0)=\($0 % 10)" }.joined(separator: "; ") + "\r\n"
        return [
            NobodyRequest("GET", "/", called: "home page"),
            NobodyRequest("GET", "/", cookies, called: "home page, 1,700 cookies"),
            NobodyRequest("GET", "/sign-in", called: "sign-in page"),
            NobodyRequest("GET", "/sign-in", cookies, called: "sign-in page, 1,700 cookies"),
            NobodyRequest("POST", "/sign-in", form, escapes(1_000), called: "form of 1 KB, no session"),
            NobodyRequest("POST", "/sign-in", form, escapes(63_000), called: "form of 63 KB, no session"),
            NobodyRequest(
                "POST", "/hotwire_native/sign_in", form, escapes(63_000), called: "form of 63 KB that needs no session"),
            NobodyRequest(
                "POST", "/auth/apple/notifications", json, notification(1_000), called: "forged notification, 1 KB"),
            NobodyRequest(
                "POST", "/auth/apple/notifications", json, notification(15_000), called: "forged notification, 15 KB"),
            NobodyRequest("POST", "/auth/sso/verify", json + signature, "{}", called: "verify, wrong signature"),
            NobodyRequest(
                "POST", "/auth/mail/inbound", mail, String(repeating: "x", count: 255_000),
                called: "message of 255 KB, unsigned"),
        ]
    }()

    /// Requests of which all but the last byte is sent.
    static let unfinished: [NobodyRequest] = {
        let filling = String(repeating: "a", count: 63_000)
        return [
            NobodyRequest("GET", "/sign-in", "X-Filling: \(filling.prefix(15_000))\r\n", called: "head of 15 KB"),
            NobodyRequest("POST", "/sign-in", form, filling, called: "form of 63 KB at /sign-in"),
            NobodyRequest("POST", "/hotwire_native/sign_in", form, filling, called: "form of 63 KB, no session needed"),
            NobodyRequest("POST", "/api/v1/sign-in", json, String(filling.prefix(8_000)), called: "8 KB at /api"),
            NobodyRequest(
                "POST", "/auth/sso/verify", json + signature, String(filling.prefix(8_000)), called: "8 KB at verify"),
            NobodyRequest(
                "POST", "/auth/apple/notifications", json, String(filling.prefix(16_000)),
                called: "notification of 16 KB"),
            NobodyRequest(
                "POST", "/auth/mail/inbound", mail + signature, String(repeating: "a", count: 255_000),
                called: "message of 255 KB"),
        ]
    }()

    private static func escapes(_ count: Int) -> String { "email=" + String(repeating: "%61", count: count / 3) }

    /// A notification that Apple has not signed.
    private static func notification(_ count: Int) -> String {
        let claims = Data(#"{"aud":"com.example","pad":"\#(String(repeating: "a", count: count * 3 / 4 - 200))"}"#.utf8)
        let parts = [Data(#"{"alg":"RS256","kid":"x"}"#.utf8), claims, Data(repeating: 1, count: 64)].map {
            $0.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return #"{"payload":"\#(parts.joined(separator: "."))"}"#
    }
}

/// Many connections that send the same bytes, as far as the server takes them. A closed one is opened again.
final class Flood {
    private let bytes: [UInt8]
    private var connections: [(connection: WireConnection, sent: Int)] = []
    private(set) var reopened = 0

    init(port: UInt16, count: Int, bytes: ArraySlice<UInt8>) throws {
        self.bytes = Array(bytes)
        var limit = rlimit()
        getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(rlim_t(count + 500), limit.rlim_max)
        setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
        // One peer: all from the same address.
        connections = try (0..<count).map { _ in (try WireConnection(port: port, index: 0), 0) }
    }

    func send(seconds: Double) {
        let end = LoadLoop.now() + UInt64(seconds * 1e9)
        while LoadLoop.now() < end {
            var hasSent = false
            for index in connections.indices where connections[index].sent < bytes.count {
                let (connection, sent) = connections[index]
                guard let count = connection.sendSome(bytes[sent...]) else {
                    reopened += 1
                    connections[index].sent = (try? connection.reconnect()) == nil ? bytes.count : 0
                    continue
                }
                connections[index].sent += count
                hasSent = hasSent || count > 0
            }
            if !hasSent { usleep(20_000) }
        }
    }

    func close() { connections = [] }
}

extension IdPUnderTest {
    /// Processor time of the IdP for one of so many equal requests, in seconds.
    fileprivate func processorTime(of request: [UInt8], times: Int) throws -> Double {
        let connection = try WireConnection(port: port, index: 0)
        let before = processorTime
        for _ in 0..<times {
            let answer = try connection.exchange(request)
            guard answer.status < 500, answer.status != 429 else {
                throw BenchError("answer \(answer.status)\n\(logEnd)")
            }
            if answer.closes { try connection.reconnect() }
        }
        return (processorTime - before) / Double(times)
    }
}
