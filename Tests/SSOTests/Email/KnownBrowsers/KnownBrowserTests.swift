import HTTPTypes
import Hummingbird
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
@Suite("A browser that has signed in before", .program, .alsoOnPostgres)
struct KnownBrowserTests {
    @Test(
        "gets its email and signs in although others have used up its address's emails of the hour and of the day"
    )
    func emails() async throws {
        try await TestDeployment.open { deployment in
            let owner = try await deployment.knownBrowser()
            for _ in 0..<3 {
                try await deployment.attack(browsers: 6)
                deployment.clock.advance(by: .hours(2))
            }
            let unknown = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            #expect(unknown.text.contains("send a code to"))
            let asking = try await deployment.asking(by: owner)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("accepts its code while unknown browsers are paused, and has 20 guesses of its own")
    func guesses() async throws {
        try await TestDeployment.open { deployment in
            let owner = try await deployment.knownBrowser()
            try await deployment.typeWrongCodes(20)
            try await deployment.forgetEmails(to: "ann@example.com")
            let unknown = try await deployment.asking()
            #expect(unknown.waiting.text.contains("Too many wrong codes"))

            let asking = try await deployment.asking(by: owner)
            for _ in 0..<4 { #expect(try await asking.guess(asking.wrong).status == 422) }
            #expect(try await asking.guess(asking.code).status == 303)
            #expect(try await deployment.failures() == 24)
            try await owner.signOut(of: deployment)
            for _ in 0..<4 {
                deployment.clock.advance(by: .seconds(61))
                let again = try await deployment.asking(by: owner)
                for _ in 0..<5 { try await again.guess(again.wrong) }
            }
            let paused = try await owner.get(deployment.origin + "/sign-in/code")
            #expect(paused.text.contains("Too many wrong codes"), "its own budget is limited as well")
        }
    }

    @Test("has a budget of its own for the emails of one address: one per minute, five per hour")
    func ownBudget() async throws {
        try await TestDeployment.open { deployment in
            let owner = try await deployment.knownBrowser()
            for _ in 0..<7 {
                _ = try await deployment.waiting(for: "ann@example.com", by: owner)
                deployment.clock.advance(by: .minutes(5))
            }
            #expect(try await deployment.stored.emails.ofKnownBrowsers.count() == 5)
        }
    }

    @Test("is known for each address that signed in there, and for no other")
    func addresses() async throws {
        try await TestDeployment.open { deployment in
            let owner = try await deployment.knownBrowser(of: "ann@example.com")
            let ben = try await deployment.asking("ben@example.com", by: owner)
            #expect(try await ben.guess(ben.code).status == 303)
            try await owner.signOut(of: deployment)
            for address in ["ann@example.com", "ben@example.com", "cleo@example.com"] {
                try await deployment.forgetEmails(to: address)
                let asking = try await deployment.asking(address, by: owner)
                #expect(try await deployment.isKnown(asking) == (address != "cleo@example.com"), "\(address)")
            }
        }
    }

    @Test("holds a cookie that scripts and other sites cannot read, for 180 days; over https with the __Host- prefix")
    func cookie() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let done = try await asking.guess(asking.code)
            let line = try #require(done.reply.all("set-cookie").first { $0.hasPrefix("idp_device=") })
            for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=15552000"] {
                #expect(line.contains(part), "\(part)")
            }
            #expect(!line.contains("Domain"))
            let keys = try DerivedKeys.parse(TestSecret.new(), setting: "IDP_SECRET_KEY")
            let secure = KnownBrowserCookie(keys: keys, origin: try PublicOrigin("https://id.example.com"))
            var response = Response(status: .ok)
            secure.set([], in: &response)
            let header = try #require(response.headers[.setCookie])
            #expect(header.hasPrefix("__Host-idp_device=") && header.contains("; Secure"))
        }
    }

    @Test(
        "gets a new secret with every sign-in: the previous one still counts, for a lost answer, and the one before it does not"
    )
    func rotation() async throws {
        try await TestDeployment.open { deployment in
            let owner = try await deployment.knownBrowser()
            var values = [try #require(owner.device)]
            for _ in 0..<2 {
                let asking = try await deployment.asking(by: owner)
                try await asking.guess(asking.code)
                try await owner.signOut(of: deployment)
                values.append(try #require(owner.device))
                deployment.clock.advance(by: .seconds(61))
            }
            #expect(Set(values).count == 3)
            #expect(try await deployment.rows(of: "device") == 1)
            for (value, isKnown) in zip(values, [false, true, true]) {
                let browser = deployment.browser()
                browser.setCookie("idp_device", to: value, at: "localhost")
                try await deployment.forgetEmails(to: "ann@example.com")
                #expect(try await deployment.isKnown(deployment.asking(by: browser)) == isKnown)
            }
        }
    }

    @Test("is unknown with a changed, duplicated, forged, expired or revoked cookie")
    func invalid() async throws {
        try await TestDeployment.open { deployment in
            let value = try #require(try await deployment.knownBrowser().device)
            func isKnown(_ device: String) async throws -> Bool {
                let browser = deployment.browser()
                browser.setCookie("idp_device", to: device, at: "localhost")
                try await deployment.forgetEmails(to: "ann@example.com")
                return try await deployment.isKnown(deployment.asking(by: browser))
            }
            #expect(try await isKnown(value))
            let changed = (value.first == "A" ? "B" : "A") + value.dropFirst()
            for wrong in [changed, "", ".", "x", value + "A", "\(value); idp_device=\(value)"] {
                #expect(try await !isKnown(wrong), "\(wrong)")
            }
            // The database's columns of the browser do not make a cookie: secret and signature are missing.
            let id = try await deployment.stored.knownBrowsers.ids()[0]
            #expect(try await !isKnown(id + Base64URL.encode([UInt8](repeating: 0, count: 32))))
            #expect(try await isKnown(value))
            try await deployment.stored.knownBrowsers.expire()
            #expect(try await !isKnown(value))
            try await deployment.stored.deleteAll(of: "device")
            #expect(try await !isKnown(value))
        }
    }

    @Test("is one of at most twenty per address, and the least recently used one is dropped")
    func bounded() async throws {
        try await TestDeployment.open { deployment in
            let store = KnownBrowserStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness())
            var claims: [KnownBrowserCookie.Claim] = []
            for _ in 0..<22 {
                claims.append(
                    try await deployment.database.write {
                        try store.remember(EmailAddress("ann@example.com"), known: nil, $0)
                    })
                deployment.clock.advance(by: .seconds(1))
            }
            #expect(try await deployment.rows(of: "device") == 20)
            #expect(try await store.find([claims[1]], for: EmailAddress("ann@example.com")) == nil)
            #expect(try await store.find([claims[2]], for: EmailAddress("ann@example.com")) != nil)
        }
    }
}

extension TestDeployment {
    /// Whether the pending code of a browser counts against a budget of its own.
    fileprivate func isKnown(_ asking: PendingCode) async throws -> Bool {
        try await stored.challenges.newestKnownBrowser() != nil
    }
}
