import Foundation
import Glibc
import Synchronization
import Testing

@testable import SSOWeb
@testable import TestSupport

/// Which connection is closed when the limit is reached.
@Suite("The limit of connections")
struct ConnectionLimitTests {
    /// Places whose connections record that they were closed.
    private final class RecordedPlaces: Sendable {
        let places: ConnectionPlaces
        private let list = Mutex<[String]>([])
        var closed: [String] { list.withLock { $0 } }

        init(_ limit: Int, proxies: [String] = []) throws {
            let networks = try proxies.map { try Network($0) }
            places = ConnectionPlaces(limit: limit, addresses: ClientAddress(trusted: networks))
        }

        @discardableResult func enter(_ name: String, from peer: String) -> Int {
            places.enter(IPAddress(peer)) { [self] in list.withLock { $0.append(name) } }
        }
    }

    @Test("the connection that has waited longest is closed; after an answer a connection waits again")
    func order() throws {
        let recorded = try RecordedPlaces(3)
        let numbers = ["a", "b", "c"].map { recorded.enter($0, from: "192.0.2.1") }
        #expect(recorded.places.beginAnswer(numbers[0]))
        recorded.places.wait(numbers[0])
        recorded.enter("d", from: "192.0.2.1")
        #expect(recorded.closed == ["b"])
        recorded.enter("e", from: "192.0.2.1")
        recorded.enter("f", from: "192.0.2.1")
        #expect(recorded.closed == ["b", "c", "a"])
    }

    @Test("a connection that is being answered is never closed, and a closed one is not answered")
    func answering() throws {
        let recorded = try RecordedPlaces(2)
        let first = recorded.enter("a", from: "192.0.2.1")
        let second = recorded.enter("b", from: "192.0.2.1")
        #expect(recorded.places.beginAnswer(first))
        for name in ["c", "d", "e"] { recorded.enter(name, from: "192.0.2.2") }
        #expect(recorded.closed == ["b", "c", "d"])
        #expect(!recorded.places.beginAnswer(second))
        // Its place is free after it has left.
        recorded.places.leave(first)
        recorded.enter("f", from: "192.0.2.3")
        #expect(recorded.closed == ["b", "c", "d"])
    }

    @Test("connections of a peer over its share are closed first, although others have waited longer")
    func share() throws {
        let recorded = try RecordedPlaces(8)
        for name in ["old", "older"] { recorded.enter(name, from: "192.0.2.1") }
        for number in 1...6 { recorded.enter("flood \(number)", from: "192.0.2.9") }
        #expect(recorded.closed.isEmpty)
        for number in 7...20 { recorded.enter("flood \(number)", from: "192.0.2.9") }
        recorded.enter("visitor", from: "192.0.2.3")
        #expect(recorded.closed.count == 15 && recorded.closed.allSatisfy { $0.hasPrefix("flood") })
    }

    @Test("with declared proxies every other peer is limited to a quarter at all times")
    func proxies() throws {
        let recorded = try RecordedPlaces(8, proxies: ["10.0.0.0/8"])
        for number in 1...6 { recorded.enter("proxy \(number)", from: "10.0.0.1") }
        #expect(recorded.closed.isEmpty)
        for number in 1...3 { recorded.enter("flood \(number)", from: "192.0.2.9") }
        #expect(recorded.closed == ["flood 1"])
        // One /64 of IPv6 is one peer.
        for number in 1...3 { recorded.enter("six \(number)", from: "2001:db8::\(number)") }
        #expect(recorded.closed.suffix(1) == ["six 1"] || recorded.closed.contains("six 1"))
    }

    @Test("a peer whose whole share is being answered gets no further place")
    func busyShare() throws {
        let recorded = try RecordedPlaces(8, proxies: ["10.0.0.0/8"])
        for name in ["a", "b"] { #expect(recorded.places.beginAnswer(recorded.enter(name, from: "192.0.2.9"))) }
        recorded.enter("c", from: "192.0.2.9")
        #expect(recorded.closed == ["c"])
    }

    @Test("while all connections are being answered none is accepted; the first that waits is closed")
    func paused() throws {
        let recorded = try RecordedPlaces(2)
        let gate = ConnectionGate(places: recorded.places)
        let numbers = ["a", "b"].map { name in
            gate.connectionOpened()
            return recorded.enter(name, from: "192.0.2.1")
        }
        #expect(gate.isAcceptingNewConnections())
        for number in numbers { #expect(recorded.places.beginAnswer(number)) }
        #expect(!gate.isAcceptingNewConnections())
        recorded.places.wait(numbers[1])
        #expect(recorded.closed == ["b"])
        gate.connectionClosed()
        #expect(gate.isAcceptingNewConnections())
        // The queue is empty, so no connection is closed.
        recorded.places.wait(numbers[0])
        #expect(recorded.closed == ["b"])
    }

    @Test(
        "on real sockets idle connections, half heads and half bodies are closed; a response in progress arrives whole")
    func sockets() async throws {
        let limits = ServerLimits(idle: .seconds(300), request: .seconds(300), answer: .seconds(300), connections: 16)
        try await TinyServer.running(limits) { probe in
            let reader = try probe.connect()
            try reader.send(probe.request("GET", "/big"))
            // Bytes have arrived: the response has begun, and the rest is larger than the socket buffers.
            let beginning = try await onOwnThread { try reader.receive().count }
            let hostile = ["", "GET / HT", "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nslow"]
            let flood = try (0..<200).map { number in
                let connection = try probe.connect()
                // Connections that were already closed are reset.
                try? connection.send(Array(hostile[number % 3].utf8))
                return connection
            }
            for _ in 1...20 { #expect(try await probe.get("/").text == "here") }
            let rest = try await onOwnThread { try reader.untilEnd().count }
            #expect(beginning + rest > TinyServer.bigBytes)
            withExtendedLifetime(flood) {}
        }
    }

    @Test("a real program answers in less than a second while thousands of hostile connections are open")
    func flood() async throws {
        // 3,000, or the most that this system's limit allows.
        var files = rlimit()
        getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = max(files.rlim_cur, min(16_384, files.rlim_max))
        setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &files)
        let count = min(3_000, Int(files.rlim_cur) / 2)
        let pair = try ProcessDeployment()
        try await pair.start()
        let probe = HTTPProbe(port: pair.idp.port, timeout: .seconds(30))
        let hostile = ["", "GET / HT", "POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nslow"]
        let flood = try await onOwnThread {
            try (0..<count).map { number in
                let connection = try probe.connect()
                try? connection.send(Array(hostile[number % 3].utf8))
                return connection
            }
        }
        let times = try await Self.times(of: ["/healthz", "/sign-in", "/readyz"], probe)
        // On an idle machine the slowest takes some milliseconds; on a machine that runs other tests it may take
        // more.
        #expect(times.sorted()[times.count / 2] < .seconds(1), "\(times)")
        withExtendedLifetime(flood) {}
        try await pair.stop()
    }

    private static func times(of paths: [String], _ probe: HTTPProbe) async throws -> [Duration] {
        var times: [Duration] = []
        for path in paths + paths + paths {
            let begin = ContinuousClock.now
            #expect(try await probe.get(path).status == 200)
            times.append(ContinuousClock.now - begin)
        }
        return times
    }
}
