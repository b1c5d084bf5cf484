import Foundation
import Glibc
import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// Several hosts in one address are for the time when one of them is gone.
@Suite("The hosts of PostgreSQL")
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
            let node = try await PostgresDatabase(
                address, migrations: DatabaseClaim.steps, logger: CapturedLog().logger("node"), voidGrants: { _ in })
            try await node.add(items: [1])
            #expect(try await node.items() == 1)
            #expect(try await PostgresDatabase.inspect(address, migrations: DatabaseClaim.steps).isEmpty)
            await node.close()
        }
        #expect(silent.attempts > 0)
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
