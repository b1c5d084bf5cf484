import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The switch below the pages, and its cookie.
@Suite("The language that a user has chosen", .program)
struct LanguageChoiceTests {
    /// The address of the switch to a language on a page, as the browser follows it.
    private static func link(_ language: String, on visit: Visit) throws -> String? {
        try visit.page().tags.first { $0.name == "a" && $0["hreflang"] == language }?["href"]
    }

    private static func language(_ visit: Visit) throws -> String? {
        try visit.page().tags.first { $0.name == "html" }?["lang"]
    }

    private static func switching(to language: String, on visit: Visit, in browser: Browser) async throws -> Visit {
        try await browser.follow(browser.click(link(language, on: visit), on: visit))
    }

    @Test("keeps the pending sign-in: chosen on the sign-in page, it counts on all pages that follow and in the emails")
    func signIn() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            #expect(try Self.language(form) == "en" && Self.link("en", on: form) == nil)
            let href = try #require(try Self.link("de", on: form))
            let chosen = try await browser.click(href, on: form)
            #expect(chosen.status == 302)
            #expect(chosen.reply.all("location") == [form.address.target], "the same page, with the same flow")
            #expect(
                chosen.reply.all("set-cookie") == ["language=de; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000"])
            let german = try await browser.follow(chosen)
            #expect(german.address == form.address)
            #expect(try Self.language(german) == "de" && german.reply.header("content-language") == "de")
            #expect(german.reply.header("vary") == "Accept-Language, Cookie")
            #expect(try german.page().form(with: "email")?["flow"] == form.page().form(with: "email")?["flow"])

            let waiting = try await browser.ask(for: "ann@example.com", on: german)
            #expect(try Self.language(waiting) == "de")
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.header("content-language") == "de")
            // On the page of the code in the other direction, which loses neither the code nor the flow.
            let english = try await Self.switching(to: "en", on: waiting, in: browser)
            #expect(english.address == waiting.address)
            #expect(try Self.language(english) == "en" && english.page().form(with: "code") != nil)
            let complete = try await browser.enter(#require(email.code), on: english)
            #expect(try complete.token().hasPrefix("sst_"))
            #expect(try Self.language(complete) == "en")
        }
    }

    @Test(
        "is offered on the pages that a GET shows again, in both programs, and not on errors, refused forms and completion"
    )
    func pages() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let (origin, client) = (deployment.origin, deployment.client.origin)
            for address in [
                "\(origin)/signed-out", "\(origin)/sign-in", "\(client)/", origin + deployment.mailboxPage,
                origin + deployment.linkTester,
            ] {
                let page = try await browser.get(address)
                let german = try await Self.switching(to: "de", on: page, in: browser)
                #expect(german.address == page.address && german.status == 200)
                #expect(try Self.language(german) == "de", "\(address)")
                let english = try await Self.switching(to: "en", on: german, in: browser)
                #expect(try Self.language(english) == "en", "\(address)")
            }
            let form = try await browser.beginSignIn(at: deployment.client)
            let refused = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann"])
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            for page in [
                refused, complete, try await browser.get(origin + "/nowhere"),
                try await browser.get(origin + "/sign-in/browser"),
            ] { #expect(!page.text.contains("set_language"), "\(page.address.absolute)") }
            for (path, language) in [("/", "de"), ("/sessions", "en"), ("/activity", "de")] {
                let chosen = try await Self.switching(to: language, on: browser.get(origin + path), in: browser)
                #expect(try chosen.address.path == path && Self.language(chosen) == language)
            }
            #expect(try await Self.language(browser.get(origin + "/nowhere")) == "de", "errors follow the choice")
        }
    }

    /// The address that a browser is sent to must be the request's own, whatever that is.
    @Test("no request makes it a redirect to another site or another page")
    func openRedirect() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for target in [
                "//evil.example/?set_language=de", "//evil.example?set_language=de", "/\\evil.example?set_language=de",
                "/%2fevil.example?set_language=de", "/.//evil.example?set_language=de",
                "/sign-in/..//evil.example?set_language=de",
                "http://evil.example/?set_language=de", "/\t/evil.example?set_language=de",
                "/@evil.example?set_language=de",
                "/;//evil.example?set_language=de",
            ] {
                let reply = try? await probe.get(target)
                #expect(reply?.header("location") == nil, "\(target)")
                #expect(reply?.header("set-cookie")?.hasPrefix("language=") != true, "\(target)")
            }
            // A parameter is never an address.
            for (query, kept) in [
                ("next=//evil.example&set_language=de", "?next=//evil.example"), ("set_language=de", ""),
                ("a=%0d%0aSet-Cookie:x&set_language=de&b=%2f%2f", "?a=%0d%0aSet-Cookie:x&b=%2f%2f"),
                ("set_language=de&flow=x&flow=y", "?flow=x&flow=y"),
                ("x=set_language=en&set_language=de", "?x=set_language=en"),
            ] {
                let reply = try await probe.get("/sign-in?\(query)")
                #expect(reply.status == 302 && reply.all("location") == ["/sign-in\(kept)"], "\(query)")
            }
        }
    }

    @Test(
        "chooses nothing and changes no cookie: other languages, two at once, other methods, other sites, frames, prefetches",
        .oneDeployment)
    func ignored() async throws {
        let deployment = try TestDeployment.shared()
        let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
        for query in [
            "set_language=fr", "set_language=", "set_language", "set_language=DE", "set_language=de-AT",
            "set_language=de%20",
            "set_language=de&set_language=en", "set_language=de&set_language=de", "SET_LANGUAGE=de",
            "set_language=dede",
        ] {
            let reply = try await probe.get("/sign-in?\(query)")
            #expect(reply.status == 200 && reply.header("content-language") == "en", "\(query)")
            #expect(!reply.all("set-cookie").contains { $0.hasPrefix("language=") }, "\(query)")
        }
        for headers: HTTPProbe.Headers in [
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Dest", "iframe")],
            [("Sec-Fetch-Dest", "image")], [("Sec-Fetch-Mode", "cors")], [("Sec-Purpose", "prefetch")],
            [("X-Sec-Purpose", "prefetch")],
        ] {
            let reply = try await probe.get("/sign-in?set_language=de", headers)
            #expect(reply.status == 200 && reply.header("content-language") == "en", "\(headers)")
        }
        for method in ["HEAD", "POST", "PUT"] {
            let reply = try await probe.send(method, "/sign-in?set_language=de")
            #expect(reply.status != 302 && !reply.all("set-cookie").contains { $0.hasPrefix("language=") }, "\(method)")
        }
        let page = try await probe.get("/sign-in?x=AAAAAAAAAAAAAAAAAAAAAA&set_language=fr")
        #expect(page.text.contains("href=\"/sign-in?x=AAAAAAAAAAAAAAAAAAAAAA&amp;set_language=de\""), "\(page.text)")
    }

    @Test("what the relying party shows to programs, and an address that is too long, choose nothing", .oneDeployment)
    func notPages() async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        let long = "/?x=\(String(repeating: "a", count: 8192))"
        for (origin, path) in [
            (deployment.client.origin, "/api/session"), (deployment.client.origin, "/healthz"),
            (deployment.client.origin, "/auth/sso/callback"), (deployment.client.origin, "/nowhere"),
            (deployment.client.origin, long), (deployment.origin, long), (deployment.origin, "/oidc/jwks"),
        ] {
            let plain = try await browser.get(origin + path)
            let chosen = try await browser.get(origin + path + (path == long ? "&" : "?") + "set_language=de")
            #expect(chosen.status == plain.status && chosen.status != 302, "\(path.prefix(30))")
            #expect(!chosen.reply.all("set-cookie").contains { $0.hasPrefix("language=") }, "\(path.prefix(30))")
        }
    }

    /// Cookie tossing: another host of the domain sets a second cookie, or another one.
    @Test(
        "a cookie with any other value, or a second one, counts as none",
        .oneDeployment,
        arguments: [
            "language=fr", "language=", "language=<script>", "language=de; language=en", "language=en; language=de",
            "language=de; language=de", "__Host-language=de", "Language=de", "language=de-AT", "language=dedededede",
            "xlanguage=de",
        ])
    func cookies(value: String) async throws {
        let probe = HTTPProbe(port: try TestDeployment.shared().port, authority: "localhost:4000")
        let reply = try await probe.get("/sign-in", [("Cookie", value)])
        #expect(reply.header("content-language") == "en" && !reply.text.contains("<script>"))
        let german = try await probe.get("/sign-in", [("Cookie", "a=b; language=de"), ("Accept-Language", "en")])
        #expect(german.header("content-language") == "de")
    }

    @Test("over https the cookie has the prefix that no other host and no plain connection can set")
    func https() async throws {
        let cookie = BrowserCookie(name: "language", origin: try PublicOrigin("https://id.example.com"))
        #expect(cookie.name == "__Host-language")
    }

    @Test("the address of the switch is the page's own, byte for byte, and a path that is not plain has no switch")
    func address() {
        let vectors: [(String, String?)] = [
            ("/", "/"), ("/?", "/"), ("/sign-in?flow=a%2Fb&&x", "/sign-in?flow=a%2Fb&&x"), ("/a?set_language=de", "/a"),
            ("/a?x=1&set_language=de&y=2", "/a?x=1&y=2"), ("//evil.example", nil), ("/a//b", nil), ("/a/../b", nil),
            ("/\\evil.example", nil), ("https://evil.example/", nil), ("", nil), ("*", nil),
        ]
        for (target, address) in vectors {
            let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost:4000", path: target)
            #expect(
                LanguageSwitch.address(of: Request(head: head, body: .init(buffer: ByteBuffer()))) == address,
                "\(target)"
            )
        }
    }
}
