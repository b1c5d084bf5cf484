import ProbeKit
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The code form", .program, .alsoOnPostgres)
struct CodeFormTests {
    @Test(
        "text that is not a code is a form error and not a guess, and the code with spaces still works after thirty of them"
    )
    func wrongForm() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let odd = ["", "12345", "¹²³⁴⁵⁶", "+12345", "12345a", "1234567", "<script>", "123456\u{0}"]
            for typed in odd + (0..<21).map({ String(repeating: "9", count: $0 + 7) }) {
                let reply = try await asking.guess(typed)
                #expect(reply.status == 422, "\(typed)")
                #expect(reply.text.contains("The code has six digits"))
            }
            let unseen = try await asking.guess("123\u{fffc}456")
            #expect(
                unseen.status == 422
                    && unseen.text.contains("<span class=\"unit\">(<bdi>U+FFFC</bdi>),</span> at position 4."))
            #expect(try await deployment.failures() == 0)
            #expect(try await deployment.stored.challenges.tries() == 0)
            let spaced = " \(asking.code.prefix(3))-\(asking.code.suffix(3)) "
            #expect(try await asking.guess(spaced).status == 303)
        }
    }

    @Test("after a wrong code the address of the page, opened again, still knows the client and the flow")
    func openedAgain() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let page = try await browser.ask(for: "ann@example.com", on: form)
            let wrong = try await browser.submit(page.page().form(with: "code"), on: page, ["code": "12"])
            #expect(wrong.status == 422 && wrong.address.query("flow") == nil)
            let again = try await browser.get(wrong.address)
            #expect(again.text.contains("Partner number 1"))
            #expect(try again.page().form(with: "code")?["flow"] == form.address.query("flow"))
            let complete = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: again)
            #expect(try complete.token().hasPrefix("sst_"))
            // Without a client there is no flow to go on with.
            let plain = try await deployment.asking("ben@example.com")
            let own = try await plain.browser.get(plain.waiting.address)
            #expect(try own.page().form(with: "code")?["flow"] ?? "" == "")
        }
    }

    @Test("a code of one megabyte is refused unread, and the process continues")
    func megabyte() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            #expect(try await asking.guess(String(repeating: "1", count: 1 << 20)).status == 413)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("a duplicated code field is refused, whichever of the two is right")
    func doubled() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let token = try asking.browser.formToken(of: asking.waiting)
            for pair in [[asking.wrong, asking.code], [asking.code, asking.wrong], [asking.code, asking.code]] {
                let fields = token + pair.map { ("code", $0) }
                #expect(try await asking.browser.post(asking.waiting.address, fields).status == 400)
            }
            #expect(try await deployment.failures() == 0)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("the field supports autofill on phones, with a label and its error linked to it")
    func field() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let page = try await asking.guess("abc").page()
            let input = try #require(page.tags.first { $0["name"] == "code" })
            #expect(input["autocomplete"] == "one-time-code")
            #expect(input["inputmode"] == "numeric")
            #expect(input["enterkeyhint"] == "go")
            #expect(input["aria-invalid"] == "true")
            #expect(page.tags.contains { $0.name == "label" && $0["for"] == input["id"] })
            let described = try #require(input["aria-describedby"]).split(separator: " ").map(String.init)
            for id in described { #expect(page.tags.contains { $0["id"] == id }, "\(id)") }
            #expect(
                page.tags.contains { $0["role"] == "alert" && $0["id"] == described.first }, "the error comes first")
        }
    }

    /// v2board CVE-2026-39912: the answer held the code. ASVS 6.5.2, NIST SP 800-63B-4 3.1.2.2: stored as a keyed hash.
    @Test("the code is in the email only: in no page, header, log line or row")
    func secrecy() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let pages = [
                asking.waiting, try await asking.guess(asking.wrong),
                try await asking.browser.get(asking.waiting.address),
                try await asking.guess(asking.code), try await asking.browser.get(deployment.origin + "/"),
            ]
            for page in pages {
                #expect(!page.text.contains(asking.code))
                #expect(!page.reply.headers.contains { $0.value.contains(asking.code) })
            }
            #expect(!deployment.log.contains(asking.code))
            let stored = deployment.stored
            #expect(try await stored.tables(holding: asking.code).isEmpty)
            #expect(try await stored.tables(holding: "ann@example.com").contains("challenge"))
            #expect(try await stored.challenges.macLengths() == [32])
        }
    }
}
