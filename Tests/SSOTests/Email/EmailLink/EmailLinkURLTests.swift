import Testing

@testable import IdPMail
@testable import IdPSignIn
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The URL of the link in the email", .program, .alsoOnPostgres)
struct EmailLinkURLTests {
    private static func link(
        _ keys: [String] = [TestSecret.new()], origin: String = "https://main.example"
    ) throws -> EmailLink {
        EmailLink(
            keys: try DerivedKeys.parse(keys.joined(separator: ","), setting: "IDP_SECRET_KEY"),
            origin: try PublicOrigin(origin))
    }

    private static func challenge(_ random: UInt8 = 7) -> Challenge {
        let now = TestClock().now
        return Challenge(
            id: Challenge.id(Array(repeating: random, count: Challenge.randomBytes)), address: "ann@example.com",
            isEligible: true, codeMAC: [], service: nil, device: "linux", language: .english, browserID: nil,
            createdAt: now, expiresAt: now + Challenge.lifetime)
    }

    private static func key(of url: String) -> String { url.split(separator: "/").last.map(String.init) ?? "" }

    // MARK: The key

    @Test("is the public address, a path and 43 characters that no mail program has to change")
    func form() throws {
        let challenge = Self.challenge()
        let link = try Self.link(origin: "https://main.example:8443")
        let url = try #require(link.url(for: challenge))
        #expect(url.hasPrefix("https://main.example:8443/sign-in/link/"))
        let key = Self.key(of: url)
        #expect(key.utf8.count == 43)
        #expect(key.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2d || $0 == 0x5f })
        #expect(link.read(key)?.challengeID == challenge.id)
        #expect(link.read(key)?.text == key)
    }

