import SQLiteStorage
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPMail
@testable import IdPSchema
@testable import IdPServer
@testable import IdPSignIn
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The content of the email with the code", .program, .alsoOnPostgres)
struct EmailCodeMailTests {
    private static func content(
        service: String?, device: String = "linux", language: Language = .english, brand: String = "Main App",
        after wait: Duration = .zero,
        signInLink: String? = nil, replyTo: EmailAddress? = nil
    ) async throws -> (code: String, subject: String, text: String, html: String) {
        let codes = EmailCode(keys: try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY"))
        let now = TestClock().now + wait
        let challenge = Challenge(
            id: "chl_one", address: "ann@example.com", isEligible: true,
            codeMAC: codes.mac(of: codes.code(for: "chl_one"), challenge: "chl_one"), service: service, device: device,
            language: language, browserID: nil, createdAt: now, expiresAt: now + Challenge.lifetime)
        let brand = Brand(name: brand)
        let mail = EmailCodeMail(
            challenge: { _ in challenge }, account: { _ in nil },
            pages: try IdPPages.pages(brand, assets: IdPPages.assets(brand)),
            codes: codes, issuer: try PublicOrigin("https://main.example"),
            signInLink: { _ in signInLink }, replyTo: { _ in replyTo })
        let content = try #require(try await mail.message(for: "chl_one"))
        #expect(content.language == language)
        #expect(content.replyTo == replyTo)
        return (codes.code(for: "chl_one"), content.subject, content.text, content.html)
    }

    /// ASVS 1.2.1: plain in the text part, escaped in the HTML part, with the same wording in both.
    @Test("the name of a client is text in both parts")
    func escaping() async throws {
        let content = try await Self.content(service: HostileText.markup)
        #expect(content.text.contains(HostileText.markup))
        #expect(content.html.contains("&lt;script src="))
        #expect(try !ScannedTag.scan(content.html).contains { $0.name == "script" || $0.name == "img" })
    }

    @Test(
        "both parts hold the code once, alone on a line, and the subject does not: subjects show on locked screens",
        arguments: Language.builtIn)
    func code(language: Language) async throws {
        let content = try await Self.content(service: "Partner", language: language)
        for part in [content.text, content.html] {
            #expect(part.split(whereSeparator: \.isNewline).count { $0 == content.code } == 1)
            #expect(part.ranges(of: content.code).count == 1)
        }
        #expect(!content.subject.contains(content.code))
        #expect(content.subject.contains("Partner"))
    }

    @Test("without a client it names the identity provider, and the product stands in both parts")
    func ownSignIn() async throws {
        let content = try await Self.content(service: nil, brand: "Nordlicht")
        #expect(content.subject == "Your code of 12:00:00 UTC to sign in to Nordlicht")
        #expect(content.text.hasPrefix("Nordlicht\n\nYour code to sign in to Nordlicht:\n"))
        #expect(content.html.contains("<bdi>Nordlicht</bdi>"))
    }

    @Test("English says when, from which device and for how long, and what to do if it was not you")
    func english() async throws {
        let content = try await Self.content(service: "Partner")
        let text = content.text.replacing(content.code, with: "CODE")
        #expect(
            text == """
                Main App

                Your code to sign in to Partner:

                CODE

                Requested on 21 November 2026 at 12:00 UTC from a Linux computer.
                Enter the code in the app where you started. It works once, for 10 minutes.

                Not you? You can ignore this email. Nobody can sign in without it.
                Never share the code, and enter it nowhere else.

                """)
        #expect(content.html.contains("<html lang=\"en\">"))
        #expect(!content.html.contains("<a "), "without a link there is no button")
    }

