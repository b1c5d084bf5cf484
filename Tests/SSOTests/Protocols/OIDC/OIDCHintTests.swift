import Foundation
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// `id_token_hint` and `prompt=none`: the code is for the user of the hint, and a frame gets a redirect or nothing.
@Suite("OpenID Connect: the hinted user, and frames", .program)
struct OIDCHintTests {
    private static func hint(_ deployment: TestDeployment, of address: String) async throws -> String {
        let browser = try await deployment.signedIn(as: address)
        let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
        return try #require(reply.json()["id_token"]?.text)
    }

    /// Types the code of the email, and follows redirects until one leads to the client.
    private static func finish(
        _ form: Visit, _ browser: Browser, as address: String, _ deployment: TestDeployment
    ) async throws -> Visit {
        let earlier = deployment.mailbox.all(to: address)
        let waiting = try await browser.ask(for: address, on: form)
        let code = try await deployment.mailbox.email(to: address, besides: earlier).code ?? ""
        return try await stopAtClient(
            browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code]), browser, deployment)
    }

    private static func stopAtClient(
        _ first: Visit, _ browser: Browser, _ deployment: TestDeployment
    ) async throws -> Visit {
        var visit = first
        while [302, 303].contains(visit.status), try visit.location().origin == deployment.origin {
            visit = try await browser.get(visit.location())
        }
        return visit
    }

    private static func error(_ visit: Visit) throws -> String? {
        #expect(visit.status == 302, "\(visit.text)")
        let location = try visit.location()
        #expect(location.query("code") == nil && location.query("state") == "s")
        return location.query("error")
    }

    /// The error that a page takes to the client. Browsers stop a redirect to the client after a form.
    private static func errorOfPage(_ visit: Visit) throws -> String? {
        #expect(visit.status == 200 && visit.reply.header("location") == nil)
        #expect(visit.text.contains("<bdi>Partner number 1</bdi> expects another account"))
        #expect(visit.reply.header("content-security-policy")?.contains("form-action 'none'") == true)
        let address = try WebAddress(try #require(try visit.page().link(containing: "error=")))
        #expect(address.query("code") == nil && address.query("state") == "s")
        #expect(visit.text.contains("content=\"2;url="), "without a script, too")
        return address.query("error")
    }

    @Test(
        "the page has the address of the hint; its user gets a code, and another one is login_required, on a page",
        arguments: [true, false])
    func signsIn(isHinted: Bool) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let hint = try await Self.hint(deployment, of: "ann@example.com")
            try await deployment.forgetEmails(to: "ann@example.com")
            let browser = deployment.browser()
            let form = try await browser.follow(
                browser.get(deployment.oidcRequest(deployment.client, ["id_token_hint": hint])))
            #expect(try form.page().form(with: "email")?["email"] == "ann@example.com")
            let address = isHinted ? "ann@example.com" : "ben@example.com"
            let end = try await Self.finish(form, browser, as: address, deployment)
            if isHinted {
                #expect(try TestedProtocol.oidc.callback(end).query("code") != nil)
            } else {
                #expect(try Self.errorOfPage(end) == "login_required")
                #expect(deployment.events("other_account_than_expected") == 1)
                // The flow has ended: Back to its page leads to the client.
                let back = try await browser.follow(browser.get(form.address))
                #expect(back.status == 410)
            }
        }
    }

    @Test(
        "a user who is signed in and goes on with another account than the hint's: login_required, whatever the request says"
    )
    func goesOn() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let hint = try await Self.hint(deployment, of: "ann@example.com")
            let ben = try await deployment.signedIn(as: "ben@example.com")
            for changes in [[:], ["prompt": "select_account"]] {
                let wishes = changes.merging(["id_token_hint": hint]) { $1 }
                for _ in 1...2 {
                    let choice = try await ben.follow(ben.get(deployment.oidcRequest(deployment.client, wishes)))
                    #expect(choice.address.path == AccountChoice.path)
                    let next = try await ben.click(choice.page().link(containing: OIDCPath.complete), on: choice)
                    #expect(try Self.errorOfPage(next) == "login_required")
                }
            }
            // A request of the same state, completed before without a hint, opens nothing for one with a hint.
            let choice = try await ben.follow(
                ben.get(deployment.oidcRequest(deployment.client, ["prompt": "select_account"])))
            let link = try choice.page().link(containing: OIDCPath.complete)
            let complete = try await ben.follow(ben.click(link, on: choice))
            #expect(try TestedProtocol.oidc.callback(complete).query("code") != nil)
            let again = try await ben.get(deployment.oidcRequest(deployment.client, ["id_token_hint": hint]))
            #expect(try again.location().path == AccountChoice.path)
        }
    }

    @Test("a hint that cannot be checked, because the database cannot be read, is no login_required")
    func unreadable() async throws {
        let interruption = Interruption()
        try await TestDeployment.open(
            clientKeys: OIDCSteps.bothProtocols, wrapping: { interruption.wrapping($0) }
        ) { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
            let hint = try #require(reply.json()["id_token"]?.text)
            let wishes = ["id_token_hint": hint, "prompt": "none"]
            interruption.afterRead(of: "FROM signing_key") { throw DatabaseError.unavailable("planted") }
            #expect(try await browser.get(deployment.oidcRequest(deployment.client, wishes)).status == 503)
            interruption.afterRead(of: "FROM signing_key") { throw DatabaseError.unavailable("planted") }
            #expect(try await browser.get("\(deployment.origin)/oidc/logout?id_token_hint=\(hint)").status == 503)
            let silent = try await browser.get(deployment.oidcRequest(deployment.client, wishes))
            #expect(try silent.location().query("code") != nil, "it is right again")
        }
    }

    @Test("a flow keeps the expected account when it is stored, and one that an earlier version has stored has none")
    func stored() throws {
        func request(_ account: String?) -> Flow.Request {
            Flow.Request(purpose: "p", subject: "s", demand: Flow.Demand(account: account), replayKey: [1])
        }
        let (now, id) = (TestClock().now, try FlowID(randomness: SystemRandomness()))
        var flows = Flows()
        try flows.begin(request("usr_a"), id: id, now: now)
        #expect(flows.pending(request("usr_a"), now: now) == id)
        #expect(flows.pending(request(nil), now: now) == nil)
        let text = String(decoding: try JSONEncoder().encode(flows), as: UTF8.self)
        let earlier = text.replacing("\"account\":\"usr_a\"", with: "\"other\":1")
        #expect(earlier != text)
        let read = try JSONDecoder().decode(Flows.self, from: Data(earlier.utf8))
        #expect(read.pending(request(nil), now: now) == id)
        flows.end(id)
        #expect(flows.ended(id)?.account == "usr_a")
    }

    @Test("a client that may not ask for addresses is shown none by its hint")
    func withoutScope() async throws {
        try await TestDeployment.open(clientKeys: "protocols: [sso, oidc], scopes: [openid]") { deployment in
            let hint = try await Self.hint(deployment, of: "ann@example.com")
            let browser = deployment.browser()
            let form = try await browser.follow(
                browser.get(deployment.oidcRequest(deployment.client, ["id_token_hint": hint])))
            #expect(try form.page().form(with: "email")?["email"] == "")
        }
    }

    @Test(
        "a hint that nobody can read names nobody: login_required with prompt=none, else the user is asked, never a code at once",
        arguments: ["x", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c3JfeCJ9.", "changed", "key is gone"])
    func unreadable(wrong: String) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let ann = try await Self.hint(deployment, of: "ann@example.com")
            if wrong == "key is gone" {
                let box = SigningKeyBox(keys: deployment.keys, randomness: SystemRandomness())
                try await deployment.make(RotateKeys(box, isAtOnce: true))
            }
            let hint = wrong == "changed" ? ann.dropLast(6) + "AAAAAA" : wrong == "key is gone" ? ann[...] : wrong[...]
            let ben = try await deployment.signedIn(as: "ben@example.com")
            let silent = try await ben.get(
                deployment.oidcRequest(deployment.client, ["id_token_hint": "\(hint)", "prompt": "none"]))
            #expect(try Self.error(silent) == "login_required")
            let asked = try await ben.get(
                deployment.oidcRequest(deployment.client, ["id_token_hint": "\(hint)"]))
            #expect(try asked.status == 303 && asked.location().path == "/sign-in/account")
        }
    }

    @Test("prompt=none by query is answered in a frame by a redirect; nothing else is, and no page and no prefetch")
    func frames() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let cookie = ("Cookie", "idp_session=\(browser.session ?? "")")
            func get(_ changes: [String: String?], _ more: HTTPProbe.Headers, _ destination: String = "iframe")
                async throws -> ProbeReply
            {
                let target = deployment.oidcRequest(deployment.client, changes).dropFirst(deployment.origin.count)
                return try await deployment.probe().get(
                    String(target), [("Sec-Fetch-Dest", destination), ("Sec-Fetch-Mode", "navigate")] + more)
            }
            for destination in ["iframe", "frame"] {
                let code = try await get(["prompt": "none"], [("Sec-Fetch-Site", "same-site"), cookie], destination)
                #expect(code.status == 302 && code.header("location")?.contains("code=soc_") == true)
                let visitor = try await get(["prompt": "none"], [("Sec-Fetch-Site", "cross-site")], destination)
                #expect(visitor.status == 302 && visitor.header("location")?.contains("error=login_required") == true)
                #expect(visitor.all("set-cookie").isEmpty)
            }
            for changes in [["response_mode": "fragment"], ["prompt": "none login"], ["max_age": "x"]] {
                let wrong = try await get(["prompt": "none"].merging(changes) { $1 }, [cookie])
                #expect(
                    wrong.status == 302 && wrong.header("location")?.contains("error=invalid_request") == true,
                    "\(changes)")
            }
            let fault = try await get(["prompt": "none", "scope": "email"], [])
            #expect(fault.status == 302 && fault.header("location")?.contains("error=invalid_scope") == true)
            let refused: [([String: String?], HTTPProbe.Headers, String)] = [
                ([:], [cookie], "iframe"), (["prompt": "login"], [cookie], "iframe"),
                (["prompt": "none", "redirect_uri": "https://evil.example/"], [cookie], "iframe"),
                (["prompt": "none", "response_mode": "form_post"], [cookie], "iframe"),
                (["prompt": "none"], [cookie, ("Sec-Purpose", "prefetch")], "iframe"),
                (["prompt": "none"], [cookie], "image"), (["prompt": "none"], [cookie], "embed"),
            ]
            for (changes, headers, destination) in refused {
                let reply = try await get(changes, headers, destination)
                #expect(reply.status == 400 && reply.header("location") == nil, "\(changes) \(destination)")
                #expect(reply.header("x-frame-options") == "DENY")
            }
        }
    }
}
