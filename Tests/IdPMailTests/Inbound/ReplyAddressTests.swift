import SSOShared
import Testing

@testable import IdPInboundMail
@testable import TestKit

@Suite("Reply addresses", .rules)
struct ReplyAddressTests {
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
