import Foundation
import Glibc
import SSOShared
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A program that shuts down gives proxies time to stop using it.
@Suite("Stopping behind a proxy", .deployment, .dependsOnMachine)
struct ShutdownGraceTests {
    @Test(
        "the grace is a time with a unit",
        arguments: [
            ("2s", Duration.seconds(2)), ("500ms", .milliseconds(500)), ("0s", .zero), ("60s", .seconds(60)),
            ("1m", .seconds(60)),
        ])
    func setting(text: String, duration: Duration) throws {
        #expect(try ShutdownGrace(text).duration(besideOthers: false) == duration)
    }

    @Test("unless it is set, a single node has none, and one of several has two seconds")
    func automatic() throws {
        let reader = SettingsReader(SettingsSource([:]))
        let grace = try #require(ShutdownGrace.read(reader))
        #expect(grace.duration(besideOthers: false) == .zero)
        #expect(grace.duration(besideOthers: true) == .seconds(2))
        #expect(reader.problems == [])
    }

    @Test(
        "any other text is refused",
        arguments: [
            "", "2", "s", "ms", "-1s", "+1s", "61s", "60001ms", "1.5s", "2 s", "2m", "99999999999999999999s", "٢s",
        ])
    func refused(text: String) { #expect(throws: SettingError.self) { try ShutdownGrace(text) } }

    @Test("before the listener is closed, new connections are left to the next process, and the others are answered")
    func heldBack() async throws {
        let shutdown = ShutdownState()
        try await TinyServer.running(shutdown: shutdown) { probe in
            #expect(try Self.canConnect(to: probe.port))
            let waiting = try probe.connect()
            shutdown.begin()
            await shutdown.holdBackNewConnections()
            #expect(try !Self.canConnect(to: probe.port), "its packet is dropped, and its system will send it again")
            try await onOwnThread {
                try waiting.send(probe.request("GET", "/", close: false))
                #expect(try waiting.reply().status == 200)
            }
        }
    }

    /// Whether a connection is accepted at once. The second packet of one that is not comes after a second.
    private static func canConnect(to port: UInt16) throws -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 300) == 1 && state.revents & Int16(POLLERR | POLLHUP) == 0
    }

    @Test("during the shutdown every response ends its connection, kept or new")
    func everyAnswer() async throws {
        let shutdown = ShutdownState()
        // No timer ends a connection before the test's timeout.
        try await TinyServer.running(
            ServerLimits(idle: .seconds(300), request: .seconds(300)), shutdown: shutdown
        ) { probe in
            let kept = try probe.connect()
            let form = probe.request("POST", "/form", body: Array("12345".utf8), close: false)
            try await onOwnThread {
                try kept.send(probe.request("GET", "/", close: false))
                #expect(try kept.reply().header("connection") == nil)
                // One request whose head was sent before, and one that has not begun.
                try kept.send(Array(form.dropLast(3)))
            }
            let idle = try probe.connect()
            // An answer on a later connection shows that the earlier bytes have been read.
            _ = try await probe.get("/")
            shutdown.begin()
            try await onOwnThread {
                try kept.send(Array(form.suffix(3)))
                try idle.send(probe.request("GET", "/", close: false) + probe.request("GET", "/", close: false))
                for connection in [kept, idle] {
                    let text = String(decoding: try connection.untilEnd(), as: UTF8.self)
                    #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
                    #expect(text.matches(of: #/HTTP/1\.1 200/#).count == 1)
                }
            }
        }
    }

    @Test("SIGTERM: not ready at once, reachable for the grace, exit code 0; SIGINT: stops at once")
    func signals() async throws {
        let pair = try ProcessDeployment(settings: ["SHUTDOWN_GRACE": "3s"], clientSettings: ["SHUTDOWN_GRACE": "60s"])
        try await pair.start()
        for process in [pair.idp, pair.client.process] {
            let probe = HTTPProbe(host: process.host, port: process.port, timeout: .seconds(10))
            let (begin, kept) = (ContinuousClock.now, try probe.connect())
            process.send(SIGTERM)
            try await eventually("it is not ready") { () -> Void? in
                let reply = try await probe.get("/readyz")
                guard reply.status == 503 else { return nil }
                #expect(try JSONDecoding.value(reply.body)["reason"] == "stopping")
                return ()
            }
            let health = try await onOwnThread {
                try kept.send(probe.request("GET", "/healthz", close: false))
                return try kept.reply()
            }
            #expect(health.status == 200 && health.header("connection") == "close")
            // A second signal of either kind ends the grace.
            if process.port != pair.idp.port { process.send(SIGTERM) }
            #expect(try await process.waitForExit() == .code(0))
            if process.port == pair.idp.port { #expect(ContinuousClock.now - begin >= .seconds(3)) }
            if process.port != pair.idp.port { #expect(ContinuousClock.now - begin < .seconds(50)) }
        }
        pair.client.process.set("SHUTDOWN_GRACE", to: "60s")
        try await pair.client.process.start()
        let begin = ContinuousClock.now
        pair.client.process.send(SIGINT)
        #expect(try await pair.client.process.waitForExit() == .code(0))
        #expect(ContinuousClock.now - begin < .seconds(50))
    }

    @Test(
        "two processes restarted one after the other behind a proxy lose no request", .timeLimit(.minutes(5)),
        arguments: ProxyProcess.Kind.installed)
    func rolling(_ kind: ProxyProcess.Kind) async throws {
        let pair = try ProcessDeployment(idps: 2, settings: ["SHUTDOWN_GRACE": "3s"])
        try await pair.start()
        let proxy = try await ProxyProcess(kind, to: pair.idps.map(\.port), readiness: "/readyz")
        // A proxy does not repeat a POST, so every lost request shows.
        let body = VerifyRequest(token: Browser.someToken, redirectURI: nil, codeVerifier: nil).body()
        let headers = try pair.signed(body, by: pair.client)
        let isOver = Atomic(false)
        let unexpected = Mutex<[String]>([])
        async let outcomes = atOnce(4) { worker in
            var statuses: [Int: Int] = [:]
            repeat {
                let reply =
                    worker % 2 == 0
                    ? try? await proxy.probe.post(SSOPath.verify, headers, body: body)
                    : try? await proxy.probe.get("/sign-in")
                statuses[reply?.status ?? 0, default: 0] += 1
                if let reply, ![200, 401].contains(reply.status) {
                    unexpected.withLock { $0.append("\(reply.status) \(reply.headers) \(reply.text.prefix(300))") }
                }
                // A steady load of about 50 requests per second, not the maximum.
                try? await Task.sleep(for: .milliseconds(80))
            } while !isOver.load(ordering: .relaxed)
            return statuses
        }
        for process in pair.idps {
            #expect(try await process.terminate() == .code(0))
            let before = process.refusals
            try await process.start()
            // However late its check is: only then may the other one stop.
            try await eventually("the proxy uses it again") { process.refusals > before ? () : nil }
        }
        isOver.store(true, ordering: .relaxed)
        let all = try await outcomes.reduce(into: [Int: Int]()) { $0.merge($1) { $0 + $1 } }
        #expect(Set(all.keys) == [200, 401], "\(all) \(unexpected.withLock { $0.prefix(3) })")
        try await pair.stop()
    }
}

extension ProgramProcess {
    /// How many verify requests it has refused, in all its runs.
    fileprivate var refusals: Int { log.matches(of: #/verify_refused/#).count }
}
