import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The rows of docs/losses.md about the server itself.
@Suite("What a server loses", .program)
struct ServerLossTests {
    // MARK: A database of yesterday

    /// Keeps the rows of passkeys, runs what happened since, and brings back the rows of before.
    private static func restoring(
        _ deployment: TestDeployment, after today: () async throws -> Void
    ) async throws {
        let restore = try await deployment.stored.copiedPasskeys()
        try await today()
        try await restore()
    }

    @Test("a database restored from yesterday: the passkey of yesterday signs in, although its counter is ahead")
    func restoredCounter() async throws {
        try await TestDeployment.open { deployment in
            let key = SoftwareAuthenticator(.hardware)
            _ = try await deployment.passkeyOwner(key)
            try await Self.restoring(deployment) {
                for _ in 1...3 { _ = try await LossTests.enter(key, of: deployment) }
            }
            _ = try await LossTests.enter(key, of: deployment)
            #expect(deployment.events("passkey_counter") == 0)
        }
    }

    @Test("a database restored from yesterday: a passkey of today is unknown, and an email leads to a new one")
    func restoredWithoutPasskey() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = SoftwareAuthenticator()
            _ = try await deployment.signedIn(as: LossTests.ann)
            try await Self.restoring(deployment) {
                try await deployment.forgetEmails(to: LossTests.ann)
                let browser = try await deployment.signedIn(as: LossTests.ann)
                _ = try await browser.addPasskey(authenticator, on: deployment.passkeyPage(browser))
            }
            _ = try await LossTests.enter(authenticator, of: deployment, status: 422)
            #expect(deployment.events("passkey_rejected", reason: "credential_unknown") == 1)
            try await deployment.forgetEmails(to: LossTests.ann)
            let browser = try await deployment.signedIn(as: LossTests.ann)
            let page = try await deployment.passkeyPage(browser)
            #expect(try await browser.addPasskey(SoftwareAuthenticator(), on: page).status == 303)
        }
    }

    @Test(
        "a database restored from yesterday: a passkey that was removed today is there again, and is removed by a command"
    )
    func restoredRemovedPasskey() async throws {
        try await TestDeployment.open { deployment in
            let stolen = try await deployment.givePasskey(to: LossTests.ann)
            try await Self.restoring(deployment) { try await LossTests.removeOne(of: deployment) }
            try await LossTests.removeOne(of: deployment)
            _ = try await LossTests.enter(stolen, of: deployment, status: 422)
        }
    }

    @Test("a database restored from yesterday: an account of today is made again by its first email")
    func restoredWithoutAccount() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn(as: LossTests.ann)
            try await deployment.stored.deleteAll(of: "account_identity")
            try await deployment.stored.deleteAll(of: "account")
            try await deployment.forgetEmails(to: LossTests.ann)
            let browser = try await deployment.signedIn(as: LossTests.ann)
            #expect(try await LossTests.methods(browser, of: deployment) == ["email_code"])
        }
    }

    // MARK: The server's name

    @Test("the server's name, with the former relying party ID kept: it starts, and the passkeys stay")
    func nameWithFormerID() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.givePasskey(to: LossTests.ann)
            let moved = [
                "IDP_PUBLIC_URL": "https://id.localhost:4000", "IDP_MAIL_URL": "smtps://mail.example.com",
                "IDP_PASSKEY_RP_ID": "localhost",
            ]
            let values = try TestDeployment.readIdPSettings(deployment.idp.values.merging(moved) { $1 })
            #expect(try await PasskeyCheck.problem(values, deployment.database) == nil)
        }
    }

    @Test(
        "the server's name, with another relying party ID: the start names the two ways on, and one command is the second"
    )
    func nameWithoutFormerID() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.givePasskey(to: LossTests.ann)
            let moved = [
                "IDP_PUBLIC_URL": "https://other.localhost:4000", "IDP_MAIL_URL": "smtps://mail.example.com",
            ]
            let values = try TestDeployment.readIdPSettings(deployment.idp.values.merging(moved) { $1 })
            let problem = try #require(try await PasskeyCheck.problem(values, deployment.database))
            #expect(problem.contains("Set it to localhost") && problem.contains("idp passkeys forget-all --yes"))
            #expect(try await deployment.isChanged(by: ForgetPasskeys(reporting: LossTests.Silent())))
            #expect(try await PasskeyCheck.problem(values, deployment.database) == nil)
            _ = try await deployment.signedIn(as: LossTests.ann)
        }
    }
}
