import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Digests, comparison and random bytes", .rules)
struct DigestTests {
    @Test("SHA-256 agrees with FIPS 180-4")
    func sha256() {
        #expect(
            Hex.encode(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            Hex.encode(SHA256.hash([UInt8]("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        for text in ["", "abc", "e\u{301}", String(repeating: "ä", count: 100)] {
            #expect(SHA256.hash(text) == SHA256.hash([UInt8](text.utf8)))
        }
    }

    @Test("HMAC-SHA256 agrees with RFC 4231")
    func hmac() {
        #expect(
            Hex.encode(HMACSHA256.code(for: [UInt8]("what do ya want for nothing?".utf8), key: [UInt8]("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Hex.encode(
                HMACSHA256.code(
                    for: [UInt8]("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                    key: [UInt8](repeating: 0xaa, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(
            Hex.encode(HMACSHA256.code(for: [], key: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test(
        "an HMAC key is hashed only when it is longer than a block of 64 bytes",
        arguments: [
            (63, "d266bf8e63e138ddff6fb42d7c769f06a54470bffdc77a7b6defaff051708922"),
            (64, "2f8cff867f2668ca93d3c5b03ba9f816746742eda349b3bc4bb35aa27816754c"),
            (65, "102ebc7ceb9dff09e5a77413a3cd67382908ece255487006eb0e1e1b801f9ce6"),
        ])
    func blockBoundary(count: Int, code: String) {
        let key = [UInt8](repeating: 0xaa, count: count)
        #expect(Hex.encode(HMACSHA256.code(for: [UInt8]("abc".utf8), key: key)) == code)
    }

    @Test("comparison checks every byte and the length, and an empty value matches nothing")
    func comparison() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.equal([UInt8](), []))
        #expect("e\u{301}" == "é" && !ConstantTime.equal("e\u{301}", "é"))
    }

    @Test("random bytes differ, and a negative count is an error, not a crash")
    func random() throws {
        #expect(try RandomBytes.generate(32) != RandomBytes.generate(32))
        #expect(try RandomBytes.generate(0) == [])
        #expect(throws: RandomnessError.self) { try RandomBytes.generate(-1) }
    }
}
