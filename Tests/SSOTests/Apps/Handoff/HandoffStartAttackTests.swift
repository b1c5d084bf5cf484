import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit

/// RFC 9700 4.1, RFC 8252 8.1: the browser goes to a registered redirect URI only, byte for byte, and a code needs a
/// challenge.
@Suite("The start of a handoff, under attack", .program, .alsoOnPostgres)
struct HandoffStartAttackTests {
    private static let challenge = CodeChallenge.s256(String(repeating: "v", count: 43))

    /// Redirect URIs that are not registered, and what the log says of each.
    static let redirects: [(String, String)] =
        [
            "com.example.other:/callback", "https://evil.example/callback", "javascript:alert(1)",
            "javascript://com.example.app/%0aalert(1)", "intent:#Intent;scheme=x;end", "intent://x#Intent;end",
            "data:text/html,x", "vbscript:x", "file:///etc/passwd", "about:blank", "blob:https://evil.example/x",
            "COM.EXAMPLE.APP:/callback", "Com.example.app:/callback", "com.example.app:/Callback",
            "com.example.app:/callback/", "com.example.app:/callback?", "com.example.app:/callback#",
            "com.example.app:/callback?x=1", "com.example.app://callback", "com.example.app:callback",
            "com.example.app:/%63allback", "com.example.app:/x/../callback", " com.example.app:/callback",
            "com.example.app:/callback ", "com.example.app:/callback\t", "com.example.app:/callback\r\nX: y",
            "com.example.app:/callback\u{0}", "com.example.app.evil:/callback", "com.example.app", "",
            "https://app.example.com/native", "https://app.example.com/native?kept=1&x=2",
            "https://app.example.com:443/native?kept=1", "https://APP.example.com/native?kept=1",
            "https://app.example.com@evil.example/native?kept=1",
            #"https://evil.example\@app.example.com/native?kept=1"#,
            "https://app.example.com./native?kept=1", "http://app.example.com/native?kept=1",
            "//app.example.com/native?kept=1", "/callback", "https://app.example.com/native?kept=\u{ff11}",
        ].map { ($0, "redirect_not_registered") }

