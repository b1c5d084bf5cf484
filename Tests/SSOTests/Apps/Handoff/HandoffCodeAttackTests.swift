import SSOShared
import SSOWeb
import Testing

@testable import IdPApps
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Rows 191 and 192 of the threats: RFC 8252 8.1 (a second app reads the code), RFC 7636, login CSRF, replay.
@Suite("The code of a handoff, under attack", .program, .alsoOnPostgres)
struct HandoffCodeAttackTests {
    /// A user in the system browser, the app that the codes are for, and its web view.
    struct Scene: Sendable {
        let deployment: TestDeployment
        let browser, webView: Browser
        let app: HandoffApp

        /// A new code for the app: the user agrees on the page that asks.
        func code(for other: HandoffApp? = nil, in browser: Browser? = nil) async throws -> String {
            let browser = browser ?? self.browser
            let question = try await (other ?? app).begin(in: browser)
            let form = try question.page().form(to: "/auth/native/complete")
            return try await browser.submit(form, on: question).handoffCode()
        }

        /// Opens the address of the web view with these fields.
        func open(_ fields: [(String, String)], _ headers: HTTPProbe.Headers = [], in webView: Browser? = nil)
            async throws
            -> Visit
        {
            let query = FormCoding.encode(fields)
            return try await (webView ?? self.webView).get(
                "\(deployment.origin)\(HandoffApp.signInPath)?\(query)", headers)
        }
    }

    struct Attack: Sendable {
        let name: String
        let event: String
        let reason: String
        let run: @Sendable (Scene) async throws -> Visit

        init(
            _ name: String, rejected reason: String, _ run: @escaping @Sendable (Scene) async throws -> Visit
        ) {
            (self.name, event, self.reason, self.run) = (name, "handoff_code_rejected", reason, run)
        }

        init(_ name: String, refused reason: String, _ run: @escaping @Sendable (Scene) async throws -> Visit) {
            (self.name, event, self.reason, self.run) = (name, "handoff_refused", reason, run)
        }
    }

    static let attacks: [Attack] = stolen + tooLate + headers

