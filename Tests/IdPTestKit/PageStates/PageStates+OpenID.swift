@testable import IdPOIDC
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: OpenID Connect

    static let openIDKeys = ["access: everyone, \(OIDCSteps.bothProtocols)"]

    static let openID: [PageState] = [
        PageState("form-post", mark: "form#continue button") { studio in
            let (deployment, browser) = (studio.deployment, studio.browser())
            let request = deployment.oidcRequest(studio.client, ["response_mode": "form_post"])
            let form = try await browser.follow(browser.get(request))
            return try await deployment.enterCode(form, in: browser, as: "ann@example.com")
        },
        PageState("form-post-error", mark: "form#continue button") { studio in
            try await studio.browser().get(
                studio.deployment.oidcRequest(studio.client, ["response_mode": "form_post", "prompt": "none"]))
        },
        PageState("other-account", mark: "#continue[href*='error=login_required']") { studio in
            let (deployment, ann) = (studio.deployment, try await studio.signedIn())
            let reply = try await deployment.oidcToken(deployment.oidcCode(ann), as: studio.client)
            let browser = studio.browser()
            let request = deployment.oidcRequest(studio.client, ["id_token_hint": try reply.json()["id_token"]?.text])
            let form = try await browser.follow(browser.get(request))
            return try await deployment.enterCode(form, in: browser, as: "other-\(studio.address)")
        },
        PageState("flow-elsewhere", 404, mark: "main a[href^='http']") { studio in
            let asked = try await studio.browser().get(studio.deployment.oidcRequest(studio.client))
            return try await studio.browser().get(asked.location())
        },
        PageState("openid-logout", mark: "form[action='\(OIDCPath.signOut)'] button") { studio in
            let browser = try await studio.signedIn()
            return try await browser.follow(browser.get(studio.origin + OIDCPath.logout))
        },
    ]
}
