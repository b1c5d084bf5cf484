import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPOIDC
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A POST that succeeds, for every route that accepts POST.
struct SuccessfulPost: Sendable {
    /// As ``ServedPaths`` names it.
    let path: String
    /// Where the request goes.
    var sentTo: String {
        path.replacing("/sign-in/with/a-b_C.1", with: "/sign-in/with/work")
            .replacing("/auth/native/a-b_C.1", with: "/auth/native/email")
    }
    /// What the route answers.
    let status: Int
    /// The route is for programs. No browser sends a form there.
    let isForPrograms: Bool
    private let send: @Sendable (ProviderDeployment, String) async throws -> ProbeReply

    /// - Parameters:
    ///   - status: 303, unless the row says why the answer is a page.
    ///   - submit: brings a user with the given address to the form and submits it. Redirects are not followed.
    static func form(
        _ path: String, status: Int = 303,
        _ submit: @escaping @Sendable (ProviderDeployment, String) async throws -> Visit
    ) -> SuccessfulPost {
        SuccessfulPost(path: path, status: status, isForPrograms: false) { place, address in
            try await submit(place, address).reply
        }
    }

    static func program(
        _ path: String, _ status: Int,
        _ send: @escaping @Sendable (ProviderDeployment, String) async throws -> ProbeReply
    ) -> SuccessfulPost {
        SuccessfulPost(path: path, status: status, isForPrograms: true, send: send)
    }

    /// Opens a deployment in which every route can succeed.
    static func open(_ body: (ProviderDeployment) async throws -> Void) async throws {
        let proxies = ["IDP_TRUSTED_PROXIES": "127.0.0.1"]
        let settings = ProgramPaths.everyFeature.merging(HandoffApp.settings) { $1 }.merging(proxies) { $1 }
        try await ProviderDeployment.open(
            [.oidc, .apple], settings: settings, clientKeys: "\(OIDCSteps.bothProtocols), introspect: true", body)
    }

    /// The answer to a user whom no other row knows.
    func reply(at place: ProviderDeployment) async throws -> ProbeReply {
        let address = place.deployment.newAddress()
        try place.standIn(.oidc).user = .init(subject: address, email: address)
        return try await send(place, address)
    }

    static let atIdP = signIn + account + ownAccount + passkeys + appKeys + apps + programs

    static let atClient: [SuccessfulPost] = [
        .form("/sign-out") { place, address in
            let browser = place.deployment.browser()
            let complete = try await browser.signIn(at: place.client, of: place.deployment, as: address)
            let home = try await browser.follow(browser.get(complete.callback()))
            return try await browser.submit(home.page().form(to: "/sign-out"), on: home)
        },
        .program(SSOPath.logout, 200) { place, address in
            let body = SignOutMessage(
                id: "evt_\(address)", clientID: place.client.id, user: "usr_none", session: nil,
                issuedAt: place.deployment.clock.now.seconds
            ).body()
            let signature = RequestSignature.request(
                body: body, secret: try .parse(place.client.secret, setting: "secret"), label: .logout)
            return try await place.deployment.clientProbe().post(
                SSOPath.logout,
                [("Content-Type", "application/json"), (RequestSignature.headerName, signature.headerValue)], body: body
            )
        },
    ]

