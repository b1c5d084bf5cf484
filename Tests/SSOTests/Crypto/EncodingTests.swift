import Testing

@testable import SSOShared
@testable import TestSupport

@Suite("Encodings")
struct EncodingTests {
    @Test(
        "base64url agrees with RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ])
    func base64URL(_ plain: String, _ encoded: String) {
        #expect(Base64URL.encode([UInt8](plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == [UInt8](plain.utf8))
    }

    @Test("every byte survives base64url and hex")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count * 11) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    }

    @Test(
        "base64url has one spelling per value",
        arguments: [
            "Zg==", "Zh", "Zm9", "Z", "Zm9v=", "Zm 9v", "Zm9v\n", "+/8", "Zm9vé", "Zm9vY",
        ])
    func strictBase64URL(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("hex accepts digits of either case and nothing else")
    func hex() {
        #expect(Hex.decode("00fFaB") == [0x00, 0xff, 0xab])
        for text in ["0", "0g", "0x00", " 00", "00\n", "é0", "٠٠"] { #expect(Hex.decode(text) == nil) }
    }
}
