import Foundation
import Glibc
import Synchronization
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Which connection is closed when the limit is reached.
@Suite("The limit of connections", .deployment)
struct ConnectionLimitTests {
    /// Places whose connections record that they were closed.
    private final class RecordedPlaces: Sendable {
        let places: ConnectionPlaces
        private let list = Mutex<[String]>([])
        var closed: [String] { list.withLock { $0 } }

        init(_ limit: Int, bytes: Int = ServerLimits().heldBytes, proxies: [String] = []) throws {
            let networks = try proxies.map { try Network($0) }
            places = ConnectionPlaces(limit: limit, bytes: bytes, addresses: ClientAddress(trusted: networks))
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
        "sockets that were accepted earlier and take their places later do not close a new visitor's",
        arguments: [16, 64, 1_536])
    func lateEntries(limit: Int) throws {
        let recorded = try RecordedPlaces(limit)
        let gate = ConnectionGate(places: recorded.places)
        recorded.enter("idle", from: "192.0.2.9")
        gate.connectionOpened()
        var accepted = 1
        while gate.isAcceptingNewConnections() {
            for _ in 0..<WebServer.acceptedAtOnce(of: limit) {
                gate.connectionOpened()
                accepted += 1
            }
        }
        // All come through one proxy. One event loop has given places to its half when the visitor comes, the other was busy.
        for number in 0..<accepted / 2 { recorded.enter("flood \(number)", from: "192.0.2.9") }
        recorded.enter("visitor", from: "192.0.2.9")
        for number in accepted / 2..<accepted { recorded.enter("late \(number)", from: "192.0.2.9") }
        #expect(recorded.closed.count > 1 && !recorded.closed.contains("visitor"))
    }

