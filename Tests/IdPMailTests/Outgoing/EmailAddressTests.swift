import SSOShared
import Testing

@testable import IdPMail
@testable import TestKit

@Suite("Email addresses", .rules)
struct EmailAddressTests {
    @Test(
        "an ordinary address is accepted, lower-cased and trimmed",
        arguments: [
            ("ann@example.com", "ann@example.com"),
            ("  Ann.Lee+sso@Mail.Example.COM \t", "ann.lee+sso@mail.example.com"),
            ("o'brien_{x}|~`^?=/*&$#@a-b.co", "o'brien_{x}|~`^?=/*&$#@a-b.co"),
            ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
            ("1@2.x3", "1@2.x3"),
        ])
    func good(typed: String, stored: String) throws {
        #expect(try EmailAddress(typed).text == stored)
    }

    @Test(
        "an address that could reach another mailbox, or break a header, is refused",
        arguments: [
            "", " ", "ann", "@", "ann@", "@example.com", "ann@example", "ann@localhost", "ann@.com", "ann@example.com.",
            "ann@exa..com", ".ann@example.com", "ann.@example.com", "a..n@example.com", "ann@-a.com", "ann@a-.com",
            "ann@192.0.2.1", "ann@[192.0.2.1]", "ann@exa_mple.com", "a b@example.com", "ann@example.com,b@evil.example",
            "a@evil.example,v@good.example", "v@good.example%0aa@evil.example", "<a@evil.example>v@good.example",
            "\"a@evil.example x\"@good.example", "ann(comment)@example.com", "@relay.example:ann@good.example",
            "ann@example.com\r\nBcc: v@evil.example", "ann@example.com\n", "\r\nann@example.com", "ann@example.com\0",
            "ann\u{7f}@example.com", "ann;@example.com", "m\u{131}ke@example.com", "\u{212a}ate@example.com",
            "ann@b\u{fc}cher.example", "ann\u{ff20}example.com", "ann@example.com\u{2028}", "\u{a0}ann@example.com",
            "Ann <ann@example.com>", "mailto:ann@example.com", "ann\\@example.com",
            // Old routes through another domain (RFC 5321 F.2).
            "a%evil.example@example.com", "evil.example!a@example.com",
        ])
    func bad(typed: String) {
        #expect(throws: EmailAddressError.self) { try EmailAddress(typed) }
    }

    @Test(
        "a mailbox has no tag; all its tags share one budget, separate from that of the bare address",
        arguments: [
            ("ann+0@example.com", "ann@example.com", "+ann@example.com"),
            ("ann+a+b@example.com", "ann@example.com", "+ann@example.com"),
            ("ann@example.com", "ann@example.com", "ann@example.com"),
            ("+ann@example.com", "+ann@example.com", "+ann@example.com"),
        ])
    func mailbox(address: String, mailbox: String, key: String) throws {
        #expect(try EmailAddress(address).mailbox == mailbox)
        #expect(try EmailAddress(address).budgetKey == key)
    }

    @Test("254 bytes, 64 before the @ and 63 per label are the exact limits")
    func limits() throws {
        let label = String(repeating: "a", count: 63)
        let domain = "\(label).\(label).\(label)"
        #expect(throws: Never.self) { try EmailAddress(String(repeating: "l", count: 62) + "@" + domain) }
        #expect(throws: EmailAddressError.tooLong) {
            try EmailAddress(String(repeating: "l", count: 63) + "@" + domain)
        }
        #expect(throws: Never.self) { try EmailAddress(String(repeating: "l", count: 64) + "@a.com") }
        #expect(throws: EmailAddressError.longLocalPart) {
            try EmailAddress(String(repeating: "l", count: 65) + "@a.com")
        }
        #expect(throws: EmailAddressError.badDomain(.long)) { try EmailAddress("a@\(label)a.com") }
    }

    @Test("every single byte in the middle of an address is accepted as atom text, or refused")
    func everyByte() {
        let taken = (0...127).filter { code in
            (try? EmailAddress("a\(Character(Unicode.Scalar(UInt8(code))))b@x.example")) != nil
        }
        let atoms = Array("#$&'*+-./0123456789=?ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz{|}~".utf8)
        #expect(taken == atoms.map { Int($0) })
    }
}

@Suite("The sender of emails", .rules)
struct MailFromTests {
    @Test(
        "name and address, quoted or not, or the address alone",
        arguments: [
            ("Main App <Sign-In@Example.com>", "Main App", "sign-in@example.com"),
            ("\"Main, \\\"App\\\"\" <a@b.example>", "Main, \"App\"", "a@b.example"),
            ("a@b.example", "", "a@b.example"),
            (" <a@b.example> ", "", "a@b.example"),
            ("Bücher <a@b.example>", "Bücher", "a@b.example"),
            ("'Shop' <a@b.example>", "Shop", "a@b.example"), ("' Shop 1 '<a@b.example>", "Shop 1", "a@b.example"),
            ("\"'Shop'\" <a@b.example>", "'Shop'", "a@b.example"),
            ("Ann's 'Shop' <a@b.example>", "Ann's 'Shop'", "a@b.example"),
            ("'n Sync <a@b.example>", "'n Sync", "a@b.example"),
            ("Main <a@exümple.example>", "Main", "a@xn--exmple-4ya.example"),
            ("\u{feff}Main <a@b.example\u{200b}>\u{a0}", "Main", "a@b.example"),
        ])
    func good(text: String, name: String, address: String) throws {
        let from = try MailFrom(text)
        #expect(from.name == name)
        #expect(from.address.text == address)
    }

    @Test(
        "text that is not exactly one sender is refused",
        arguments: [
            "", "Main App", "Main App <a@b.example", "Main <a@localhost>", "Main\r\nBcc: x <a@b.example>",
            "Main\u{2028} <a@b.example>", "Ma\u{202e}in <a@b.example>", "<a@b.example> Main",
            "A <a@b.example>, B <c@d.example> x", "A <a@b.example>, B <c@d.example>", "a@b.example, c@d.example",
            "a@b.example,c@d.example", "a@b.example; C <c@d.example>", "\"A\" <a@b.example>, \"B\" <c@d.example>",
            "a@b.example <c@d.example>", "A <a@b.example> <c@d.example>", "Main, App <a@b.example>",
        ])
    func bad(text: String) {
        #expect(throws: MailFromError.self) { try MailFrom(text) }
    }
}
