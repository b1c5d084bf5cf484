import Dispatch
import Foundation
import Hummingbird
import SQLiteStorage
import SSOShared
import Storage
import Synchronization
import Testing

@testable import IdPSchema
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Health, headers and banners", .program)
struct HealthTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("both programs serve and are ready")
    func fine() async throws {
        try await TestDeployment.open { deployment in
            for probe in Self.probes(of: deployment) {
                let health = try await probe.get("/healthz")
                #expect(health.status == 200 && health.text == "ok")
                #expect(health.header("set-cookie") == nil)
                // The version that runs is in the metrics and on the admin pages (ASVS 13.4.6).
                for path in ["/healthz", "/readyz", "/"] {
                    let fields = try await probe.get(path).headers
                    #expect(!fields.contains { $0.value.contains(ProductVersion.text) }, "\(path)")
                }
                let ready = try await probe.get("/readyz")
                #expect(ready.status == 200)
                #expect(try JSONDecoding.value(ready.body)["status"] == "ready")
                #expect(try await probe.send("HEAD", "/healthz").status == 200)
            }
        }
    }

    @Test("without its database a program serves, is not ready, answers in JSON and names no path")
    func unready() async throws {
        try await TestDeployment.open { deployment in
            await deployment.database.close()
            await deployment.client.database.close()
            for probe in Self.probes(of: deployment) {
                #expect(try await probe.get("/healthz").text == "ok")
                let ready = try await probe.get("/readyz")
                #expect(ready.status == 503)
                #expect(ready.header("content-type") == "application/json")
                #expect(try JSONDecoding.value(ready.body)["reason"] == "database")
                #expect(!ready.text.contains("sqlite"))
            }
            // The same for a page; with a token in the address, no part of it gets into a Referer.
            let state = "\(deployment.client.callback)?token=\(Browser.someToken)&state=a"
            let browser = deployment.browser()
            browser.setCookie("rp_session", to: String(repeating: "A", count: 43), at: "127.0.0.2")
            let callback = try await browser.get(state)
            #expect(callback.status == 503)
            #expect(callback.reply.all("referrer-policy") == ["no-referrer"])
            #expect(callback.reply.header("retry-after") != nil)
            #expect(try callback.page().links.isEmpty == false)
        }
    }

    @Test("while its database is away a program says once that a queue cannot be read, however often it tries")
    func queues() async throws {
        try await TestDeployment.open { deployment in
            await deployment.database.close()
            let lines = try await eventually("it has tried again") { () -> [Substring]? in
                let lines = deployment.log.text.split(separator: "\n").filter {
                    $0.contains(" sign_out_queue_unavailable ")
                }
                return lines.count > 2 ? lines : nil
            }
            #expect(lines.count { $0.contains("warning sign_out_queue_unavailable") } == 1, "\(lines)")
        }
    }

    @Test("the health paths answer HTTP/1.0 without Host, and close; no other path does")
    func oldChecks() async throws {
        try await TestDeployment.open { deployment in
            for probe in Self.probes(of: deployment) {
                for path in ["/healthz", "/readyz", "/healthz?from=proxy"] {
                    for method in ["GET", "HEAD"] {
                        let text = try await Self.oldCheck("\(method) \(path) HTTP/1.0", probe)
                        #expect(text.hasPrefix("HTTP/1.1 200"))
                        #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
                        #expect(text.hasSuffix("\r\n\r\n") == (method == "HEAD"))
                    }
                }
                for line in [
                    "GET / HTTP/1.0", "GET /sign-in HTTP/1.0", "GET /healthz/ HTTP/1.0", "GET /healthz HTTP/1.1",
                    "GET /healthzz HTTP/1.0",
                ] {
                    #expect(try await Self.oldCheck(line, probe).hasPrefix("HTTP/1.1 400"), "\(line)")
                }
            }
        }
    }

    /// A request without any header field; the server itself must close.
    private static func oldCheck(_ line: String, _ probe: HTTPProbe) async throws -> String {
        try await onOwnThread {
            let connection = try HTTPConnection(host: probe.host, port: probe.port, timeout: .seconds(10))
            try connection.send(Array("\(line)\r\n\r\n".utf8))
            return String(decoding: try connection.untilEnd(), as: UTF8.self)
        }
    }

    @Test("a program is not ready while another process holds the lock, and recovers by itself")
    func locked() async throws {
        try await TestDeployment.open { deployment in
            for (probe, name) in zip(Self.probes(of: deployment), ["idp", deployment.client.id]) {
                let other = try await deployment.databases.open(
                    name, name == "idp" ? IdPMigrations.all : RelyingPartyMigrations.all)
                let gate = DispatchSemaphore(value: 0)
                let holder = await other.hold(gate)
                #expect(try await probe.get("/readyz").status == 503)
                gate.signal()
                // PostgreSQL ends what was idle for five seconds.
                _ = await holder.result
                #expect(try await probe.get("/readyz").status == 200)
            }
        }
    }

    @Test(
        "a program stays ready beside a newer one that only adds to the schema, and not beside one that removes from it"
    )
    func newerSchema() async throws {
        try await TestDeployment.open { deployment in
            for (probe, name) in zip(Self.probes(of: deployment), ["idp", deployment.client.id]) {
                let own = name == "idp" ? IdPMigrations.all : RelyingPartyMigrations.all
                let last = try #require(own.last.flatMap { Int($0.name.dropFirst().prefix(3)) })
                let added = String(format: "v%03d-later", last + 1)
                let removed = String(format: "v%03d-drop.needs-v%03d", last + 2, last + 1)
                func apply(_ names: [String]) async throws {
                    let newer = try await deployment.databases.open(
                        name, own + names.map { Migration(name: $0, sql: []) })
                    await newer.close()
                }
                try await apply([added])
                #expect(try await probe.get("/readyz").status == 200)
                try await apply([added, removed])
                let ready = try await probe.get("/readyz")
                #expect(ready.status == 503)
                #expect(try JSONDecoding.value(ready.body)["reason"] == "schema")
                #expect(try JSONDecoding.value(ready.body)["step"]?.text == removed)
                #expect(try await probe.get("/readyz").status == 503)
                let lines = deployment.log.text.matches(of: #/error schema_unfit .*/#)
                #expect(lines.count { $0.output.contains(removed) } == 1, "\(lines.map(\.output))")
                #expect(try await probe.get("/healthz").status == 200)
            }
        }
    }

    @Test("a wall clock that is set ahead or back is named by /readyz, and takes no process out of rotation")
    func jump() async throws {
        let database = try await SQLiteDatabase(
            path: folder.path(of: "test.sqlite"), migrations: StorageFixture.migrations)
        let reading = Mutex(ClockReading(wall: Timestamp(milliseconds: 0), steady: .zero))
        let clock = ServiceClock(reading: { reading.withLock { $0 } })
        let router = Router(context: TinyServer.Context.self)
        HealthRoutes(database: database, clock: clock, shutdown: ShutdownState()).add(to: router)
        try await serving(router) { probe in
            let (plain, warned) = (#"200 {"status":"ready"}"#, #"200 {"status":"ready","warning":"clock"}"#)
            for (milliseconds, expected) in [(0, plain), (120_000, warned), (0, plain), (-120_000, warned)] {
                let wall = Timestamp(milliseconds: Int64(milliseconds))
                reading.withLock { $0 = ClockReading(wall: wall, steady: .zero) }
                let answer = try await probe.get("/readyz")
                #expect("\(answer.status) \(answer.text)" == expected)
                #expect(clock.now() == Timestamp(milliseconds: 0))
            }
        }
        await database.close()
    }

    @Test("over https every response has HSTS, and the cookie is Secure")
    func https() async throws {
        let settings = ["IDP_PUBLIC_URL": "https://localhost:4000"]
        let client = ["RP_PUBLIC_URL": "https://localhost:4100"]
        try await TestDeployment.open(settings: settings, clientSettings: client) { deployment in
            for probe in Self.probes(of: deployment) {
                for path in ["/", "/healthz", "/nowhere", "/sign-out"] {
                    let reply = try await probe.get(path)
                    #expect(reply.all("strict-transport-security") == ["max-age=31536000"])
                }
            }
            for (probe, name) in zip(Self.probes(of: deployment), ["__Host-idp_session=", "__Host-rp_pending_"]) {
                let path = name.contains("idp") ? "/sign-in" : "/"
                let cookie = try await probe.get(path).header("set-cookie") ?? ""
                #expect(cookie.hasPrefix(name))
                #expect(cookie.contains("; Secure") && cookie.contains("; HttpOnly") && cookie.contains("; Path=/"))
                #expect(cookie.contains("; SameSite=Lax") && !cookie.contains("Domain"))
            }
        }
        try await TestDeployment.open { deployment in
            for probe in Self.probes(of: deployment) {
                let plain = try await probe.get("/")
                #expect(plain.header("strict-transport-security") == nil)
            }
        }
    }

    @Test("no response names the server software, errors of the parser included (ASVS 13.4.6)")
    func noBanner() async throws {
        try await TestDeployment.open { deployment in
            for probe in Self.probes(of: deployment) {
                for path in ["/", "/healthz", "/nowhere", "/auth/sso/verify", "/auth/sso/callback"] {
                    let reply = try await probe.get(path)
                    for header in ["server", "via", "x-powered-by"] { #expect(reply.header(header) == nil) }
                    for word in Self.words { #expect(!reply.text.lowercased().contains(word), "\(path): \(word)") }
                }
                let broken = String(decoding: try await probe.raw(Array("nonsense\r\n\r\n".utf8)), as: UTF8.self)
                #expect(broken.hasPrefix("HTTP/1.1 400"))
                for word in Self.words + ["server:"] { #expect(!broken.lowercased().contains(word)) }
            }
        }
    }

    private static let words = ["hummingbird", "swiftnio", "swift-nio", "sqlite", ".swift", "fatal error"]

    private static func probes(of deployment: TestDeployment) -> [HTTPProbe] {
        [
            HTTPProbe(port: deployment.port, authority: "localhost:4000"),
            HTTPProbe(host: "127.0.0.2", port: deployment.client.port, authority: "127.0.0.2:4100"),
        ]
    }
}
