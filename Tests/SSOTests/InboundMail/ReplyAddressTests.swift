import Testing

@testable import IdP
@testable import TestSupport

@Suite("Reply addresses")
struct ReplyAddressTests {
    @Test(
        "base32 in lower case without padding (RFC 4648 section 10)",
        arguments: [
            ("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb"),
            ("foobar", "mzxw6ytboi"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base32.encode(Array(plain.utf8)) == encoded)
        #expect(Base32.decode(encoded.utf8) == Array(plain.utf8))
        #expect(Base32.decode(encoded.uppercased().utf8) == Array(plain.utf8))
    }

    @Test(
        "one value has one spelling: other digits, padding, unused bits and cut texts are refused",
        arguments: ["m", "mz", "mzx", "my======", "m1", "m0", "m8", "m9", "m ", "m\u{e9}", "mzxw6y", "mzxw6yr"])
    func strict(encoded: String) {
        #expect(Base32.decode(encoded.utf8) == nil)
    }

    @Test("the address of a key leads back to it, in any case, and fits into an address")
    func roundTrip() throws {
        for first in UInt8.min...UInt8.max {
            let key = [first] + (1..<32).map { UInt8($0) &* 7 &+ first }
            let address = ReplyAddress.text(key: key, domain: "mail.example.test")
            #expect(try EmailAddress(address).text == address)
            #expect(ReplyAddress.key(of: Array(address.utf8), domain: "mail.example.test") == key)
            #expect(ReplyAddress.key(of: Array(address.uppercased().utf8), domain: "Mail.Example.Test") == key)
            #expect(ReplyAddress.key(of: Array(address.utf8), domain: "example.test") == nil)
        }
    }

    @Test("a key of another length is no reply address")
    func length() {
        for count in [0, 1, 31, 33, 64] {
            let address = ReplyAddress.text(key: Array(repeating: 7, count: count), domain: "mail.example.test")
            #expect(ReplyAddress.key(of: Array(address.utf8), domain: "mail.example.test") == nil)
        }
    }
}
