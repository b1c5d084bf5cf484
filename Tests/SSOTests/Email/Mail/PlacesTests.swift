import SSOWeb
import Testing

@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Networks with a name", .program, .alsoOnPostgres)
struct PlacesTests {
    static let setting = "10.1.2.0/24 = Lab, 10.1.0.0/16=Office Berlin,, 2001:db8::/32=Büro <Köln>"

    @Test(
        "the first network in the list that has the address gives its name",
        arguments: [
            ("10.1.2.7", "Lab"), ("10.1.3.7", "Office Berlin"), ("::ffff:10.1.3.7", "Office Berlin"), ("10.2.0.1", ""),
            ("2001:db8::7", "Büro <Köln>"), ("2001:db9::7", ""),
        ])
    func names(address: String, name: String) throws {
        #expect(try Places(Self.setting).name(of: IPAddress(address)) == name)
    }

    @Test("without a name for any network, and for an unknown address, nothing is said")
    func nothing() throws {
        #expect(try Places("").name(of: IPAddress("10.1.2.7")) == nil)
        #expect(try Places(" , ").name(of: IPAddress("10.1.2.7")) == nil)
        #expect(try Places(Self.setting).name(of: nil) == nil)
    }

    @Test(
        "an item that is not NETWORK=Name is refused by what is wrong with it",
        arguments: [
            ("10.1.0.0/16", "\"10.1.0.0/16\" has no name."),
            ("office=10.1.0.0/16", "\"office\" is not a CIDR network."),
            ("10.1.0.0/33=Office", "prefix length outside 0 to 32"), ("10.1.0.0/16=", "must not be empty"),
            ("10.1.0.0/16=A\u{7}B", "visible characters on one line"), ("=Office", "\"\" is not a CIDR network."),
            ("10.1.0.0/16=Of\u{202e}fice", "visible characters on one line"),
        ])
    func malformed(text: String, problem: String) {
        #expect {
            try Places(text)
        } throws: {
            "\($0)".contains(problem)
        }
    }

    @Test(
        "the email and the page of its link say in words where the code was asked for, in the language of the reader",
        arguments: [
            ("10.1.2.7", "en", "(Office Berlin)"), ("203.0.113.7", "en", ", outside the networks of Main App"),
            ("203.0.113.7", "de", ", außerhalb der Netze von Main App"),
        ])
    func email(client: String, language: String, words: String) async throws {
        let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8", "IDP_PLACES": "10.1.0.0/16=Office Berlin"]
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = deployment.browser(language: language)
            let from: HTTPProbe.Headers = [("X-Forwarded-For", client)]
            let form = try await browser.get(deployment.origin + "/sign-in", from)
            _ = try await browser.post(
                form.address, [("form_token", try form.formToken()), ("email", "ann@example.com")], from)
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            let parts = email.text.decodingQuotedPrintable()
            #expect(parts.ranges(of: words).count == 2, "in plain text and in HTML: \(parts)")
            let other = deployment.browser(language: language)
            let page = try await other.follow(other.get(try #require(email.signInLink)))
            #expect(page.text.contains(words), "\(page.text)")
        }
    }

    @Test("a name from the settings is text in the email's HTML")
    func escaped() async throws {
        try await TestDeployment.open(settings: ["IDP_PLACES": "127.0.0.0/8=<b>Office</b>"]) { deployment in
            _ = try await deployment.asking()
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            let parts = email.text.decodingQuotedPrintable()
            #expect(parts.ranges(of: "(<b>Office</b>)").count == 1, "in plain text")
            #expect(parts.ranges(of: "(&lt;b&gt;Office&lt;/b&gt;)").count == 1, "in HTML")
        }
    }

    @Test("without the setting the email names the device alone")
    func unset() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.asking()
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            let line = email.text.decodingQuotedPrintable().split(whereSeparator: \.isNewline)
                .first { $0.hasPrefix("Requested on ") }
            #expect(try !#require(line).contains("("))
        }
    }
}
