import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("Services of other makers, by OpenID Connect", .journey, .dependsOnMachine)
    struct OpenIDClients {
        /// An identity provider with one client, whose entry reads its secret from SERVICE_SECRET.
        private static func deployment(_ entry: String, secret: String? = nil) throws -> ProcessDeployment {
            let pair = try ProcessDeployment(clients: 0)
            pair.idp.set("SERVICE_SECRET", to: secret)
            pair.idp.set("IDP_CLIENTS_FILE", to: try pair.folder.write("clients:\n" + entry, to: "services.yaml"))
            return pair
        }

        @Test(
            "a user who goes back, or answers twice, sees no error of the service's server",
            arguments: [OpenIDExample.flask, .django, .sinatra, .go].filter(\.isAvailable))
        func goingBack(_ example: OpenIDExample) async throws {
            let service = try OpenIDService(example)
            let pair = try Self.deployment(service.yaml(secret: "SERVICE_SECRET"), secret: service.secret)
            try await ProcessDeployment.running(pair) { pair in
                try await service.start(issuer: pair.origin)
                for query in ["error=access_denied&state=unknown", "code=used&state=unknown", ""] {
                    let answer = try await Browser().get("\(service.origin)\(example.callback)?\(query)")
                    #expect(answer.status < 500, "\(query): \(answer.text)")
                }
                try await service.stop()
            }
        }

        @Test(
            "two users sign in and out in one browser, an operator signs one out, keys change, the provider dies and is back",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"),
            arguments: OpenIDExample.tested.filter { $0.isAvailable && $0 != .pgadmin })
        func wholeLife(_ example: OpenIDExample) async throws {
            let service = try OpenIDService(example)
            let pair = try Self.deployment(service.yaml(secret: "SERVICE_SECRET"), secret: service.secret)
            try await ProcessDeployment.running(pair) { pair in
                try await service.start(issuer: pair.origin)
                let chromium = try await Chromium()

                try await chromium.signIn(at: service, of: pair, as: "ann@example.com")
                #expect(try await chromium.user(of: service) == "ann@example.com")
                try await chromium.signOut(of: service, pair)

                // The next user of the same browser is another user for the service, too.
                try await chromium.signIn(at: service, of: pair, as: "ben@example.com")
                #expect(try await chromium.user(of: service) == "ben@example.com")
                if example.backChannel != nil {
                    try await pair.idp(["user", "sign-out", "ben@example.com"])
                    try await eventually("\(example) has signed ben out") {
                        try await chromium.user(of: service) == nil ? () : nil
                    }
                } else {
                    try await chromium.signOut(of: service, pair)
                }

                // A key that the service has never seen.
                try await pair.idp(
                    ["keys", "rotate", "--now"], settings: ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
                )
                if example.keepsKeys { try await service.restart(issuer: pair.origin) }
                try await chromium.signIn(at: service, of: pair, as: "ann@example.com")
                #expect(try await chromium.user(of: service) == "ann@example.com", "\(service.log.suffix(2_000))")

                // A provider that is dead takes nothing away from those who are signed in.
                try await pair.idp.kill()
                #expect(try await chromium.user(of: service) == "ann@example.com")
                try await pair.idp.start()
                try await chromium.signOut(of: service, pair)
                try await chromium.quit()
                try await service.stop()
            }
        }

        @Test(
            "a page behind Apache that needs a passkey asks for one after a sign-in by email, and learns that there was one",
            .enabled(if: OpenIDExample.apache.isAvailable))
        func apachePasskey() async throws {
            let service = try OpenIDService(.apache)
            let pair = try Self.deployment(service.yaml(secret: "SERVICE_SECRET"), secret: service.secret)
            try await ProcessDeployment.running(pair) { pair in
                try await service.start(issuer: pair.origin)
                let (browser, authenticator) = (Browser(), SoftwareAuthenticator())
                let asked = try await browser.follow(browser.get(service.origin + "/index.html"))
                let waiting = try await browser.ask(for: "ann@example.com", on: asked)
                let signedIn = try await browser.enter(pair.mailbox.code(to: "ann@example.com"), on: waiting)
                let home = try await browser.follow(
                    browser.click(signedIn.page().link(containing: "code="), on: signedIn))
                #expect(home.text.contains("ann@example.com"), "\(home.text)")

                let add = try await browser.follow(browser.get(pair.origin + "/passkeys/add"))
                #expect(try await browser.addPasskey(authenticator, on: add).status == 303)
                // A user who is signed in gets there by a page that goes on by itself.
                let stepUp = try await browser.get(service.origin + "/passkey.html").text
                let target = stepUp.split(separator: "url=").dropFirst().first?.prefix { $0 != "\"" }
                let needed = try await browser.follow(browser.get(String(try #require(target, "\(stepUp)"))))
                #expect(needed.address.path.hasPrefix("/sign-in"), "\(needed.text)")
                let complete = try await browser.follow(browser.usePasskey(authenticator, on: needed))
                let page = try await browser.follow(
                    browser.click(complete.page().link(containing: "code="), on: complete))
                #expect(page.text.contains(#"<span id="acr">phr</span>"#), "\(page.text) \(service.log.suffix(1_000))")
                #expect(page.text.contains("passkey") && page.text.contains("pop"))
                try await service.stop()
            }
        }

        @Test(
            "pgAdmin, whose pages are made by scripts, shows the user by the username and signs out at the provider as well",
            .enabled(if: WebDriver.isInstalled && OpenIDExample.isEveryOne, "script/openid-clients"))
        func pgAdmin() async throws {
            let service = try OpenIDService(.pgadmin)
            let pair = try Self.deployment(service.yaml(secret: "SERVICE_SECRET"), secret: service.secret)
            try await ProcessDeployment.running(pair) { pair in
                try await service.start(issuer: pair.origin)
                let chromium = try await Chromium()
                try await chromium.signIn(at: service, of: pair, as: "ann@example.com")
                try await eventually("the name of the user") {
                    try await chromium.text().contains("ann (main-app)") ? () : nil
                }
                try await chromium.visit(service.origin + "/oauth2/logout")
                try await chromium.begin(at: service)
                _ = try await chromium.element("input[name=email]")
                try await chromium.quit()
                try await service.stop()
            }
        }

        @Test(
            "the Matrix server Synapse gives the user an account by its name, and ends it when an operator signs the user out",
            .enabled(if: WebDriver.isInstalled && OpenIDExample.isEveryOne, "script/openid-clients"))
        func synapse() async throws {
            let synapse = try Synapse()
            let pair = try Self.deployment(synapse.yaml(secret: "SERVICE_SECRET"), secret: synapse.secret)
            try await ProcessDeployment.running(pair) { pair in
                try await synapse.start(issuer: pair.origin)
                let chromium = try await Chromium()
                try await chromium.visit(synapse.signIn)
                try await chromium.askForCode("ann@example.com")
                try await chromium.enterCode(try await pair.mailbox.code(to: "ann@example.com", count: 1))
                let back = try await chromium.arrive("the Matrix client") { $0.contains("loginToken=") }
                let token = try #require(WebAddress(back).query("loginToken"))
                let account = try await synapse.login(token).json()
                #expect(account["user_id"]?.text == "@ann:\(synapse.host)")
                let access = try #require(account["access_token"]?.text)
                #expect(try await synapse.whoAmI(access).status == 200)
                try await pair.idp(["user", "sign-out", "ann@example.com"])
                try await eventually("Synapse has ended the session") {
                    try await synapse.whoAmI(access).status == 401 ? () : nil
                }
                try await chromium.quit()
                try await synapse.stop()
            }
        }

        @Test(
            "a program on the command line asks on a page, gets tokens by refresh tokens, and none after a sign-out",
            .enabled(if: WebDriver.isInstalled && OIDCAgent.isAvailable, "needs chromium and oidc-agent-cli"))
        func commandLine() async throws {
            let agent = try OIDCAgent()
            let pair = try Self.deployment(agent.yaml)
            try await ProcessDeployment.running(pair) { pair in
                let (registration, address) = try await agent.begin(issuer: pair.origin)
                let chromium = try await Chromium()
                try await chromium.visit(address)
                try await chromium.askForCode("ann@example.com")
                try await chromium.enterCode(try await pair.mailbox.code(to: "ann@example.com", count: 1))
                // Any program of this machine may listen at the address: the user says that this one is theirs.
                try await chromium.press("a[href^='\(agent.redirectURI)']")
                #expect(try await registration.waitForExit() == .code(0), "\(agent.log)")
                let (first, second) = (try await agent.token(), try await agent.token(isNew: true))
                #expect(first != nil && second != nil && first != second)
                for token in [first, second].compactMap(\.self) {
                    #expect(try await pair.userInfo(token).status == 200)
                }
                try await pair.idp(["user", "sign-out", "ann@example.com"])
                for token in [first, second].compactMap(\.self) {
                    #expect(try await pair.userInfo(token).status == 401)
                }
                #expect(try await agent.token(isNew: true) == nil)
                try await chromium.quit()
                try await agent.stop()
            }
        }
    }
}

extension ProcessDeployment {
    func userInfo(_ accessToken: String) async throws -> ProbeReply {
        try await HTTPProbe(port: idp.port, authority: "localhost:\(idp.port)")
            .get("/oidc/userinfo", [("Authorization", "Bearer \(accessToken)")])
    }
}

extension Chromium {
    /// From the service's page through the whole sign-in, back to the service.
    func signIn(at service: OpenIDService, of pair: ProcessDeployment, as address: String) async throws {
        let earlier = pair.mailbox.all(to: address).count
        try await begin(at: service)
        try await askForCode(address)
        try await enterCode(try await pair.mailbox.code(to: address, count: earlier + 1))
        try await arrive("the service") { $0.hasPrefix(service.origin) }
    }

    fileprivate func begin(at service: OpenIDService) async throws {
        try await visit(service.origin + service.example.signInPage)
        if try await address().hasPrefix(service.origin) { try await press(service.example.signInButton) }
    }

    /// The address of the user whom the service says hello to; nil for its page without a user.
    func user(of service: OpenIDService) async throws -> String? {
        try await visit(service.origin + service.example.signInPage)
        guard let element = try await elements("span#email").first else { return nil }
        return try await text(of: element)
    }

    /// Signs out with the service's own button, and looks whether the user is out at the provider as well.
    func signOut(of service: OpenIDService, _ pair: ProcessDeployment) async throws {
        try await visit(service.origin + service.example.signInPage)
        try await press("#sign-out")
        let page = service.origin + (service.example.signedOutPage ?? "/")
        try await eventually("the page after the sign-out") { () -> Void? in
            guard try await address().hasPrefix(page), try await elements("span#email").isEmpty else {
                return nil
            }
            return ()
        }
        if service.example.signedOutPage == nil {
            // It knows no sign-out of the provider: the next user of this browser uses the provider's button.
            try await visit(pair.origin + "/")
            try await press("form[action='/sign-out'] button")
            try await eventually("the page after the provider's sign-out") {
                try await elements("form[action='/sign-out']").isEmpty ? () : nil
            }
        }
        try await begin(at: service)
        _ = try await element("input[name=email]")
    }
}
