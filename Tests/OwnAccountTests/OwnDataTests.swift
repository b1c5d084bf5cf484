import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A user downloads what is stored", .program)
struct OwnDataTests {
    @Test("the file is the user's own, in JSON, with a row in the audit log, and is stored nowhere")
    func file() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn(as: "ben@example.com")
            let browser = try await deployment.signedIn()
            let file = try await deployment.download(in: browser)
            #expect(file.status == 200)
            #expect(file.reply.header("content-type")?.hasPrefix("application/json") == true)
            #expect(file.reply.header("content-disposition") == "attachment; filename=\"account.json\"")
            #expect(file.reply.header("cache-control") == "no-store")
            #expect(try file.reply.json()["account"]?["address"]?.text == "ann@example.com")
            #expect(!file.text.contains("ben@example.com"))
            let row = try await deployment.auditRows(.dataDownloaded, untilThereAre: 1).first
            let id = try await deployment.listed("ann@example.com")?.account.id
            #expect(row?.account == id)
        }
    }

    @Test("a visitor, and a page of another site, get no file")
    func others() async throws {
        try await TestDeployment.open { deployment in
            let visitor = try await deployment.browser().post(WebAddress(deployment.origin + "/data"), [])
            #expect(visitor.status != 200)
            let browser = try await deployment.signedIn()
            let forged = try await browser.post(WebAddress(deployment.origin + "/data"), [("form_token", "x")])
            #expect(forged.status == 403)
            #expect(try await browser.get(deployment.origin + "/data").status == 405)
        }
    }

    @Test("an account with a passkey asks for it")
    func strength() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.passkeyOwner(SoftwareAuthenticator())
            #expect(try await deployment.download(in: browser).location().path == "/sign-in")
        }
    }
}
