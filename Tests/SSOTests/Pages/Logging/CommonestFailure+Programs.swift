import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension CommonestFailure {
    static let providers = [
        CommonestFailure(
            "The button of a provider leads to an error",
            Way("provider_unavailable", ["reason": "token_endpoint_unreachable"], in: .provider) {
                deployment, browser in
                try deployment.standIn(.oidc).replace(.token) { _ in .bytesThenClose([]) }
                return .page(try await deployment.afterProvider(in: browser))
            },
            Way("provider_faulty", ["reason": "token_endpoint_json"], in: .provider) { deployment, browser in
                try deployment.standIn(.oidc).replace(.token) { _ in .json("{\"id_token\":") }
                return .page(try await deployment.afterProvider(in: browser))
            }),
        CommonestFailure(
            "The user comes back from a provider and is not signed in",
            Way("provider_answer_refused", ["reason": "attempt_expired"], in: .provider) { deployment, browser in
                .page(try await deployment.afterProvider(in: browser, takingItsTime: .minutes(10)))
            },
            Way("provider_answer_refused", ["reason": "address_not_allowed"], in: .provider) { deployment, browser in
                try deployment.standIn(.oidc).user.email = "zoe@nowhere.org"
                return .page(try await deployment.afterProvider(in: browser))
            }),
    ]

    static let clients = [
        CommonestFailure(
            "The user may not open one service",
            Way("access_refused", ["client": "partner-2"], in: .group) { deployment, browser in
                _ = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
                try await deployment.sendDueEmails()
                _ = try await browser.beginSignIn(at: deployment.clients[1])
                return .user("ann@example.com")
            }),
        CommonestFailure(
            "An error in place of the sign-in page",
            Way(
                "authorize_refused",
                ["cause": "redirect_uri_not_registered", "nearest_redirect_uri": WebRelyingParty.redirectURI],
                in: .settings(WebRelyingParty.settings)
            ) { deployment, browser in
                let wrong = WebRelyingParty.authorize(
                    at: deployment.origin, redirect: WebRelyingParty.redirectURI + "/")
                return .page(try await browser.get(wrong))
            },
            // The page is the client's, and so is its reference.
            Way("authorize_refused", ["cause": "prompt_unknown", "client": "partner-1"]) { deployment, browser in
                let state = try await browser.state(at: deployment.client)
                let wrong = deployment.authorize(deployment.client, state: state) + "&prompt=later"
                return .page(try await browser.follow(browser.get(wrong)))
            }),
        CommonestFailure(
            "An error at the service, after the sign-in",
            Way("verify_refused", ["cause": "expired"]) { deployment, browser in
                let complete = try await browser.signIn(
                    at: deployment.client, of: deployment, as: "ann@example.com")
                deployment.clock.advance(by: .minutes(5))
                return .page(try await browser.follow(browser.get(complete.callback())))
            },
            Way(
                "verify_refused",
                ["cause": "token_of_other_client", "client": "partner-2", "issued_to": "partner-1"], in: .group
            ) { deployment, browser in
                let complete = try await browser.signIn(
                    at: deployment.client, of: deployment, as: "ann@example.com")
                try await deployment.sendDueEmails()
                _ = try await deployment.verify(complete.token(), as: deployment.clients[1])
                return .user("ann@example.com")
            },
            // No part of such a request is trusted, so it has no flow.
            Way(
                "verify_refused", ["cause": "signature_wrong"],
                in: .clientSettings(["SSO_SHARED_SECRET": TestSecret.new()])
            ) { deployment, browser in
                let complete = try await browser.signIn(
                    at: deployment.client, of: deployment, as: "ann@example.com")
                _ = try await browser.follow(browser.get(complete.callback()))
                return .client(deployment.client.id)
            }),
        CommonestFailure(
            "The sign-in \"was started in another browser\" at the service",
            Way("request_refused", ["code": "unknown_state"], at: "partner-1") { deployment, browser in
                let complete = try await browser.signIn(
                    at: deployment.client, of: deployment, as: "ann@example.com")
                return .page(try await deployment.browser().get(complete.callback()))
            }),
    ]

    static let requests = [
        CommonestFailure(
            "The page \"has expired\" after a button was pressed",
            Way("request_refused", ["code": "stale_form"]) { deployment, browser in
                let form = try await browser.beginSignIn(at: deployment.client)
                let other = deployment.browser()
                _ = try await other.get(deployment.origin + "/sign-in")
                return .page(try await other.ask(for: "ann@example.com", on: form))
            },
            Way("request_refused", ["code": "no_cookie"]) { deployment, browser in
                let form = try await browser.beginSignIn(at: deployment.client)
                return .page(try await browser.withoutCookies().ask(for: "ann@example.com", on: form))
            }),
        CommonestFailure(
            "A form \"was sent from another address\", or from a hidden one",
            Way("request_refused", ["code": "other_site", "cause": "form_of_other_site"]) { deployment, browser in
                let form = try await browser.beginSignIn(at: deployment.client)
                return .page(
                    try await browser.post(
                        form.address.resolving("/sign-in"), [("email", "ann@example.com")],
                        [("Sec-Fetch-Site", "cross-site")]))
            },
            Way("request_refused", ["code": "origin_hidden", "cause": "origin_null_referrer_policy"]) {
                deployment, browser in
                let form = try await browser.beginSignIn(at: deployment.client)
                return .page(
                    try await browser.send(
                        "POST", form.address.resolving("/sign-in"),
                        [
                            ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "null"),
                            ("Sec-Fetch-Site", "none"),
                        ], body: Array("email=ann%40example.com".utf8)))
            }),
        CommonestFailure(
            "\"Too many requests\"",
            Way("request_refused", ["code": "rate_limited"], in: .limit("IDP_LIMIT_CODE_POSTS", "1")) {
                deployment, browser in
                let pending = try await deployment.asked(by: browser)
                try await pending.type(pending.wrong)
                return .page(try await pending.type(pending.code))
            },
            Way("mail_not_sent", ["reason": "network_limit"], in: .limit("IDP_LIMIT_EMAIL_POSTS", "1")) {
                deployment, browser in
                _ = try await deployment.waiting(for: "ben@example.com", by: deployment.browser())
                return .page(
                    try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client)))
            }),
        CommonestFailure(
            "\"Page not found\"",
            Way("request_refused", ["code": "not_found", "path": "/sign-inn"]) { deployment, browser in
                .page(try await browser.get(deployment.origin + "/sign-inn?token=secret"))
            }),
        CommonestFailure(
            "\"Something went wrong\", with a reference",
            Way("request_failed") { deployment, browser in
                let authorize = deployment.authorize(deployment.client, state: "a-state")
                await deployment.database.close()
                return .page(try await browser.get(authorize))
            }),
    ]
}

extension TestDeployment {
    /// Goes from the client to the provider, and back with its answer.
    fileprivate func afterProvider(in browser: Browser, takingItsTime span: Duration = .zero) async throws -> Visit {
        let answer = try await standIn(.oidc).visit(from: browser.beginSignIn(at: client), in: browser)
        clock.advance(by: span)
        return try await browser.follow(browser.bring(answer))
    }
}
