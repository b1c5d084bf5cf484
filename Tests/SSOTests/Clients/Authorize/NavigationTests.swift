import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// ASVS 7.6.2; RFC 9700 4.16: a token for a page that the user does not see can be collected by an attacker.
@Suite("Tokens are only issued for a page that the user opened", .program)
struct NavigationTests {
    static let hidden: [HTTPProbe.Headers] = [
        [("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Mode", "navigate")], [("Sec-Fetch-Dest", "frame")],
        [("Sec-Fetch-Dest", "embed")], [("Sec-Fetch-Dest", "object")], [("Sec-Fetch-Dest", "image")],
        [("Sec-Fetch-Dest", "script")], [("Sec-Fetch-Dest", "empty"), ("Sec-Fetch-Mode", "cors")],
        [("Sec-Fetch-Mode", "no-cors")], [("Sec-Fetch-Dest", "")], [("Sec-Fetch-Dest", "Document")],
        [("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Dest", "iframe")], [("Sec-Fetch-Dest", "document, iframe")],
        [("Sec-Purpose", "prefetch")], [("Sec-Purpose", "prefetch;prerender")], [("Purpose", "prefetch")],
        [("Sec-Purpose", "Prefetch;anonymous-client-ip")],
    ]

    @Test("a frame, a subresource, a script's request or a prefetch gets no token, and uses no pending flow")
    func refused() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let ann = try await deployment.signedIn()
            let bare = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let cookies = ann.cookies["localhost", default: [:]].map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let tokens = try await deployment.rows(of: "sso_token")
            let target = try WebAddress(WebRelyingParty.authorize(at: deployment.origin)).target
            for headers in Self.hidden {
                let reply = try await bare.get(target, headers + [("Cookie", cookies)])
                #expect(
                    reply.status == 400 && reply.all("location") == [] && !reply.text.contains("sst_"), "\(headers)")
            }
            for method in ["HEAD", "POST", "PUT", "OPTIONS"] {
                let reply = try await bare.send(method, target, [("Cookie", cookies)])
                #expect(reply.status == 405 && reply.header("allow") == "GET", "\(method)")
            }
            #expect(try await deployment.rows(of: "sso_token") == tokens)
            // A browser that sends none of these headers is not refused.
            #expect(try await bare.get(target, [("Cookie", cookies)]).text.contains("sst_"))
            #expect(try await deployment.rows(of: "sso_token") == tokens + 1)
        }
    }

    @Test("a prefetch of the continue link leaves the flow pending")
    func completePrefetched() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(WebRelyingParty.authorize(at: deployment.origin)))
            let flow = try #require(form.address.query("flow"))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let signedIn = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            // A form answered with 307 would be sent to the next host, with the code (RFC 9700 4.12).
            #expect(signedIn.status == 303)
            #expect(signedIn.reply.header("location") == "\(SSOPath.complete)?flow=\(flow)")
            let bare = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let cookies = browser.cookies["localhost", default: [:]].map { "\($0.key)=\($0.value)" }
            for headers in Self.hidden {
                let reply = try await bare.get(
                    "\(SSOPath.complete)?flow=\(flow)", headers + [("Cookie", cookies.joined(separator: "; "))])
                #expect(reply.status == 400, "\(headers)")
            }
            #expect(try await browser.follow(signedIn).text.contains("sst_"))
        }
    }
}
