import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// The whole program with `IDP_MAIL_URL=none`, and no mail server anywhere.
@Suite("The program without mail", .deployment)
struct WithoutMailProgramTests {
    @Test("a printed link and a passkey enter a client, invitations name the remedy, and check says what does not work")
    func whole() async throws {
        let pair = try ProcessDeployment(settings: ["IDP_MAIL_URL": "none", "IDP_MAIL_FROM": ""])
        let keys = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? "", "IDP_MAIL_URL": "none"]
        try await ProcessDeployment.running(pair) { pair in
            let printed = try await pair.idp(
                ["user", "sign-in-link", "ann@example.com"],
                settings: keys.merging(["IDP_PUBLIC_URL": pair.origin, "IDP_ALLOWED_EMAILS": "*@example.com"]) { $1 }
            ).printed
            let link = try #require(printed.firstMatch(of: #/http\S+\/sign-in\/operator\/\S+/#)).0
            let browser = Browser()
            let page = try await browser.follow(browser.get(String(link)))
            let add = try await browser.follow(browser.submit(page.page().form(to: "/sign-in/operator"), on: page))
            let (authenticator, other) = (SoftwareAuthenticator(), Browser())
            #expect(try await browser.addPasskey(authenticator, on: add).status == 303)

            let asked = try await other.beginSignIn(at: pair.client)
            #expect(try asked.page().form(with: "email") == nil)
            let complete = try await other.follow(other.usePasskey(authenticator, on: asked))
            _ = try await other.follow(other.get(complete.callback()))
            #expect(try await other.isSignedIn(at: pair.client))

            for arguments in [["invite", "ben@example.com"], ["resend", "ben@example.com"]] {
                let refused = try await pair.idp(["user"] + arguments, settings: keys, endsWith: 1)
                #expect(refused.output.contains("Print a link: idp user sign-in-link ben@example.com"))
            }
            #expect(!pair.idp.log.contains(" mail_"), "\(pair.idp.log)")
        }
        let check = ProgramProcess("idp", ["check"], environment: pair.idp.settings, folder: try TemporaryFolder())
        #expect(try await check.run() == .code(0), "\(check.log)")
        #expect(check.log.contains("IDP_MAIL_URL: is none. Nobody signs in by a code"), "\(check.log)")
    }
}