    private static let stolen: [Attack] = [
        Attack("a stolen code without a verifier", rejected: "malformed") { try await $0.open([("code", $0.code())]) },
        Attack("a stolen code with the thief's verifier", rejected: "wrong_verifier") {
            try await $0.open([("code", $0.code()), ("verifier", CodeChallenge.makeVerifier())])
        },
        Attack("the verifier of another code", rejected: "wrong_verifier") { scene in
            let other = try scene.deployment.app()
            return try await scene.open([("code", scene.code(for: other)), ("verifier", scene.app.verifier)])
        },
        Attack("the challenge as verifier", rejected: "wrong_verifier") { scene in
            try await scene.open([("code", scene.code()), ("verifier", CodeChallenge.s256(scene.app.verifier))])
        },
        Attack("the right verifier after a wrong one", rejected: "used") { scene in
            let code = try await scene.code()
            let thief = try await scene.open([("code", code), ("verifier", CodeChallenge.makeVerifier())])
            #expect(thief.status == 400)
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("an invented code", rejected: "unknown") { scene in
            try await scene.app.present("shc_" + CodeChallenge.makeVerifier(), in: scene.webView)
        },
    ]

    private static let tooLate: [Attack] = [
        Attack("after 60 seconds", rejected: "expired") { scene in
            let code = try await scene.code()
            scene.deployment.clock.advance(by: .seconds(60))
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("after 61 seconds", rejected: "expired") { scene in
            let code = try await scene.code()
            scene.deployment.clock.advance(by: .seconds(61))
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("replayed", rejected: "used") { scene in
            let code = try await scene.code()
            #expect(try await scene.app.present(code, in: scene.deployment.webView()).status == 303)
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("cancelled after it was issued", rejected: "unknown") { scene in
            let question = try await scene.app.begin(in: scene.browser)
            let form = try question.page().form(to: "/auth/native/complete")
            let code = try await scene.browser.submit(form, on: question).handoffCode()
            let cancel = try question.page().link(containing: FlowID.cancelPath)
            #expect(try await scene.browser.click(cancel, on: question).status == 302)
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("after the user signed out of the browser", rejected: "signed_out") { scene in
            let browser = try await scene.deployment.signedIn(as: "out@example.com")
            let code = try await scene.code(in: browser)
            try await browser.signOut(of: scene.deployment)
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("after another user signed in in the browser", rejected: "signed_out") { scene in
            let browser = try await scene.deployment.signedIn(as: "first@example.com")
            let code = try await scene.code(in: browser)
            let question = try await scene.app.begin(in: browser)
            let form = try question.page().form(to: "/sign-in/account")
            #expect(try await browser.submit(form, on: question).status == 303)
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("after all sign-ins of the account were ended", rejected: "signed_out") { scene in
            let code = try await scene.code(in: scene.deployment.signedIn(as: "ended@example.com"))
            _ = try await scene.deployment.change(SignOutUser("ended@example.com"))
            return try await scene.app.present(code, in: scene.webView)
        },
        Attack("after the account was disabled", rejected: "account") { scene in
            let code = try await scene.code(in: scene.deployment.signedIn(as: "disabled@example.com"))
            _ = try await scene.deployment.change(DisableUser("disabled@example.com"))
            return try await scene.app.present(code, in: scene.webView)
        },
    ]

    /// Malformed ways to present a code, none of which uses it up.
    private static func malformed(_ code: String, _ verifier: String) -> [(String, [(String, String)])] {
        let (right, proof) = (("code", code), ("verifier", verifier))
        let cut = String(code.dropFirst(4))
        let short = String(verifier.dropLast())
        let codes: [(String, String)] = [
            ("an empty code", ""), ("a cut code", String(code.dropLast())), ("a longer code", code + "A"),
            ("no prefix", cut), ("the prefix of a token", "sst_" + cut), ("the prefix in upper case", "SHC_" + cut),
            ("a blank after the code", code + " "), ("a full-width digit", String(code.dropLast()) + "\u{ff11}"),
        ]
        let verifiers: [(String, String)] = [
            ("an empty verifier", ""), ("a verifier of 42 characters", short),
            ("a verifier of 129 characters", String(repeating: "a", count: 129)),
            ("a verifier with a blank", short + " "), ("a verifier with a full-width letter", short + "\u{ff21}"),
        ]
        let repeated: [(String, [(String, String)])] = [
            ("code twice", [right, right, proof]), ("code as a list", [right, ("code[]", code), proof]),
            ("verifier twice", [right, proof, proof]), ("no code", [proof]),
        ]
        return repeated + codes.map { ($0.0, [("code", $0.1), proof]) }
            + verifiers.map { ($0.0, [right, ("verifier", $0.1)]) }
    }

    private static let foreignHeaders: [(String, String, HTTPProbe.Headers)] =
        [
            ("in a frame", "not_a_page", [("Sec-Fetch-Dest", "iframe")]),
            ("as an image", "not_a_page", [("Sec-Fetch-Dest", "image")]),
            ("by a script", "not_a_page", [("Sec-Fetch-Mode", "cors")]),
            ("as a prefetch", "not_a_page", [("Sec-Purpose", "prefetch")]),
            ("as a prefetch of Turbo", "not_a_page", [("X-Sec-Purpose", "prefetch")]),
            ("from a link of another site", "cross_site", [("Sec-Fetch-Site", "cross-site")]),
            ("from a link of a sibling domain", "cross_site", [("Sec-Fetch-Site", "same-site")]),
            ("with the origin of another site", "cross_site", [("Origin", "https://evil.example")]),
        ]

    private static let headers: [Attack] =
        foreignHeaders.map { name, reason, headers in
            Attack(name, refused: reason) { scene in
                try await scene.app.present(scene.code(), in: scene.webView, headers)
            }
        } + [
            Attack("from the form of another site", refused: "cross_site") { scene in
                let fields = try await [("code", scene.code()), ("verifier", scene.app.verifier)]
                return try await scene.webView.post(
                    WebAddress(scene.deployment.origin + HandoffApp.signInPath), fields,
                    [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")])
            },
            Attack("from a sandboxed form of another site", refused: "cross_site") { scene in
                let fields = try await [("code", scene.code()), ("verifier", scene.app.verifier)]
                return try await scene.webView.send(
                    "POST", WebAddress(scene.deployment.origin + HandoffApp.signInPath),
                    [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "null"),
                        ("Sec-Fetch-Site", "cross-site"),
                    ], body: Array(FormCoding.encode(fields).utf8))
            },
            Attack("from a link in a message, in a browser", refused: "not_an_app") { scene in
                try await scene.app.present(scene.code(), in: scene.deployment.browser())
            },
            Attack("from a link in a message, in a browser without Sec-Fetch headers", refused: "not_an_app") { scene in
                try await Self.open(scene.code(), for: scene.app, asOldBrowserAt: scene.deployment)
            },
        ]

    /// Safari before 16.4 sends no Sec-Fetch headers.
    private static let oldSafari =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 15_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        + "Version/15.6 Mobile/15E148 Safari/604.1"

    /// Opens the link of a code in such a browser.
    private static func open(
        _ code: String, for app: HandoffApp, asOldBrowserAt deployment: TestDeployment
    ) async throws -> Visit {
        let address = try WebAddress(HandoffApp.signIn(deployment.origin, code: code, verifier: app.verifier))
        let reply = try await deployment.probe().get(
            address.target, [("User-Agent", oldSafari), ("Accept", "text/html,*/*;q=0.8")])
        return Visit(address: address, reply: reply)
    }

    @Test("no attack signs a user in, each leaves a line in the log, and the app's own code works at the end")
    func all() async throws {
        try await TestDeployment.withApps { deployment in
            let scene = Scene(
                deployment: deployment, browser: try await deployment.signedIn(), webView: deployment.webView(),
                app: try deployment.app())
            // The web view has a session with something in it, which no attack may replace.
            _ = try await scene.webView.get(deployment.authorize(deployment.client, state: "in-the-app"))
            let session = try #require(scene.webView.session)
            func check(
                _ name: String, _ event: String, _ reason: String, _ run: (Scene) async throws -> Visit
            ) async throws {
                let before = deployment.events(event, reason: reason)
                let reply = try await run(scene)
                #expect(reply.status == 400, "\(name)")
                #expect(deployment.events(event, reason: reason) == before + 1, "\(name)")
                #expect(reply.reply.header("referrer-policy") == "no-referrer", "\(name)")
                #expect(reply.reply.all("set-cookie").isEmpty && !reply.text.contains("shc_"), "\(name)")
                #expect(scene.webView.session == session, "\(name)")
                #expect(try await !scene.webView.isSignedInOnHomePage(of: deployment), "\(name)")
            }
            for attack in Self.attacks { try await check(attack.name, attack.event, attack.reason, attack.run) }
            let untouched = try await scene.code()
            for (name, fields) in Self.malformed(untouched, scene.app.verifier) {
                try await check(name, "handoff_code_rejected", "malformed") { try await $0.open(fields) }
            }
            #expect(try await scene.app.present(untouched, in: deployment.webView()).status == 303)
            let code = try await scene.code()
            deployment.clock.advance(by: .seconds(59))
            #expect(try await scene.app.present(code, in: scene.webView).status == 303)
            #expect(scene.webView.session != session)
            #expect(try await scene.webView.isSignedInOnHomePage(of: deployment))
            #expect(!deployment.log.contains("shc_") && !deployment.log.contains(scene.app.verifier))
        }
    }

    @Test("what is refused before the code is read consumes nothing: the app's own request works afterwards")
    func nothingConsumed() async throws {
        try await TestDeployment.withApps { deployment in
            let app = try deployment.app()
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let webView = deployment.webView()
            let address = try WebAddress(HandoffApp.signIn(deployment.origin, code: code, verifier: app.verifier))
            for method in ["HEAD", "PUT", "OPTIONS"] {
                let reply = try await webView.send(method, address)
                #expect(reply.status == 405 && reply.reply.header("allow") == "GET, POST", "\(method)")
            }
            for headers in [
                [("Sec-Fetch-Dest", "iframe")], [("Sec-Purpose", "prefetch")], [("Sec-Fetch-Site", "cross-site")],
            ] {
                #expect(try await app.present(code, in: webView, headers).status == 400)
            }
            #expect(try await app.present(code, in: deployment.browser()).status == 400, "in a browser")
            let old = try await Self.open(code, for: app, asOldBrowserAt: deployment)
            #expect(old.status == 400 && old.reply.all("set-cookie").isEmpty, "in an old browser")
            #expect(deployment.events("handoff_refused", reason: "not_an_app") == 2)
            #expect(deployment.events("handoff_code_rejected") == 0)
            #expect(try await app.present(code, in: webView).status == 303)
        }
    }

    @Test("HEAD of the page that issues the code, and a frame of it, issue none")
    func completePage() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = deployment.browser()
            let done = try await deployment.handOff(deployment.app(), in: browser)
            let before = deployment.events("handoff_code_issued")
            #expect(try await browser.send("HEAD", done.address).status == 405)
            for headers in [[("Sec-Fetch-Dest", "iframe")], [("Sec-Purpose", "prefetch")]] {
                #expect(try await browser.get(done.address, headers).status == 400)
            }
            for flow in ["", "?flow=", "?flow=x", "?flow=a&flow=b", "?flow[]=\(done.address.query("flow") ?? "")"] {
                let page = try await browser.get("\(deployment.origin)/auth/native/complete\(flow)")
                #expect(page.status == 404, "\(flow)")
            }
            let fields = [("flow", done.address.query("flow") ?? ""), ("form_token", "stale")]
            #expect(try await browser.post(done.address, fields).status == 403)
            #expect(deployment.events("handoff_code_issued") == before)
        }
    }

    /// RFC 8252 8.6: the second app has the scheme, so it gets what the system gives it.
    @Test(
        "a second app with the same scheme gets no code without the user, and none of its stolen codes is worth anything"
    )
    func secondApp() async throws {
        try await TestDeployment.withApps { deployment in
            let browser = try await deployment.signedIn()
            let (app, thief) = (try deployment.app(), try deployment.app())
            // Its own handoff, begun behind the user's back: a page that asks and names the app, no code.
            let question = try await thief.begin(in: browser)
            #expect(question.text.contains("com.example.app") && !question.text.contains("shc_"))
            #expect(deployment.events("handoff_code_issued") == 0)

            // The code of the real app reaches the thief first.
            let done = try await app.begin(in: browser)
            let code = try await browser.submit(
                done.page().form(to: "/auth/native/complete"), on: done
            ).handoffCode()
            let (thiefView, webView) = (deployment.webView(), deployment.webView())
            #expect(try await thief.present(code, in: thiefView).status == 400)
            #expect(try await !thiefView.isSignedInOnHomePage(of: deployment))
            // It can only end the sign-in, and the log has it. The user starts again.
            #expect(try await app.present(code, in: webView).status == 400)
            #expect(deployment.events("handoff_code_rejected", reason: "wrong_verifier") == 1)
            let again = try await app.begin(in: browser)
            let next = try await browser.submit(again.page().form(to: "/auth/native/complete"), on: again)
            #expect(try await app.present(next.handoffCode(), in: webView).status == 303)
        }
    }

    /// Keycloak CVE-2026-4325: a secret of one kind was accepted as another.
    @Test("a code is nothing but a code, and no other secret is a code")
    func kinds() async throws {
        try await TestDeployment.withApps { deployment in
            let asking = try await deployment.askingForLink()
            let browser = try await deployment.signedIn(as: "ben@example.com")
            let (app, webView) = (try deployment.app(), deployment.webView())
            let question = try await app.begin(in: browser)
            let form = try #require(try question.page().form(to: "/auth/native/complete"))
            let code = try await browser.submit(form, on: question).handoffCode()
            let token = try await browser.token(for: deployment.client, of: deployment)

            let others = [
                "token": token, "form token": form["form_token"] ?? "", "flow": form["flow"] ?? "",
                "session id": browser.session ?? "", "key of a link": asking.key, "email code": asking.code,
                "verifier": app.verifier, "access token": "sat_" + (try CodeChallenge.makeVerifier()),
            ]
            for (kind, secret) in others {
                for text in [secret, "shc_" + secret, "shc_\(secret.dropFirst(4))"] {
                    let before = deployment.events("handoff_code_rejected")
                    #expect(try await app.present(text, in: webView).status == 400, "\(kind) as code")
                    #expect(deployment.events("handoff_code_rejected") == before + 1, "\(kind) as code")
                }
            }
            for text in [code, "sst_\(code.dropFirst(4))"] {
                #expect(try await deployment.verify(text, as: deployment.client).status == 401)
                let home = try await deployment.probe().get("/", [("Cookie", "idp_session=\(text.dropFirst(4))")])
                #expect(home.header("location") == "/sign-in")
                for path in ["/auth/native/complete", SSOPath.complete] {
                    #expect(try await browser.get("\(deployment.origin)\(path)?flow=\(text)").status == 404)
                }
                let link = try await webView.follow(webView.get("\(deployment.origin)/sign-in/link/\(text)"))
                #expect(link.status == 410)
                let fields = [("form_token", text), ("name", "Mallory")]
                #expect(try await browser.post(WebAddress(deployment.origin + "/name"), fields).status == 403)
            }
            for text in [code, "sat_\(code.dropFirst(4))"] {
                let me = try await deployment.jsonApp().send("GET", "/me", token: text)
                #expect(me.status == 401 && me.apiError == "invalid_token")
                #expect(me.header("www-authenticate")?.contains("error=\"invalid_token\"") == true)
            }
            #expect(try await !webView.isSignedInOnHomePage(of: deployment))
            #expect(try await app.present(code, in: webView).status == 303)
        }
    }

    @Test("a code and its digest print as redacted, also in a dump")
    func printing() throws {
        let code = try HandoffCode(randomness: SystemRandomness())
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), dumped] {
            #expect(text.contains("redacted") && !text.contains(code.wire))
        }
        #expect(HandoffCode(wire: code.wire)?.digest == code.digest && code.wire.utf8.count == 47)
    }
}
