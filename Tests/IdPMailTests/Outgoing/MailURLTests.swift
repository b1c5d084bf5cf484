import Testing

@testable import IdPMail
@testable import TestKit

extension SMTPLogin {
    /// nil for a login by a token.
    fileprivate var password: String? { if case .password(let password) = secret { password } else { nil } }
}

@Suite("The mail URL", .rules)
struct MailURLTests {
    private func endpoint(_ text: String) throws -> SMTPEndpoint {
        guard case .smtp(let endpoint) = try MailURL.parse(text) else { throw ProbeFailure("not SMTP: \(text)") }
        return endpoint
    }

    @Test(
        "host, port and TLS as written, with the submission ports as default",
        arguments: [
            ("smtp://mail.example.com:25", "smtp://mail.example.com:25"),
            ("SMTP://Mail.Example.com/", "smtp://mail.example.com:587"),
            ("smtps://mail.example.com", "smtps://mail.example.com:465"),
            ("smtp://[::1]:2525", "smtp://[::1]:2525"),
            ("smtp://127.0.0.1:1025", "smtp://127.0.0.1:1025"),
            ("outbox:var/outbox", "outbox:var/outbox"),
            ("smtps://a.example, smtp://b.example", "smtps://a.example:465,smtp://b.example:587"),
            (
                "smtp://ann:a,b@a.example,SMTPS://ann:c@b.example:466",
                "smtp://ann:***@a.example:587,smtps://ann:***@b.example:466"
            ),
        ])
    func good(text: String, shown: String) throws {
        #expect("\(try MailURL.parse(text))" == shown)
    }

    @Test("a login is percent-decoded, and no way of printing shows its password")
    func redacted() throws {
        let text = "smtp://ann%40example.com:s3cr:t%2Fword@mail.example.com:587"
        let mail = try MailURL.parse(text)
        let endpoint = try endpoint(text)
        #expect(endpoint.login?.user == "ann@example.com")
        #expect(endpoint.login?.password == "s3cr:t/word")
        #expect("\(mail)" == "smtp://ann@example.com:***@mail.example.com:587")
        var dumped = ""
        dump(mail, to: &dumped)
        #expect(!(dumped + String(reflecting: mail) + String(describing: endpoint.login)).contains("s3cr"))
    }

    @Test("a login without a password is one by the token of the file, and without a file it is refused")
    func token() throws {
        let file = MailTokenFile(path: "/run/token")
        let text = "smtps://ann%40example.com@a.example,smtps://bob:pass@b.example"
        let mail = try MailURL.parse(text, tokenFile: file)
        #expect("\(mail)" == "smtps://ann@example.com@a.example:465,smtps://bob:***@b.example:465")
        #expect(mail.usesToken)
        #expect(throws: MailURLError.password) { try MailURL.parse(text) }
        #expect(try !MailURL.parse("smtps://bob:pass@b.example", tokenFile: file).usesToken)
        for text in ["smtp://@a.example", "smtp://a%0d%0ab@a.example", "smtp://a%20b:@a.example"] {
            #expect(throws: MailURLError.login, "\(text)") { try MailURL.parse(text, tokenFile: file) }
        }
    }

    @Test("a space in a password is written as %20")
    func blank() throws {
        #expect(try endpoint("smtp://ann:pass%20word@mail.example.com").login?.password == "pass word")
        #expect(throws: MailURLError.blank) { try MailURL.parse("smtp://ann:pass word@mail.example.com") }
    }

    @Test(
        "an invalid URL is refused, and the error does not repeat it",
        arguments: [
            "", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://:25", "smtp://mail.example.com:",
            "smtp://mail.example.com:0", "smtp://mail.example.com:65536", "smtp://mail.example.com:+25",
            "smtp://mail.example.com:٢٥",
            "smtp://mail.example.com:25/path", "smtp://mail.example.com?x", "smtp://mail.example.com#x",
            "smtp://user@mail.example.com", "smtp://@mail.example.com", "smtp://:pw@mail.example.com",
            "smtp://user:@mail.example.com", "smtp://us%0d%0aer:pw@mail.example.com",
            "smtp://us%zzer:pw@mail.example.com", "smtp://us%ffer:pw@mail.example.com",
            "smtp://a@b:pw@mail.example.com", "smtp://user:pass word@mail.example.com",
            "smtp://us er:pw@mail.example.com", "smtp://user:pw @mail.example.com", "smtp://user:pw\t@mail.example.com",
            "smtp://user:pw\n@mail.example.com", "smtp://user:p\u{a0}w@mail.example.com",
            "smtp://[::1", "smtp://[localhost]", "smtp://[::1]x", "smtp://mail_x.example.com",
            "smtp://mail .example.com", "smtp://127.1:25", "outbox:",
            "smtp://mail.example.com,outbox:x", "outbox:x,smtp://mail.example.com", "smtp://mail.example.com,",
            "smtp://mail.example.com,smtps://mail.example.com:587", "smtp://mail.example.com,b.example",
            "smtp://mail.a,smtp://mail.b,smtp://mail.c,smtp://mail.d,smtp://mail.e",
        ])
    func bad(text: String) {
        do {
            let mail = try MailURL.parse(text)
            Issue.record("it was accepted: \(mail)")
        } catch {
            #expect(!"\(error)".contains("mail."))
        }
    }

    @Test(
        "only loopback counts as loopback",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true), ("mail.example.com", false),
            ("127.0.0.1.example.com", false), ("localhost.example.com", false), ("[::2]", false), ("128.0.0.1", false),
        ])
    func loopback(host: String, isLoopback: Bool) throws {
        #expect(try endpoint("smtp://\(host):25").isLoopback == isLoopback)
    }
}
