import Foundation
import Glibc
import Storage
import Synchronization
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// Several hosts in one address are for the time when one of them is gone.
@Suite("The hosts of PostgreSQL", .deployment)
struct PostgresHostsTests {
    @Test("each have their own name, address and port of the lists, and all other parameters")
    func lists() {
        func each(_ parameters: [String: String]) -> [[String: String]] { PostgresHosts(parameters).each }
        #expect(each(["host": "a", "user": "u"]) == [["host": "a", "user": "u"]])
        #expect(each(["user": "u"]) == [["user": "u"]])
        #expect(
            each(["host": "a,b", "port": "1", "user": "u"]) == [
                ["host": "a", "port": "1", "user": "u"], ["host": "b", "port": "1", "user": "u"],
            ])
        #expect(
            each(["host": "a,,c", "hostaddr": "127.0.0.1,127.0.0.2,", "port": "1,2,3"]) == [
                ["host": "a", "hostaddr": "127.0.0.1", "port": "1"],
                ["host": "", "hostaddr": "127.0.0.2", "port": "2"],
                ["host": "c", "hostaddr": "", "port": "3"],
            ])
        // libpq says what is wrong with these.
        for odd in [["host": "a,b", "port": "1,2,3"], ["host": "a,b", "hostaddr": "127.0.0.1"]] {
            #expect(each(odd) == [odd])
        }
    }

    @Test(
        "may be dead, first or last: a start, a command and each call work with the one that lives",
        arguments: [true, false])
    func dead(isFirst: Bool) async throws {
        let silent = try SilentServer()
        try await PostgreSQLServer.open { server in
            let hosts = isFirst ? "127.0.0.1,\(server.socket)" : "\(server.socket),127.0.0.1"
            let ports = isFirst ? "\(silent.port),\(server.port)" : "\(server.port),\(silent.port)"
            let address = try PostgresAddress(
                "host=\(hosts) port=\(ports) user=postgres dbname=postgres connect_timeout=1000",
                allowsPlaintext: false, readers: 2, program: "test")
            #expect(MetTimelines.grace(at: address.parameters) == PostgresHosts.graceOfUnknown)
            let node = try await PostgresDatabase(
                address, migrations: DatabaseClaim.steps, logger: CapturedLog().logger("node"), voidGrants: { _ in })
            try await node.add(items: [1])
            #expect(try await node.items() == 1)
            #expect(try await PostgresDatabase.inspect(address, migrations: DatabaseClaim.steps).isEmpty)
            await node.close()
        }
        #expect(silent.attempts > 0)
    }

    @Test("are waited for once in a process: what its first connection has met holds for all of its later openings")
    func metOnce() async throws {
        let silent = try SilentServer()
        try await PostgreSQLServer.open { server in
            func address(_ database: String) throws -> PostgresAddress {
                try PostgresAddress(
                    "host=127.0.0.1,\(server.socket) port=\(silent.port),\(server.port) user=postgres dbname=\(database)",
                    allowsPlaintext: false, readers: 2, program: "test")
            }
            let first = try address("postgres")
            #expect(MetTimelines.grace(at: first.parameters) == .seconds(1))
            let opening = PostgresOpening(address: first, migrator: Migrator(migrations: []))
            try await onOwnThread { try opening.connect().session.close() }
            // As a command reads its settings again.
            let again = try address("other")
            #expect(MetTimelines.grace(at: again.parameters) == .milliseconds(150))
            // No later opening takes an older primary, also where it is the only one that answers.
            MetTimelines.note(2, at: first.parameters)
            let refused = await #expect(throws: DatabaseError.self) {
                _ = try await PostgresDatabase.inspect(first, migrations: DatabaseClaim.steps)
            }
            #expect("\(refused, default: "none")".contains("an old primary: its timeline is 1, and 2 was seen"))
        }
    }

    @Test("of one name are all asked at once, and the name stays: a first address that answers nothing delays nobody")
    func addressesOfName() async throws {
        let (silent, isAsked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let asked = Mutex<[[String: String]]>([])
        try await PostgreSQLServer.open { server in
            let hosts = PostgresHosts(
                ["host": "database.example", "port": "5432", "user": "u", "connect_timeout": "1000"],
                lookUp: { $0 == "database.example" ? ["192.0.2.1", "2001:db8::2"] : [] })
            #expect(hosts.each.count == 1)
            let session = try await onOwnThread {
                try hosts.first(
                    { (parameters) throws(PostgresError) in
                        asked.withLock { $0.append(parameters) }
                        if parameters["hostaddr"] == "2001:db8::2" {
                            _ = isAsked.wait(timeout: .now() + 60)
                            return try Self.session(of: server)
                        }
                        isAsked.signal()
                        _ = silent.wait(timeout: .now() + 60)
                        throw .lost("never answered")
                    }, within: .zero, isAdmitted: { _ in true })
            }
            silent.signal()
            #expect(session.isOpen)
            session.close()
        }
        let places = asked.withLock { $0 }.sorted { $0["hostaddr", default: ""] < $1["hostaddr", default: ""] }
        let common = ["host": "database.example", "port": "5432", "user": "u", "connect_timeout": "10"]
        #expect(
            places == ["192.0.2.1", "2001:db8::2"].map { common.merging(["hostaddr": $0]) { $1 } })
    }

    @Test("are looked up only by a name, and one that is not known is left to libpq's words")
    func lookUps() throws {
        func asked(_ parameters: [String: String], _ addresses: [String]) -> [[String: String]] {
            let asked = Mutex<[[String: String]]>([])
            _ = try? PostgresHosts(parameters, lookUp: { _ in addresses }).first(
                { (parameters) throws(PostgresError) in
                    asked.withLock { $0.append(parameters) }
                    throw .lost("refused")
                }, within: .zero, isAdmitted: { _ in true })
            return asked.withLock { $0 }
        }
        for host in ["/tmp", "@abstract", "127.0.0.1", "::1", ""] {
            #expect(asked(["host": host], ["192.0.2.1"]) == [["host": host]], "\(host)")
        }
        let fixed = ["host": "a.example", "hostaddr": "192.0.2.7"]
        #expect(asked(fixed, ["192.0.2.1"]) == [fixed])
        #expect(asked(["host": "a.example"], []) == [["host": "a.example"]])
        #expect(asked(["host": "a.example"], ["192.0.2.1"]) == [["host": "a.example", "hostaddr": "192.0.2.1"]])
        #expect(asked(["host": "a.example,b.example"], ["192.0.2.1", "192.0.2.2"]).count == 4)
        #expect(HostAddresses.of("127.0.0.1") == ["127.0.0.1"])
        #expect(HostAddresses.of("localhost").contains("127.0.0.1"))
    }

    @Test("that have refused are asked again while another is silent: one that is started then is used")
    func startedLate() async throws {
        let silent = DispatchSemaphore(value: 0)
        let (refusals, refusal) = AsyncStream<Void>.makeStream()
        try await PostgreSQLServer.open { server in
            try await server.kill()
            async let opened = onOwnThread {
                try PostgresHosts(["host": "192.0.2.1,192.0.2.2"]).first(
                    { (parameters) throws(PostgresError) in
                        if parameters["host"] == "192.0.2.2" {
                            defer { refusal.yield() }
                            return try Self.session(of: server)
                        }
                        // Its end would end the attempt.
                        _ = silent.wait(timeout: .now() + 60)
                        throw .lost("never answered")
                    }, within: .zero, isAdmitted: { _ in true })
            }
            for await _ in refusals { break }
            try await server.start()
            let session = try await opened
            silent.signal()
            #expect(session.isOpen)
            session.close()
        }
    }

    private static func session(of server: PostgreSQLServer) throws(PostgresError) -> PostgresSession {
        try PostgresSession(
            ["host": server.socket, "port": "\(server.port)", "user": "postgres", "dbname": "postgres"],
            answeringWithin: .seconds(4))
    }

    @Test("that are all gone are named with the reason of each")
    func allGone() throws {
        let error = try #require(throws: PostgresError.self) {
            _ = try PostgresSession.open(
                ["host": "/nowhere-1,/nowhere-2", "user": "u", "dbname": "d"], answeringWithin: .seconds(4))
        }
        #expect("\(error)".contains("/nowhere-1") && "\(error)".contains("/nowhere-2"))
    }

    @Test("a commit that has waited for a standby covers the earlier ones, once a second commit shows that it did")
    func coverage() {
        let timeline = PostgresTimeline()
        timeline.note(1)
        #expect(!timeline.mayHaveLostCommits)
        timeline.noteCommit(waitingFor: "")
        timeline.noteCommit(waitingFor: "a")
        #expect(timeline.mayHaveLostCommits, "the names may have changed before the commit")
        timeline.noteCommit(waitingFor: "b")
        #expect(timeline.mayHaveLostCommits, "another standby")
        timeline.noteCommit(waitingFor: "b")
        #expect(!timeline.mayHaveLostCommits)
    }
}

/// Accepts connections and never says a word, as a machine does whose packets are lost behind its kernel.
private final class SilentServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = try SocketAddress.socket()
        try SocketAddress.bind(descriptor, to: "127.0.0.1", port: 0)
        guard listen(descriptor, 100) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            throw ProbeFailure("listen: errno \(errno)")
        }
        port = try SocketAddress.localPort(of: descriptor)
    }

    deinit { close(descriptor) }

    /// How many connections wait to be accepted.
    var attempts: Int {
        var count = 0
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return count }
            count += 1
            close(connection)
        }
    }
}
