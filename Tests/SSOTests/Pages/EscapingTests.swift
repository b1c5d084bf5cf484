import SSOShared
import Testing

/// ASVS 1.2.1, WSTG-INPV-01 and 02.
@Suite("Text of others is escaped")
struct EscapingTests {
    static let evil = #"</strong><script src="//evil.example/x.js">alert(1)</script><img src=x onerror='alert(1)'>"&"#

    private static func isClean(_ visit: Visit) throws -> Bool {
        let tags = try visit.page().tags
        return !visit.text.contains("<script src=\"//") && !visit.text.contains("<img")
            && tags.allSatisfy { tag in
                tag.name != "img" && (tag.name != "script" || tag["src"]?.hasPrefix("/assets/") == true)
            }
    }

    @Test("the name of a service, on the sign-in page, the code page, the home page and in the email")
    func serviceName() async throws {
        let settings = [
            "SSO_CLIENT_ID": "evil", "SSO_CLIENT_NAME": String(Self.evil.prefix(80)),
            "SSO_REDIRECT_URIS": "https://evil.example/cb", "SSO_SHARED_SECRET": ProgramPair.secret(),
        ]
        try await House.open(settings: settings) { house in
            let visitor = house.visitor()
            let query = [("client_id", "evil"), ("redirect_uri", "https://evil.example/cb"), ("state", "s")]
            let authorize = "\(house.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))"
            let form = try await visitor.follow(visitor.get(authorize))
            #expect(form.text.contains("&lt;/strong&gt;&lt;script"))
            let waiting = try await visitor.ask(for: "ann@example.com", on: form)
            let letter = try await house.letters.letter(to: "ann@example.com")
            let complete = try await visitor.enter(try #require(letter.code), on: waiting)
            for page in [form, waiting, complete] { #expect(try Self.isClean(page)) }
            #expect(complete.text.contains("&lt;/strong&gt;&lt;script"))
            house.clock.advance(by: .seconds(601))
            #expect(try await Self.isClean(house.visitor().get(house.origin + house.mailbox)))
        }
    }

    @Test("the name of a user, on the home page and the completion page")
    func personName() async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            let name = String(Self.evil.prefix(80))
            #expect(try await HomePageTests.rename(visitor, of: house, to: name).status == 303)
            let home = try await visitor.get(house.origin + "/")
            let complete = try await visitor.get(house.authorize(house.partner, state: "s"))
            for page in [home, complete] {
                #expect(try Self.isClean(page))
                #expect(page.text.contains("&lt;/strong&gt;&lt;script"))
            }
            #expect(try home.page().form(to: "/name")?["name"] == name, "and it can be edited as it was typed")
        }
    }

    @Test("text in a form that is shown again, and the address of an email")
    func typed() async throws {
        try await House.open { house in
            let visitor = house.visitor()
            let form = try await visitor.get(house.origin + "/sign-in")
            let again = try await visitor.submit(form.page().form(with: "email"), on: form, ["email": Self.evil])
            #expect(again.status == 422)
            #expect(try Self.isClean(again))
            #expect(try again.page().form(with: "email")?["email"] == Self.evil)
            let waiting = try await visitor.ask(for: "o'brien&co@example.com", on: form)
            #expect(waiting.status == 200)
            #expect(waiting.text.contains("&amp;co@example.com"))
            #expect(try waiting.page().form(with: "email")?["email"] == "o'brien&co@example.com")
        }
    }

    @Test(
        "text from a URL, on error pages",
        arguments: ["/", "/auth/sso/complete?flow=", "/sign-in?flow=", "/auth/sso/authorize?client_id="])
    func address(prefix: String) async throws {
        try await House.open { house in
            let page = try await house.visitor().get(house.origin + prefix + FormCoding.encode(Self.evil))
            #expect(try Self.isClean(page))
            #expect(!page.text.contains("evil.example"))
        }
    }
}