    @Test("below the code it offers the link and the answer, each only where it works")
    func threeWays() async throws {
        let link = "https://main.example/sign-in/link/\(String(repeating: "A", count: 43))"
        let reply = try EmailAddress("login+abc@reply.example")
        let all = try await Self.content(service: "Partner", signInLink: link, replyTo: reply)
        #expect(
            all.text.contains(
                """
                \(all.code)

                Or open this link in the browser where you started:
                \(link)

                Or reply to this email with the four-digit number on your screen. Never use a number that someone else gives you.

                Requested on 21 November 2026
                """))
        let button = try #require(all.html.split(separator: "<a href=\"\(link)\"").dropFirst().first)
        #expect(button.contains(">Sign in to <bdi>Partner</bdi></a>"))
        #expect(
            all.html.contains(
                "Or reply to this email with the four-digit number on your screen. Never use a number that someone else gives you."
            ))

        #expect(all.text.contains("Both work once, for 10 minutes.") && all.text.contains("only at main.example."))

        let codeOnly = try await Self.content(service: "Partner")
        for part in [codeOnly.text, codeOnly.html] {
            #expect(!part.contains("Or open") && !part.contains("Or reply") && !part.contains("sign-in/link"))
        }

        let german = try await Self.content(
            service: "Partner", language: .german, signInLink: link, replyTo: reply)
        #expect(german.text.contains("Oder öffnen Sie diesen Link in dem Browser, in dem Sie begonnen haben"))
        #expect(german.html.contains("Anmelden bei <bdi>Partner</bdi></a>"))
        for part in [german.text, german.html] {
            #expect(part.contains("Oder antworten Sie auf diese E-Mail mit der vierstelligen Zahl"))
        }
    }

    @Test("German says the same, and both parts name their language")
    func german() async throws {
        let content = try await Self.content(service: "Partner", language: .german)
        #expect(content.subject == "Ihr Code von 12:00:00 UTC zur Anmeldung bei Partner")
        #expect(content.text.contains("Angefordert am 21. November 2026 um 12:00 UTC von einem Linux-Computer aus."))
        #expect(content.text.contains("Er gilt einmal, 10 Minuten lang"))
        #expect(content.text.contains("Das waren nicht Sie?"))
        #expect(content.html.contains("<html lang=\"de\">"))
        #expect(content.html.contains("Ihr Code zur Anmeldung bei <span class=\"unit\"><bdi>Partner</bdi>:</span>"))
        for word in ["Your", "browser where", "Requested", "share"] { #expect(!content.text.contains(word), "\(word)") }
    }

    /// Mail programs fold emails with the same subject, and may put the newest below older ones.
    @Test("codes that were asked for in different seconds have different subjects", arguments: Language.builtIn)
    func subjects(language: Language) async throws {
        var subjects: [String] = []
        for seconds in [0, 1, 61] {
            subjects.append(
                try await Self.content(service: "Partner", language: language, after: .seconds(seconds)).subject)
        }
        #expect(Set(subjects).count == 3)
        #expect(subjects.allSatisfy { $0.hasSuffix(" Partner") })
        #expect(subjects[2].contains(" 12:01:01 UTC "))
    }

    @Test("a screen reader reads the code digit by digit")
    func spelledOut() async throws {
        let content = try await Self.content(service: "Partner")
        let spaced = content.code.map(String.init).joined(separator: " ")
        let label = try ScannedTag.scan(content.html).first { $0["aria-label"] != nil }
        #expect(label?["aria-label"] == spaced && label?["role"] == "img")
    }

    @Test("a name in a right-to-left script does not reorder the line around it, and the subject has no hidden marks")
    func rightToLeft() async throws {
        let name = "خدمة ١"
        let content = try await Self.content(service: name)
        #expect(content.text.contains("Your code to sign in to \u{2068}\(name)\u{2069}:"))
        #expect(content.html.contains("Your code to sign in to <span class=\"unit\"><bdi>\(name)</bdi>:</span>"))
        #expect(content.subject == "Your code of 12:00:00 UTC to sign in to \(name)")
    }

    @Test("every kind of device has words in every language")
    func devices() async throws {
        for language in Language.builtIn {
            for kind in DeviceKind.allCases {
                let text = try await Self.content(service: nil, device: kind.rawValue, language: language).text
                #expect(!text.contains("mail.device"), "\(kind)")
            }
        }
    }

    @Test(
        "the device is one of a few kinds, whatever the browser says of itself",
        arguments: [
            ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", "iphone"), ("Mozilla/5.0 (iPad; x)", "ipad"),
            ("Mozilla/5.0 (Linux; Android 15)", "android"), ("Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "windows"),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "mac"),
            ("Mozilla/5.0 (X11; CrOS x86_64)", "chromebook"),
            ("Mozilla/5.0 (X11; Linux x86_64)", "linux"), ("<b>evil</b>", "unknown"), (nil, "unknown"),
        ])
    func kind(userAgent: String?, id: String) {
        #expect(DeviceKind(userAgent: userAgent).rawValue == id)
    }

    @Test("the email speaks the language of the browser that asked last, also on the wire")
    func languageOfBrowser() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            func ask(_ language: String) async throws -> Mailbox.Email {
                let earlier = deployment.mailbox.all(to: "ann@example.com").count
                let form = try await browser.get(deployment.origin + "/sign-in")
                let token = try browser.formToken(of: form)
                _ = try await browser.post(
                    form.address, token + [("email", "ann@example.com")], [("Accept-Language", language)])
                return try await deployment.mailbox.email(to: "ann@example.com", count: earlier + 1)
            }
            let german = try await ask("de-AT,de;q=0.9,en;q=0.8")
            #expect(german.header("content-language") == "de")
            #expect(german.header("subject") == "Ihr Code von 12:00:00 UTC zur Anmeldung bei Main App")
            deployment.clock.advance(by: .seconds(60))
            let english = try await ask("en-GB")
            #expect(english.header("content-language") == "en")
            #expect(english.header("subject") == "Your code of 12:00:00 UTC to sign in to Main App")
            #expect(english.code == german.code)
        }
    }
}
