import Testing

@testable import Counterparts
@testable import IdPMail
@testable import SSOWeb
@testable import TestKit

@Suite("The name in EHLO, and a server's words", .rules)
struct MailGreetingTests {
    @Test(
        "a host name and an address literal are a name",
        arguments: ["vm", "idp.example.com", "IDP-1.example.com", "[192.0.2.1]", "[IPv6:2001:db8::1]", "[ipv6:::1]"])
    func valid(name: String) throws {
        #expect(try MailGreeting(name).name == name)
    }

    @Test(
        "anything else is none, and could be a second command",
        arguments: [
            "", " ", "my_host", "a b", "-a", "a..b", "a.", "192.0.2.1", "2001:db8::1", "[::1]", "[192.0.2.256]", "[a]",
            "[",
            "[]", "idp.example.com:25", "idp.example.com\r\nMAIL FROM:<a@b>", "m\u{fc}ller.example", "a@b", "a/b",
            "%0d",
            "[IPv6:2001:db8::1%25eth0]", "[IPv6:192.0.2.1]", String(repeating: "a", count: 64),
        ])
    func invalid(name: String) {
        #expect(throws: SettingError.self) { try MailGreeting(name) }
    }

    @Test(
        "the machine's full name is taken, else its name, and none that only it knows",
        arguments: [
            ("vm", "vm.example.com", "vm.example.com"), ("vm", nil, "vm"), ("vm", "localhost", "vm"),
            ("vm", "localhost.localdomain", "vm"), ("vm", "my_host.example", "vm"),
            ("idp.example.com", nil, "idp.example.com"),
            ("localhost", "localhost", nil), ("my_host", nil, nil), ("", nil, nil), ("LOCALHOST.localdomain", nil, nil),
        ] as [(String, String?, String?)])
    func machine(name: String, full: String?, chosen: String?) {
        #expect(MailGreeting.chosen(name, full: full) == chosen)
    }

    @Test("the setting comes before the machine's name")
    func order() throws {
        let from = try MailFrom("Ann <ann@example.com>")
        #expect(MailGreeting.name(try MailGreeting("idp.example.com"), from: from) == "idp.example.com")
        #expect(MailGreeting.name(nil, from: from) == MailGreeting.machine ?? "example.com")
    }

    @Test(
        "a name without a dot is a warning with the setting and what to write, and no other name is",
        arguments: [
            ("vm", false, "example.com", "is not set, and the name of this machine, \"vm\" has no dot"),
            ("a1b2c3d4e5f6", true, "example.com", "the name \"a1b2c3d4e5f6\" has no dot"),
            ("localhost", false, "localhost", "\"localhost\" has no dot"), ("vm.example", false, "example.com", nil),
            ("vm.example", true, "example.com", nil), ("[192.0.2.1]", true, "example.com", nil),
            ("[IPv6:2001:db8::1]", true, "example.com", nil),
        ] as [(String, Bool, String, String?)])
    func withoutDot(name: String, isSet: Bool, domain: String, words: String?) throws {
        let warning = MailGreeting.warning(name, isSet: isSet, domain: domain)
        guard let words else { return #expect(warning == nil) }
        let text = try #require(warning)
        #expect(text.hasPrefix("IDP_MAIL_EHLO: ") && text.contains(words), "\(text)")
        #expect(text.hasSuffix("IDP_MAIL_EHLO=\(domain == "localhost" ? "idp.example.com" : domain)."), "\(text)")
        if isSet {
            let greeting = try MailGreeting(name)
            #expect(MailGreeting.warning(greeting, from: try MailFrom("ann@example.com")) == text)
        }
    }

    @Test(
        "a server's words are one line without addresses, the login, the recipient, and what stands in the email",
        arguments: [
            ("5.7.1 Helo command rejected", "5.7.1 Helo command rejected"),
            ("no <Ann.Lee@client.example>!", "no ***"), ("user=ann%40client.example", "***"),
            ("ann.lee unknown, ANN too", "*** unknown, *** too"),
            ("password hunter2x of (mailer)", "password *** of ***"),
            ("code 123456 is spam", "code *** is spam"), ("https://idp.example/sign-in/link/aB3dEf#x", "***"),
            ("see https://help.example/?p=BadCredentials9", "see https://help.example/?p=BadCredentials9"),
            ("a\u{1b}[2Jb\r\n\u{202e}c\t d", "a [2Jb c d"), ("", ""),
        ])
    func words(reply: String, shown: String) {
        let words = ServerWords(
            hiding: ["ann.lee", "mailer", "hunter2x"],
            text: "Your code:\n\n123456\n\nhttps://idp.example/sign-in/link/aB3dEf\n")
        #expect(words.cleaned(reply) == shown)
    }

    @Test("a server's words have at most 200 characters")
    func length() {
        let words = ServerWords(hiding: []).cleaned(String(repeating: "word ", count: 1_000))
        #expect(words.count == 200 && words.hasSuffix("…"))
        #expect(ServerWords(hiding: []).cleaned(String(repeating: "x", count: 200)).count == 200)
    }

    @Test("the words of the last refusal count, with all its lines, and not what follows it")
    func lastRefusal() {
        let replies = ServerReplies()
        for line in ["220 hi", "502 no EHLO", "250 ok", "550-first", "550-", "550 second", "221 bye"] {
            Array("\(line)\r\n".utf8).withUnsafeBytes { replies.add($0) }
        }
        let hiding = ServerWords(hiding: [])
        #expect(replies.words(code: 550, hiding: hiding) == ": first second")
        #expect(replies.words(code: 502, hiding: hiding) == "")
        #expect(replies.words(code: 0, hiding: hiding) == "")
        #expect(!replies.hasAcceptedLogin)
    }
}
