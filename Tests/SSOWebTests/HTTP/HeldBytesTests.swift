import Synchronization
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("What a connection holds", .rules)
struct HeldBytesTests {
    private static func connection() -> (ConnectionPlaces, HeldBytes) {
        let places = ConnectionPlaces(limit: 8, bytes: 1 << 20, addresses: ClientAddress(trusted: []))
        let held = HeldBytes(places)
        held.number = places.enter(IPAddress("192.0.2.1")) {}
        return (places, held)
    }

    @Test("a long head counts three times beyond the first 4 KiB, from its first byte until its answer was taken")
    func head() {
        let (places, held) = Self.connection()
        #expect(held.arrive(15 * 1024))
        #expect(places.heldBytes == 33 * 1024)
        held.headArrived()
        held.requestArrived()
        held.endRead()
        #expect(places.heldBytes == 33 * 1024)
        held.requestAnswered()
        #expect(places.heldBytes == 0)
    }

    @Test("a short head is free, and the bytes of a body count once")
    func body() {
        let (places, held) = Self.connection()
        #expect(held.arrive(4 * 1024))
        #expect(places.heldBytes == 0)
        held.headArrived()
        #expect(held.arrive(10 * 1024))
        #expect(places.heldBytes == 10 * 1024)
    }

    @Test("what is not taken of an answer counts until it is, and the one that holds it goes before a small request")
    func unread() {
        let places = ConnectionPlaces(limit: 8, bytes: 1 << 20, addresses: ClientAddress(trusted: []))
        let closed = Mutex<[String]>([])
        let small = HeldBytes(places)
        small.number = places.enter(IPAddress("192.0.2.1")) { closed.withLock { $0.append("small") } }
        #expect(small.arrive(1024))
        let greedy = (0..<4).map { number in
            let held = HeldBytes(places)
            held.number = places.enter(IPAddress("192.0.2.1")) { closed.withLock { $0.append("\(number)") } }
            return held
        }
        for held in greedy { held.unsent = 350 * 1024 }
        // Each holds more than a quarter of the bytes; the oldest goes as soon as all of them hold too many.
        #expect(closed.withLock { $0 } == ["0", "1"])
        #expect(greedy[0].isLost == false, "its event loop closes it")
        #expect(!greedy[0].arrive(1), "what it sends afterwards is not used")
        #expect(small.arrive(1024))
        greedy[2].unsent = 0
        greedy[3].unsent = 0
        #expect(places.heldBytes == 0)
    }

    @Test(
        "a listener takes at most a quarter of its connections at once, and four as usual",
        arguments: [
            (8, 4), (16, 4), (512, 128), (1536, 256), (100_000, 256),
        ])
    func accepted(connections: Int, atOnce: UInt) {
        #expect(WebServer.acceptedAtOnce(of: connections) == atOnce)
    }
}
