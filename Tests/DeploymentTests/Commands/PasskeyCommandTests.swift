import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The commands about passkeys beside a running IdP", .deployment)
struct PasskeyCommandTests {
    private static let address = "ann@example.com"

    /// Prints a link and presses its button.
    private static func press(_ pair: ProcessDeployment, in browser: Browser) async throws -> Visit {
        let printed = try await pair.idp(["user", "sign-in-link", address, "--json"], settings: pair.idp.settings)
            .printed
        let answer = try JSONDecoding.value(Array(printed.utf8))
        #expect(answer["changed"]?.bool == true)
        let page = try await browser.follow(browser.get(answer["link"]?.text ?? ""))
        return try await browser.follow(browser.submit(page.page().form(to: "/sign-in/operator"), on: page))
    }

    @Test("a removal says as JSON what it has changed, and an unknown id ends with 1 and changes nothing")
    func removal() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let browser = Browser()
            let add = try await Self.press(pair, in: browser)
            #expect(try await browser.addPasskey(SoftwareAuthenticator(), on: add).status == 303)
            let list = try await pair.idp(["user", "passkeys", Self.address, "--json"]).printed
            let id = try #require(try JSONDecoding.value(Array(list.utf8)).items.first?["id"]?.text)
            let wrong = try await pair.idp(["user", "passkeys", Self.address, "--remove", "pky_none"], endsWith: 1)
            #expect(wrong.log.contains("has no passkey pky_none"))
            let removed = try await pair.idp(["user", "passkeys", Self.address, "--remove", id, "--json"]).printed
            let answer = try JSONDecoding.value(Array(removed.utf8))
            #expect(answer["changed"]?.bool == true && answer["passkeys"]?.items.isEmpty == true, "\(removed)")
            #expect(try await !browser.isSignedIn(at: pair))
            let plain = try await pair.idp(["user", "passkeys", Self.address]).printed
            #expect(plain == "The user has no passkey.\n")
        }
    }

    @Test("with all passkeys lost and no mail the link is refused with the way on, which leads to a new account")
    func lost() async throws {
        try await ProcessDeployment.running(ProcessDeployment(settings: ["IDP_REQUIRE": "phr"])) { pair in
            let first = Browser()
            let add = try await Self.press(pair, in: first)
            #expect(try await first.addPasskey(SoftwareAuthenticator(), on: add).status == 303)
            let refused = try await pair.idp(
                ["user", "sign-in-link", Self.address], settings: pair.idp.settings, endsWith: 1)
            #expect(refused.log.contains("idp user erase ann@example.com --now"), "\(refused.log)")
            _ = try await pair.idp(["user", "erase", Self.address, "--now"])
            let (browser, authenticator) = (Browser(), SoftwareAuthenticator())
            let page = try await Self.press(pair, in: browser)
            #expect(try await browser.addPasskey(authenticator, on: page).status == 303)
            let asked = try await browser.beginSignIn(at: pair.client)
            let complete = try await browser.follow(browser.usePasskey(authenticator, on: asked))
            #expect(try complete.token().hasPrefix("sst_"), "\(complete.text)")
        }
    }

    @Test("a start with another relying party ID is refused with 78 while there are passkeys, until they are forgotten")
    func moved() async throws {
        let pair = try ProcessDeployment()
        try await ProcessDeployment.running(pair) { pair in
            let browser = Browser()
            let add = try await Self.press(pair, in: browser)
            #expect(try await browser.addPasskey(SoftwareAuthenticator(), on: add).status == 303)
        }
        let settings = pair.idp.settings.merging(["IDP_PASSKEY_RP_ID": "example.com"]) { $1 }
        func serving() throws -> ProgramProcess {
            ProgramProcess(
                "idp", ["serve"], environment: settings, host: pair.idp.host, port: pair.idp.port,
                folder: try TemporaryFolder())
        }
        let refused = try serving()
        #expect(try await refused.run() == .code(78))
        #expect(refused.log.contains("1 passkey belongs to localhost"), "\(refused.log)")
        #expect(refused.log.contains("idp passkeys forget-all --yes"))
        _ = try await pair.idp(["passkeys", "forget-all"], endsWith: 64)
        let done = try await pair.idp(["passkeys", "forget-all", "--yes", "--json"]).printed
        #expect(try JSONDecoding.value(Array(done.utf8))["changed"]?.bool == true)
        let moved = try serving()
        try await moved.start()
        #expect(try await moved.terminate() == .code(0))
    }
}