    @Test("of too many bytes the ones held longest are closed; what is being answered, or holds nothing, is not")
    func bytes() throws {
        let recorded = try RecordedPlaces(8, bytes: 200)
        let places = recorded.places
        let numbers = ["idle", "a", "b", "busy", "c", "unread"].map { recorded.enter($0, from: "192.0.2.1") }
        for number in [3, 5] { #expect(places.beginAnswer(numbers[number])) }
        for number in [3, 2, 1] { #expect(places.hold(numbers[number], bytes: 45)) }
        #expect(places.hold(numbers[5], bytes: 45, isUntaken: true))
        #expect(recorded.closed.isEmpty && places.heldBytes == 180)
        // What b holds began earlier than what c brings.
        #expect(places.hold(numbers[4], bytes: 30))
        #expect(recorded.closed == ["b"] && places.heldBytes == 165)
        // One that alone holds more than a quarter goes before all others.
        #expect(!places.hold(numbers[4], bytes: 120))
        #expect(recorded.closed == ["b", "c"] && places.heldBytes == 135)
        // An answer that is not taken counts as waiting, here only for bytes.
        let last = recorded.enter("d", from: "192.0.2.1")
        #expect(places.hold(last, bytes: 50))
        #expect(places.hold(numbers[1], bytes: 50))
        for number in 1...2 { #expect(places.hold(recorded.enter("e\(number)", from: "192.0.2.1"), bytes: 50)) }
        #expect(recorded.closed == ["b", "c", "a", "unread"])
        // Bytes that are given back, and those of a closed connection, are free.
        #expect(places.hold(numbers[3], bytes: 0) && places.hold(last, bytes: 0))
        #expect(places.heldBytes == 100)
        places.leave(last)
        #expect(places.heldBytes == 100)
    }

    @Test(
        "a peer over a quarter of the bytes loses its own first; beside declared proxies it never gets more",
        arguments: [true, false])
    func shareOfBytes(hasProxies: Bool) throws {
        let recorded = try RecordedPlaces(99, bytes: 100, proxies: hasProxies ? ["10.0.0.0/8"] : [])
        let places = recorded.places
        let honest = recorded.enter("honest", from: "192.0.2.1")
        #expect(places.hold(honest, bytes: 25))
        for number in 1...20 { _ = places.hold(recorded.enter("flood \(number)", from: "192.0.2.9"), bytes: 10) }
        #expect(recorded.closed.allSatisfy { $0.hasPrefix("flood") })
        #expect(places.heldBytes == (hasProxies ? 45 : 95))
        // A proxy speaks for many clients.
        let proxy = recorded.enter("proxy", from: "10.0.0.1")
        #expect(places.hold(proxy, bytes: hasProxies ? 55 : 25))
        #expect(places.hold(honest, bytes: 25) && places.hold(proxy, bytes: 20))
    }

    @Test("on real sockets a flood of unfinished bodies, heads and unread answers leaves small requests alone")
    func heldBytes() async throws {
        let limits = ServerLimits(
            idle: .seconds(300), request: .seconds(300), answer: .seconds(300), heldBytes: 1 << 20)
        try await TinyServer.running(limits) { probe in
            let body = "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n"
            let hostile = [
                Array(body.utf8) + [UInt8](repeating: 0x61, count: 60_000),
                Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [UInt8](repeating: 0x61, count: 12_000),
                probe.request("GET", "/big", close: false),
            ]
            var flood: [HTTPConnection] = []
            for number in 0..<60 {
                let connection = try probe.connect()
                // One that was already closed for others is reset.
                try? connection.send(hostile[number % 3])
                flood.append(connection)
                let reply = try await probe.post("/form", body: Array("12345".utf8))
                #expect(reply.text == "5")
            }
            // The largest form passes as well: it has held its bytes for the shortest time.
            let form = try await probe.post("/form", body: [UInt8](repeating: 0x61, count: 64 << 10))
            #expect(form.text == "65536")
            withExtendedLifetime(flood) {}
        }
    }

    @Test("a client that sends far ahead of its answers is closed, and one that sends a few requests is answered")
    func pipelined() async throws {
        try await TinyServer.running { probe in
            let few = String(
                decoding: try await probe.raw(Array((0..<5).flatMap { _ in probe.request("GET", "/", close: false) })),
                as: UTF8.self)
            #expect(few.components(separatedBy: "HTTP/1.1 200").count == 6)
            let one = probe.request("GET", "/big", close: false)
            for ahead in [
                Array((0..<ConnectionPlace.maximumPipelined + 1).flatMap { _ in one }),
                one + Array("POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n".utf8)
                    + [UInt8](repeating: 0x61, count: 30_000),
            ] {
                let got = try await onOwnThread {
                    let connection = try probe.connect()
                    try connection.send(ahead)
                    try SocketTable.waitForEnd(of: connection, at: probe.port)
                    return try connection.everything().count
                }
                #expect(got < TinyServer.bigBytes)
            }
        }
    }

    @Test(
        "on real sockets idle connections, half heads and half bodies are closed; a response in progress arrives whole")
    func sockets() async throws {
        let limits = ServerLimits(
            idle: .seconds(300), request: .seconds(300), answer: .seconds(300), connections: 16, heldBytes: 64 << 20)
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
        let sent = String(repeating: "a", count: 60_000)
        let hostile = [
            "", "GET / HT", "POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nslow",
            "POST /auth/apple/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Content-Length: 16000\r\n\r\n" + sent.prefix(15_999),
            "POST /hotwire_native/sign_in HTTP/1.1\r\nHost: a\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60001\r\n\r\n" + sent,
        ].map { Array($0.utf8) }
        let flood = try await onOwnThread {
            try (0..<count).map { number in
                let connection = try probe.connect()
                try? connection.send(hostile[number % hostile.count])
                return connection
            }
        }
        let times = try await Self.times(of: ["/healthz", "/sign-in", "/readyz"], probe)
        // On an idle machine the slowest takes some milliseconds; on a machine that runs other tests it may take
        // more.
        #expect(times.sorted()[times.count / 2] < .seconds(1), "\(times)")
        _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
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
