import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit

/// `/auth/native/PROVIDER`: the app opens the system browser, the user signs in at a provider there.
@Suite("A handoff with a provider", .program, .alsoOnPostgres)
struct ProviderHandoffTests {
    @Test(
        "an app signs in with each kind of provider, from the start to the code, and new_user is true the first time",
        arguments: Provider.Kind.allCases)
    func journey(kind: Provider.Kind) async throws {
        try await ProviderDeployment.open([kind], settings: HandoffApp.settings) { providers in
            let (deployment, standIn) = (providers.deployment, try providers.standIn(kind))
            for isNew in [true, false] {
                let (browser, webView, app) = (deployment.browser(), deployment.webView(), try deployment.app())
                let page = try await app.begin(with: kind.testID, in: browser)
                #expect(page.address.path == "/sign-in/with/\(kind.testID)" && page.status == 200)
                let done = try await providers.arrive(page, kind, in: browser)
                #expect(done.address.path == "/auth/native/complete")
                let callback = try done.appCallback()
                #expect(callback.hasPrefix("\(HandoffApp.redirect)?code=shc_"))
                #expect(callback.hasSuffix("&new_user=\(isNew)"))
                #expect(try await app.present(done.handoffCode(), in: webView).status == 303)
                let session = try await webView.get(deployment.origin + "/api/v1/session")
                #expect(session.text.contains("\"methods\":[\"\(kind.testMethod)\"]"), "\(session.text)")
            }
            #expect(deployment.events("handoff_signed_in") == 2)
            #expect(standIn.problems.isEmpty, "\(standIn.problems)")
        }
    }

    @Test("a name of no provider is 404, whatever the fields, and begins nothing")
    func unknownNames() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let (deployment, app) = (providers.deployment, try providers.deployment.app())
            let browser = deployment.browser()
            for name in ["google", "Work", "work2", "wor", "work%00", "work.html", "provider"] {
                let page = try await browser.get(HandoffApp.start(deployment.origin, app.fields, with: name))
                #expect(page.status == 404 || page.status == 400, "\(name)")
                let address = try WebAddress("\(deployment.origin)/auth/native/\(name)")
                let status = try await browser.post(address, app.fields).status
                #expect(status == 404 || status == 400, "\(name)")
            }
            #expect(try await deployment.rows(of: "handoff") == 0 && browser.session == nil)
        }
    }

    @Test("Cancel at the provider ends at the sign-in page of the handoff, and the user goes on by email there")
    func cancelled() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let (browser, app) = (deployment.browser(), try deployment.app())
            let page = try await app.begin(with: "work", in: browser)
            let signIn = try await providers.arrive(page, in: browser, isAllowed: false)
            #expect(signIn.address.path == "/sign-in" && signIn.address.query("flow") != nil)
            #expect(signIn.text.contains("com.example.app"))
            let done = try await deployment.enterCode(signIn, in: browser, as: "ben@example.com")
            #expect(try done.appCallback().hasSuffix("&new_user=true"))
            #expect(try await app.present(done.handoffCode(), in: deployment.webView()).status == 303)
        }
    }

    @Test("a provider that is down leaves the way by email, in the same handoff")
    func down() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let (browser, app) = (deployment.browser(), try deployment.app())
            try providers.standIn(.oidc).stop()
            let page = try await app.begin(with: "work", in: browser)
            #expect(page.status == 503)
            let link = try page.page().link(containing: "/sign-in?flow=")
            let done = try await deployment.enterCode(
                browser.click(link, on: page), in: browser, as: "ann@example.com")
            #expect(try await app.present(done.handoffCode(), in: deployment.webView()).status == 303)
        }
    }

    @Test("a user who is signed in already is asked, without a visit to the provider")
    func confirmation() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let browser = try await deployment.signedIn()
            let app = try deployment.app()
            let question = try await app.begin(with: "work", in: browser)
            #expect(question.address.path == "/auth/native/complete" && !question.text.contains("shc_"))
            let form = try question.page().form(to: "/auth/native/complete")
            let done = try await browser.submit(form, on: question)
            #expect(try await app.present(done.handoffCode(), in: deployment.webView()).status == 303)
            #expect(try providers.standIn(.oidc).requests(at: .token).isEmpty)
        }
    }

    @Test("a provider that was removed meanwhile leaves the way by email")
    func removed() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let (browser, app) = (deployment.browser(), try deployment.app())
            let page = try await app.begin(with: "work", in: browser)
            let standIn = try providers.standIn(.oidc)
            let answer = try standIn.answer(to: standIn.authorizationURL(on: page))
            let other = try deployment.folder.write(
                StandInProvider.file([standIn.yaml(id: "other")]), to: "other.yaml")
            try await deployment.withSecondIdP(settings: ["IDP_PROVIDERS_FILE": other]) { second in
                let same = browser.twin(routes: second.routes)
                #expect(try await same.bring(answer).status == 404)
                let flow = try #require(try await deployment.stored.handoffs.ids().first)
                let signIn = try await same.follow(
                    same.get("\(deployment.origin)/auth/native/complete?flow=\(flow)"))
                #expect(signIn.address.path == "/sign-in" && signIn.text.contains("com.example.app"))
                let done = try await second.enterCode(signIn, in: same, as: "ann@example.com")
                #expect(try done.appCallback().contains("code=shc_"))
            }
        }
    }

    @Test("in the web view of an app the sign-in page has links that the app opens in the system browser, and no form")
    func webView() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { providers in
            let deployment = providers.deployment
            let page = try await deployment.webView().get(deployment.origin + "/sign-in")
            #expect(try page.page().link(containing: "/auth/native/work") == "/auth/native/work")
            #expect(try page.page().form(to: "/sign-in/with/") == nil)
            let browsers = try await deployment.browser().get(deployment.origin + "/sign-in")
            #expect(try browsers.page().form(to: "/sign-in/with/work") != nil)
        }
        // Without an app that could come back it offers none.
        try await ProviderDeployment.open { providers in
            let page = try await providers.deployment.webView().get(providers.deployment.origin + "/sign-in")
            #expect(try page.page().link(containing: "/auth/native/") == nil && page.status == 200)
        }
    }
}
