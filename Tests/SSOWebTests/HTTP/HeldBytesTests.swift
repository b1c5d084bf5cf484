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
}