    @Test(
        "punctuation that a mail program takes for a part of the link is ignored",
        arguments: [".", ",", ";", ")", ">", "\"", "'", " ", "\n", "\r\n", ").", ">.", "...", "\u{a0}"])
    func leftovers(text: String) throws {
        let link = try Self.link()
        let key = Self.key(of: try #require(link.url(for: Self.challenge())))
        #expect(link.read(key + text)?.text == key)
    }

    @Test("no changed, cut or longer key is accepted, and none in another spelling")
    func damaged() throws {
        let link = try Self.link()
        let key = Self.key(of: try #require(link.url(for: Self.challenge())))
        for index in key.indices {
            for other in ["A", "z", "-", "."] where String(key[index]) != other {
                #expect(link.read(key.replacingCharacters(at: index, with: other)) == nil)
            }
        }
        for length in 0..<43 { #expect(link.read(key.prefix(length)) == nil) }
        for wrong in [key + "A", key + ".A", key + "0", key + "=A", " " + key, "." + key, key + "........."] {
            #expect(link.read(wrong) == nil, "\(wrong.dropFirst(43))")
        }
        #expect(link.read(String(key.reversed())) == nil && link.read("é" + key.dropFirst()) == nil)
    }

    @Test("a key of another purpose or another secret is worthless, and one of an older secret works")
    func secrets() throws {
        let (old, new) = (TestSecret.new(), TestSecret.new())
        let challenge = Self.challenge()
        let key = Self.key(of: try #require(Self.link([old]).url(for: challenge)))
        #expect(try Self.link([new, old]).read(key)?.challengeID == challenge.id)
        #expect(try Self.link([new]).read(key) == nil)
        let reply = ChallengeKey(keys: try DerivedKeys.parse(old, setting: "IDP_SECRET_KEY"), label: "email-reply")
        #expect(try Self.link([old]).read(Base64URL.encode(reply.bytes(for: challenge.id))) == nil)
        #expect(reply.challengeID(of: Base64URL.decode(key) ?? []) == nil)
    }

    /// RFC 2045 6.7: a line longer than 76 characters gets soft breaks, which every mail program removes.
    @Test("of a long public address survives the encoding of the email")
    func longOrigin() throws {
        let link = try Self.link(origin: "https://\(String(repeating: "sign-in.", count: 12))example.com")
        let url = try #require(link.url(for: Self.challenge()))
        let wire = String(decoding: MIME.quotedPrintable("Open\n\(url)\n"), as: UTF8.self)
        #expect(wire.split(whereSeparator: \.isNewline).allSatisfy { $0.utf8.count <= 76 })
        #expect(wire.decodingQuotedPrintable().contains("\r\n\(url)\r\n"))
    }

    // MARK: The request

    @Test("stands once in each part of the email, on a line of its own, and a decoy has none")
    func email() async throws {
        try await TestDeployment.open(settings: ["IDP_ALLOWED_EMAILS": "ann@example.com"]) { deployment in
            let asking = try await deployment.askingForLink()
            let text = try #require(deployment.mailbox.all(to: "ann@example.com").first).text.decodingQuotedPrintable()
            #expect(text.ranges(of: asking.link).count == 2)
            #expect(text.split(whereSeparator: \.isNewline).contains { $0 == asking.link })
            #expect(text.contains("<a href=\"\(asking.link)\""))
            _ = try await deployment.waiting(for: "eve@example.com", by: deployment.browser())
            try await deployment.sendDueEmails()
            #expect(deployment.mailbox.all(to: "eve@example.com").isEmpty)
        }
    }

    /// ZITADEL CVE-2023-49097: the link was made from the Host of the request.
    @Test("never names the host of a request", arguments: ["evil.example", "evil.example:4000"])
    func host(name: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in")
            let fields = [("form_token", try form.formToken()), ("email", "ann@example.com")]
            let headers = [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Cookie", "idp_session=\(browser.session ?? "")"), ("X-Forwarded-Host", name),
                ("Forwarded", "host=\(name)"), ("X-Original-Host", name),
            ]
            let reply = try await HTTPProbe(port: deployment.port, authority: name)
                .post("/sign-in", headers, body: Array(FormCoding.encode(fields).utf8))
            #expect(reply.status == 303)
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.signInLink?.hasPrefix(deployment.origin + "/sign-in/link/") == true)
            #expect(!email.text.decodingQuotedPrintable().contains("evil"))
        }
    }

    @Test("leaves the address bar at once, for a cookie of ten minutes, whatever the key")
    func cookie() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            for (target, value) in [
                ("/sign-in/link/\(asking.key)", asking.key), ("/sign-in/link/\(asking.key).", asking.key),
                ("/sign-in/link/\(asking.key)?utm_source=x", asking.key), ("/sign-in/link/wrong", "-"),
            ] {
                let reply = try await deployment.probe().get(target)
                #expect(reply.status == 303)
                #expect(reply.all("location") == ["/sign-in/link"])
                #expect(reply.all("referrer-policy") == ["no-referrer"])
                #expect(reply.all("cache-control") == ["no-store"])
                #expect(
                    reply.all("set-cookie") == [
                        "idp_link=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=600"
                    ])
                let head = try await deployment.probe().send("HEAD", target)
                #expect(head.status == 303 && head.all("set-cookie").isEmpty)
                #expect(head.all("referrer-policy") == ["no-referrer"])
            }
        }
    }

    @Test("over https the cookie belongs to this host alone, and one without the prefix is ignored")
    func secureCookie() async throws {
        try await TestDeployment.open(settings: ["IDP_PUBLIC_URL": "https://localhost:4000"]) { deployment in
            let reply = try await deployment.probe().get("/sign-in/link/wrong")
            #expect(
                reply.all("set-cookie") == [
                    "__Host-idp_link=-; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"
                ])
            for (cookie, words) in [("__Host-idp_link=-", "cut it off"), ("idp_link=-", "in this browser")] {
                let page = try await deployment.probe().get("/sign-in/link", [("Cookie", cookie)])
                #expect(page.status == 410 && page.text.contains(words), "\(cookie)")
            }
        }
    }

    @Test("is no referrer, neither of the page with the code nor of an error; the page with the form sends its origin")
    func referrer() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            let elsewhere = try await asking.open(in: deployment.browser())
            #expect(elsewhere.reply.all("referrer-policy") == ["no-referrer"])
            // Under no-referrer browsers send "Origin: null" with a form, which is refused.
            #expect(try await asking.open().reply.all("referrer-policy") == ["same-origin"])
            for page in [elsewhere, try await asking.open()] {
                for tag in try page.page().tags {
                    for name in ["src", "href", "action"] {
                        #expect(tag[name]?.hasPrefix("/") ?? true, "nothing is loaded from elsewhere")
                        #expect(tag[name]?.contains(asking.key) != true)
                    }
                }
            }
            for (method, target, status) in [
                ("POST", "/sign-in/link/\(asking.key)", 405), ("GET", "/sign-in/link/\(asking.key)/x", 404),
                ("GET", "/sign-in/link/\(asking.key)%3E", 404), ("GET", "/sign-in/link/\(asking.key)/", 404),
            ] {
                let reply = try await deployment.probe().send(method, target, body: method == "POST" ? [] : nil)
                #expect(reply.status == status, "\(method) \(status)")
                #expect(reply.all("referrer-policy") == ["no-referrer"])
                #expect(!reply.text.contains(asking.key))
            }
        }
    }
}

extension String {
    fileprivate func replacingCharacters(at index: Index, with other: String) -> String {
        String(self[..<index]) + other + String(self[self.index(after: index)...])
    }
}
