import JWT
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Whatever ends a passkey is recorded with its cause, and browsers learn of it.
@Suite("The end of passkeys", .program)
struct PasskeyEndTests {
    private struct Silent: AccountChangeReporter {
        func report(
            _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
        ) throws {}
    }

    private static func ids(_ deployment: TestDeployment) async throws -> [String] {
        try await deployment.stored.passkeys.ids()
    }

    /// The passkeys of the rows about an end with this cause.
    private static func ended(_ cause: PasskeyEnd, _ deployment: TestDeployment) async throws -> [String] {
        try await deployment.stored.audit.of("passkey_removed").cause(cause.rawValue).ofAccounts.details()
    }

    @Test(
        "each has a row, whatever ended it: its user, an operator, forget-all, an erasure, the first proof of the mailbox"
    )
    func recorded() async throws {
        try await TestDeployment.open { deployment in
            func give(_ count: Int) async throws -> [String] {
                for _ in 0..<count { _ = try await deployment.givePasskey(to: "ann@example.com") }
                return try await Self.ids(deployment)
            }
            let (browser, list) = try await deployment.passkeyList()
            let own = try await Self.ids(deployment)
            _ = try await browser.submit(list.page().form(to: "/passkeys/remove"), on: list)
            #expect(try await Self.ended(.user, deployment) == own)

            let one = try await give(1)
            _ = try await deployment.isChanged(by: RemovePasskey(one[0], of: "ann@example.com", reporting: Silent()))
            #expect(try await Self.ended(.operator, deployment) == one)

            let forgotten = try await give(2)
            _ = try await deployment.isChanged(by: ForgetPasskeys(reporting: Silent()))
            #expect(try await Self.ended(.forgotten, deployment) == forgotten)

            let prepared = try await give(2)
            try await deployment.stored.identities.emails.delete()
            let first = deployment.browser()
            _ = try await deployment.enterCode(deployment.signInPage(first), in: first, as: "ann@example.com")
            #expect(try await Self.ended(.addressProven, deployment) == prepared)
            #expect(try await deployment.stored.audit.of("identity_revoked").count() == 0)

            let erased = try await give(2)
            _ = try await deployment.isChanged(by: EraseUser("ann@example.com", .now))
            #expect(try await Self.ended(.erased, deployment) == erased)
            #expect(try await deployment.rows(of: "passkey") == 0)
        }
    }

    @Test("the home page and the list tell the browser all passkeys of the account, and its new name")
    func signals() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let home = try await browser.follow(browser.usePasskey(authenticator, on: deployment.signInPage(browser)))
            #expect(home.address.path == "/" && home.text.contains("/assets/passkey-"), "\(home.text)")
            let id = Base64URL.encode(authenticator.credentials[0].id)
            #expect(try home.accepted()["allAcceptedCredentialIds"]?.items.map(\.text) == [id])
            #expect(try home.accepted()["rpId"]?.text == "localhost")

            _ = try await browser.submit(home.page().form(to: "/name"), on: home, ["name": "Ann Example"])
            let renamed = try await browser.get(deployment.origin + "/?saved")
            #expect(try renamed.accepted()["displayName"]?.text == "Ann Example")
            #expect(try renamed.accepted()["name"]?.text == "ann@example.com")

            let list = try await browser.get(deployment.origin + "/passkeys")
            #expect(try list.accepted()["allAcceptedCredentialIds"]?.items.map(\.text) == [id])
            let removed = try await browser.follow(
                browser.submit(list.page().form(to: "/passkeys/remove"), on: list))
            #expect(try removed.accepted()["allAcceptedCredentialIds"]?.items.isEmpty == true)
            #expect(try await browser.get(deployment.origin + "/").accepted()["allAcceptedCredentialIds"] != nil)

            let ben = try await deployment.signedIn(as: "ben@example.com")
            let plain = try await ben.get(deployment.origin + "/")
            #expect(!plain.text.contains("data-passkey-accepted") && !plain.text.contains("/assets/passkey-"))
        }
    }
}

extension Visit {
    /// What the page tells the browser.
    fileprivate func accepted() throws -> JSONValue {
        guard let text = try page().tags.lazy.compactMap({ $0["data-passkey-accepted"] }).first else {
            throw ProbeFailure("no signal at \(address.absolute):\n\(text)")
        }
        return try JSONDecoding.value(Array(text.utf8))
    }
}