    @Test(
        "a redirect URI that is not registered gets a page that neither redirects nor links there, and a line in the log"
    )
    func redirectURIs() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = deployment.browser()
            func check(_ query: String, reason: String, _ comment: Comment) async throws {
                let before = deployment.events("handoff_refused", reason: reason)
                let page = try await browser.get("\(deployment.origin)/auth/native/email?\(query)")
                #expect(page.status == 400 && page.reply.header("location") == nil, comment)
                #expect(try page.page().links.allSatisfy { $0 == "/" } && page.page().forms.isEmpty, comment)
                #expect(deployment.events("handoff_refused", reason: reason) == before + 1, comment)
            }
            for (redirect, reason) in Self.redirects {
                let fields = [("challenge", Self.challenge), ("redirect", redirect)]
                try await check(FormCoding.encode(fields), reason: reason, "\(redirect)")
            }
            let good = FormCoding.encode([("challenge", Self.challenge), ("redirect", HandoffApp.redirect)])
            try await check("challenge=\(Self.challenge)", reason: "redirect_missing", "missing")
            for twin in ["&redirect=x", "&redirect[]=x", "&redirect%5B0%5D=x", "&redirect=com.example.app:/callback"] {
                try await check(good + twin, reason: "redirect_repeated", "\(twin)")
            }
            for raw in ["redirect=%zz", "redirect=com.example.app:/callback%"] {
                try await check("challenge=\(Self.challenge)&\(raw)", reason: "redirect_malformed", "\(raw)")
            }
            #expect(try await deployment.rows(of: "handoff") == 0 && browser.session == nil)
            #expect(try await browser.get("\(deployment.origin)/auth/native/email?\(good)").status == 200)
        }
    }

    static let challenges: [(String, String)] = [
        ("", "challenge_missing"), ("&challenge=", "challenge_malformed"),
        ("&challenge=\(challenge.dropLast())", "challenge_malformed"),
        ("&challenge=\(challenge)A", "challenge_malformed"),
        ("&challenge=\(challenge.dropLast())%3D", "challenge_malformed"),
        ("&challenge=\(challenge.dropLast())%2B", "challenge_malformed"),
        ("&challenge=\(String(repeating: "\u{ff21}", count: 43))", "challenge_malformed"),
        ("&challenge=%zz", "challenge_malformed"),
        ("&challenge=\(challenge)&challenge=\(challenge)", "challenge_repeated"),
        ("&challenge=\(challenge)&challenge[]=x", "challenge_repeated"),
        ("&challenge=\(challenge)&challenge_method=plain", "challenge_method_not_s256"),
        ("&challenge=\(challenge)&challenge_method=s256", "challenge_method_not_s256"),
        ("&challenge=\(challenge)&challenge_method=", "challenge_method_not_s256"),
    ]

    @Test("a challenge that is missing or malformed takes the user back to the app with invalid_request")
    func challengeFields() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = deployment.browser()
            let start = deployment.origin + "/auth/native/email?redirect=com.example.app%3A%2Fcallback"
            for (fields, reason) in Self.challenges {
                let before = deployment.events("handoff_refused", reason: reason)
                let back = try await browser.get(FormCoding.ascii(start + fields))
                #expect(back.status == 302, "\(fields)")
                let location = back.reply.header("location") ?? ""
                #expect(location.hasPrefix("com.example.app:/callback?error=invalid_request&"), "\(fields)")
                #expect(deployment.events("handoff_refused", reason: reason) == before + 1, "\(fields)")
            }
            #expect(try await deployment.rows(of: "handoff") == 0 && browser.session == nil)
            let good = "&challenge=\(Self.challenge)&challenge_method=S256"
            #expect(try await browser.get(start + good).status == 200)
        }
    }

    @Test("a frame, an image, a prefetch and a HEAD begin nothing, and no method has another name")
    func notAPage() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let refused = [
                [("Sec-Fetch-Dest", "iframe")], [("Sec-Fetch-Dest", "image")], [("Sec-Fetch-Mode", "no-cors")],
                [("Sec-Purpose", "prefetch")], [("Purpose", "prefetch")], [("Sec-Purpose", "prefetch;prerender")],
            ]
            for headers in refused { #expect(try await browser.get(app.start, headers).status == 400) }
            #expect(deployment.events("handoff_refused", reason: "not_a_page") == refused.count)
            let head = try await browser.send("HEAD", WebAddress(app.start))
            #expect(head.status == 200 && browser.session == nil)
            for name in ["Email", "google", "emai", "email.html", "email%00"] {
                let address = app.start.replacing("/auth/native/email", with: "/auth/native/\(name)")
                let status = try await browser.get(address).status
                #expect(status == 400 || status == 404, "\(name)")
            }
            #expect(try await deployment.rows(of: "session") == 0)
            #expect(try await deployment.rows(of: "handoff") == 0)
            #expect(try await app.begin(in: browser).address.path == "/sign-in")
        }
    }

    @Test("the form needs the token of this browser, and checks app and challenge again")
    func form() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let page = try await browser.get(app.start)
            let form = try #require(try page.page().form(to: "/auth/native/email"))
            for (values, status, reason) in [
                (["form_token": "stale"], 403, "stale_form"), (["redirect": "evil:/x"], 400, "redirect_not_registered"),
                (["redirect": "javascript:alert(1)"], 400, "redirect_not_registered"),
                (["challenge": "short"], 400, "challenge_malformed"),
            ] {
                let before = deployment.events("handoff_refused", reason: reason)
                let reply = try await browser.submit(form, on: page, values)
                #expect(reply.status == status && reply.reply.header("location") == nil, "\(values)")
                #expect(deployment.events("handoff_refused", reason: reason) == before + 1, "\(values)")
            }
            #expect(try await deployment.browser().submit(form, on: page).status == 403, "of another browser")
            let foreign = try await browser.post(
                page.address, form.filled([:]), [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
            #expect(foreign.status == 403)
            #expect(try await deployment.rows(of: "handoff") == 0)
            #expect(try await browser.submit(form, on: page).status == 303)
        }
    }

    @Test("an app that was removed from the settings gets no code for what it began before")
    func removed() async throws {
        try await TestDeployment.withApps { deployment in
            let (browser, app) = (deployment.browser(), try deployment.app())
            let page = try await app.begin(in: browser)
            try await deployment.stored.handoffs.setReturnAddress("com.example.removed:/callback")
            let end = try await deployment.enterCode(page, in: browser, as: "ann@example.com")
            #expect(end.status == 400 && !end.text.contains("com.example.removed"))
            #expect(deployment.events("handoff_refused", reason: "redirect_not_registered") == 1)
            #expect(deployment.events("handoff_code_issued") == 0)
        }
    }

    @Test("without a registered app no redirect URI is accepted")
    func none() async throws {
        try await TestDeployment.open { deployment in
            let reply = try await deployment.browser().get(deployment.app().start)
            #expect(reply.status == 400)
        }
    }
}

extension FormCoding {
    /// An address with its non-ASCII bytes percent-encoded.
    fileprivate static func ascii(_ text: String) -> String {
        text.utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : encode(byte: $0) }.joined()
    }

    private static func encode(byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
