import Testing

@testable import SSOShared
@testable import TestKit

@Suite("Encodings", .rules)
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

    @Test(
        "base32 writes the vectors of RFC 4648 in lower case without padding, and reads either case",
        arguments: [
            ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
            ("foobar", "mzxw6ytboi"),
        ])
    func base32(_ plain: String, _ encoded: String) {
        #expect(Base32.encode(plain.utf8) == encoded)
        #expect(Base32.decode(encoded.utf8) == [UInt8](plain.utf8))
        #expect(Base32.decode(encoded.uppercased().utf8) == [UInt8](plain.utf8))
    }

    @Test("every byte survives base32, and 32 bytes take 52 letters")
    func base32RoundTrip() {
        let bytes = (0...255).map { UInt8($0) }
        for count in 0...bytes.count {
            #expect(Base32.decode(Base32.encode(bytes.prefix(count)).utf8) == Array(bytes.prefix(count)))
        }
        #expect(Base32.encode(bytes.prefix(32)).utf8.count == 52)
    }

    @Test(
        "base32 refuses padding, other letters, white space, incomplete groups and unused bits",
        arguments: [
            "m", "mzx", "mzxw6y", "my======", "m1", "m8", "m0", "mz xq", "mzxq\n", "mz\u{131}q", "mb", "mzxr", "mzxw7",
            "mzxw6yr",
        ])
    func strictBase32(_ text: String) {
        #expect(Base32.decode(text.utf8) == nil)
    }

    @Test("hex accepts digits of either case and nothing else")
    func hex() {
        #expect(Hex.decode("00fFaB") == [0x00, 0xff, 0xab])
        for text in ["0", "0g", "0x00", " 00", "00\n", "é0", "٠٠"] { #expect(Hex.decode(text) == nil) }
    }
}