    private static let signIn: [SuccessfulPost] = [
        .form("/sign-in") { place, address in
            let browser = place.deployment.browser()
            let page = try await browser.beginSignIn(at: place.client)
            return try await browser.submit(page.page().form(with: "email"), on: page, ["email": address])
        },
        // Asks for another email on the code page.
        .form("/sign-in") { place, address in
            let asking = try await place.deployment.asking(address)
            place.deployment.clock.advance(by: .seconds(61))
            return try await asking.browser.submit(asking.waiting.page().form(with: "email"), on: asking.waiting)
        },
        .form("/sign-in/code") { place, address in
            let browser = place.deployment.browser()
            return try await place.deployment.begin(.emailCode, in: browser, as: address).prove(in: browser)
        },
        .form("/sign-in/link") { place, address in
            let browser = place.deployment.browser()
            return try await place.deployment.begin(.emailLink, in: browser, as: address).prove(in: browser)
        },
        .form("/sign-in/reply") { place, address in
            let browser = place.deployment.browser()
            let proof = try await place.deployment.begin(.emailReply, in: browser, as: address)
            try await proof.answer()
            return try await browser.goOn(after: proof.waiting, remembering: true)
        },
        .form("/invitation") { place, address in
            let browser = place.deployment.browser()
            try await place.deployment.invite(address)
            let page = try await browser.follow(browser.get(place.deployment.invitationLink(to: address)))
            return try await browser.submit(page.page().form(with: "email"), on: page)
        },
        .form("/sign-in/browser") { place, address in
            // With the third code of a day comes the link.
            for _ in 1...3 {
                place.deployment.clock.advance(by: .seconds(61))
                _ = try await place.deployment.asking(address)
            }
            let browser = place.deployment.browser()
            let link = try await eventually("an email with a link") {
                place.deployment.browserLink(to: address)
            }
            let page = try await browser.follow(browser.get(link))
            return try await browser.submit(page.page().form(to: "/sign-in/browser"), on: page)
        },
        .form("/sign-in/account") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let asking = place.deployment.authorize(place.client, state: "s") + "&prompt=select_account"
            let choice = try await browser.follow(browser.get(asking))
            return try await browser.submit(choice.page().form(to: "/sign-in/account"), on: choice)
        },
        .form("/sign-in/with/a-b_C.1") { place, _ in
            let browser = place.deployment.browser()
            let page = try await browser.beginSignIn(at: place.client)
            return try await browser.submit(page.page().form(to: "/sign-in/with/work"), on: page)
        },
        // The form of a provider's page.
        .form("/auth/a-b_C.1/callback") { place, _ in
            let browser = place.deployment.browser()
            let page = try await browser.beginSignIn(at: place.client)
            return try await browser.postFromOtherSite(place.standIn(.apple).visit(from: page, in: browser))
        },
    ]

    private static let account: [SuccessfulPost] = [
        .form("/sessions/end") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let asking = try await place.deployment.askingAgain(address)
            try await asking.guess(asking.code)
            let page = try await browser.get(place.deployment.origin + "/sessions")
            return try await browser.submit(page.page().form(to: "/sessions/end"), on: page)
        },
        .form("/sessions/end-others") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let asking = try await place.deployment.askingAgain(address)
            try await asking.guess(asking.code)
            let page = try await browser.get(place.deployment.origin + "/sessions")
            return try await browser.submit(page.page().form(to: "/sessions/end-others"), on: page)
        },
        .form("/auth/sso/sign-out") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let page = try await browser.get(place.deployment.signOutPage(of: place.client))
            return try await browser.submit(page.page().form(to: "/auth/sso/sign-out"), on: page)
        },
        .form(OIDCPath.signOut) { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let page = try await browser.follow(browser.get(place.deployment.origin + OIDCPath.logout))
            return try await browser.submit(page.page().form(to: OIDCPath.signOut), on: page)
        },
        // Forms of a client's page: they come again by GET.
        .form(OIDCPath.authorize) { place, _ in
            let address = try WebAddress(place.deployment.origin + OIDCPath.authorize)
            return try await place.deployment.browser().post(
                address, [("client_id", place.client.id), ("redirect_uri", place.client.callback)])
        },
        .form(OIDCPath.logout) { place, _ in
            let address = try WebAddress(place.deployment.origin + OIDCPath.logout)
            return try await place.deployment.browser().post(address, [("state", "s")])
        },
        .form("/name") { place, address in
            try await place.deployment.signedIn(as: address).rename(at: place.deployment, to: "Ann")
        },
        .form("/sign-out") { place, address in
            try await place.deployment.signedIn(as: address).signOut(of: place.deployment)
        },
        .form("/devices/end") { place, address in
            let view = try await place.deployment.webView(of: place.deployment.signedInApp(as: address))
            let home = try await view.home(of: place.deployment)
            return try await view.submit(home.page().form(to: "/devices/end"), on: home)
        },
        .form("/identities/link") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            return try await browser.pressAdd("work", on: browser.home(of: place.deployment))
        },
        .form("/identities/unlink") { place, address in
            let browser = try await place.owner(adding: .oidc, as: address)
            return try await browser.pressRemove(on: browser.home(of: place.deployment))
        },
        .form("/identities/confirm") { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            place.deployment.clock.advance(by: .minutes(11))
            let page = try await browser.follow(browser.pressAdd("work", on: browser.home(of: place.deployment)))
            return try await browser.confirm(on: place.signInAgain(browser, on: page, as: address))
        },
    ]

    private static let apps: [SuccessfulPost] = [
        .form("/auth/native/a-b_C.1") { place, _ in
            let browser = place.deployment.browser()
            let page = try await browser.get(place.deployment.app().start)
            return try await browser.submit(page.page().form(to: "/auth/native/email"), on: page)
        },
        // A page that goes on to the app by a link: Chromium applies `form-action` to the redirects after a form.
        .form("/auth/native/complete", status: 200) { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let question = try await place.deployment.app().begin(in: browser)
            return try await browser.submit(question.page().form(to: "/auth/native/complete"), on: question)
        },
        .form("/hotwire_native/sign_in") { place, address in
            let app = try place.deployment.app()
            let done = try await place.deployment.handOff(app, in: place.deployment.browser(), as: address)
            return try await app.post(done.handoffCode(), in: place.deployment.webView())
        },
    ]

    private static let programs: [SuccessfulPost] = [
        .program("/api/v1/sign-in", 202) { place, address in
            try await place.deployment.jsonApp().begin(address)
        },
        .program("/api/v1/sign-in/code", 200) { place, address in
            let app = place.deployment.jsonApp()
            let asking = try await place.deployment.asking(by: app, as: address)
            return try await app.finish(asking.challenge, asking.code)
        },
        .program("/api/v1/identities/tickets", 201) { place, address in
            try await place.linkingApp(as: address).askForTicket("work")
        },
        .program("/api/v1/identities", 201) { place, address in
            let app = try await place.linkingApp(as: address)
            return try await app.finish(place.park(app, in: place.deployment.browser()).handoffCode())
        },
        .program(SSOPath.verify, 200) { place, address in
            let browser = try await place.deployment.signedIn(as: address)
            let token = try await browser.token(for: place.client, of: place.deployment)
            return try await place.deployment.verify(token, as: place.client)
        },
        .program(SSOPath.session, 200) { place, _ in
            try await place.deployment.ask("ses_none", of: "usr_none", as: place.client)
        },
        .program(OIDCPath.token, 200) { place, address in
            try await place.oidcToken(address)
        },
        .program(OIDCPath.userInfo, 200) { place, address in
            let token = try await place.oidcToken(address).json()["access_token"]?.text ?? ""
            return try await place.deployment.oidcPost(OIDCPath.userInfo, [("access_token", token)], as: nil)
        },
        .program(OIDCPath.revoke, 200) { place, _ in
            try await place.deployment.oidcPost(OIDCPath.revoke, [("token", "soa_none")], as: place.client)
        },
        .program(OIDCPath.introspect, 200) { place, _ in
            try await place.deployment.oidcPost(OIDCPath.introspect, [("token", "soa_none")], as: place.client)
        },
        .program(SSOPath.ping, 200) { place, _ in
            try await TestDeployment.ping(
                PingQuestion(redirectURI: "x", time: 1).body(), place.client, place.deployment)
        },
        .program("/auth/mail/inbound", 200) { place, address in
            let waiting = try await place.deployment.awaitingReply(address, by: place.deployment.browser())
            return try await place.deployment.post(waiting.message().bytes)
        },
        // About a user who has no account here.
        .program("/auth/a-b_C.1/notifications", 200) { place, address in
            let body = try place.standIn(.apple).notification("consent-revoked", subject: address)
            return try await place.sendAppleNotification(body)
        },
    ]
}

extension ProviderDeployment {
    fileprivate func oidcToken(_ address: String) async throws -> ProbeReply {
        let browser = try await deployment.signedIn(as: address)
        return try await deployment.oidcToken(deployment.oidcCode(browser, client), as: client)
    }
}
