import Foundation
import ProbeKit
import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("What an email weighs", .program)
struct EmailSizeTests {
    private static let address = "ann.example@example.com"

    /// What a change of an account tells its owner, in each form that there is.
    private static let changes: [AccountChange] = [
        .linked(provider: "oidc"), .unlinked(provider: "oidc"), .revoked(provider: "oidc"),
        .withdrawn(provider: "oidc"),
        .passkeyAdded(name: "Ann's telephone"), .passkeyRenamed(name: "Ann's telephone"),
        .passkeyRemoved(name: "Ann's telephone"), .passkeysRevoked, .passkeysForgotten, .passkeyCopied, .firstMailbox,
        .printedLinkUsed, .signedInByPasskey, .signedInByProvider(provider: "oidc"),
        .addressChanged(from: "ann.former@example.com"),
    ]

    @Test("every email to a user is at most 8 KiB as it is sent", arguments: Language.builtIn)
    func users(language: Language) async throws {
        let settings = ReplySettings.all.merging(TestDeployment.ownAccount) { $1 }
            .merging(["IDP_SUPPORT_URL": "https://help.example.com/accounts"]) { $1 }
        try await ProviderDeployment.open([.oidc], settings: settings) { place in
            let deployment = place.deployment
            let browser = deployment.browser(language: language.rawValue)
            _ = try await browser.signIn(at: place.client, of: deployment, as: Self.address)
            try await deployment.invite("new@example.com", client: place.client.id, language: language)
            for _ in 0..<3 {
                deployment.clock.advance(by: .seconds(61))
                _ = try await deployment.waiting(
                    for: "max@example.com", by: deployment.browser(language: language.rawValue))
            }
            try await Self.tell(Self.changes, language, deployment)
            try await Self.ownChanges(browser, deployment)
            try await deployment.sendDueEmails()
            for email in deployment.mailbox.everything(to: "@example.com") where email.name.hasSuffix(".eml") {
                #expect(email.text.utf8.count <= 8 << 10, "\(email.text.utf8.count): \(email.text.prefix(300))")
            }
            try await Self.checkIsEvery(deployment)
        }
    }

    private static func tell(
        _ changes: [AccountChange], _ language: Language, _ deployment: TestDeployment
    ) async throws {
        let queue = MailQueue(
            database: deployment.database, clock: deployment.clock.clock, capacity: MailCapacity(limit: 1000))
        let notices = AccountNotices(
            mail: queue, providers: ProviderRegistry(.none, logger: deployment.log.logger("idp")),
            clock: deployment.clock.clock,
            randomness: SystemRandomness())
        let account = try #require(try await deployment.listed(address)?.account)
        let more = Array(repeating: AccountChange.passkeysForgotten, count: AccountNotices.maximumPerDay)
        try await deployment.database.write { connection in
            for change in changes + more {
                try notices.report(
                    change, of: account, by: ChangeOrigin(language: language, device: "linux"), connection)
            }
        }
    }

    /// An address that is taken, another one, its way back, and the end of the account.
    private static func ownChanges(_ browser: Browser, _ deployment: TestDeployment) async throws {
        _ = try await deployment.signedIn(as: "ben@example.com")
        _ = try await deployment.askForAddress("ben@example.com", in: browser)
        _ = try await deployment.changeAddress(to: "ann.later@example.com", in: browser)
        _ = try await deployment.stopAddress(deployment.addressStopLink(to: address), in: deployment.browser())
        try await deployment.forgetEmails(to: address)
        let again = try await deployment.signedIn(as: address)
        _ = try await deployment.askToErase(address, in: again)
    }

    /// Each kind that the program has was sent, each notice and each email about one's own changes.
    private static func checkIsEvery(_ deployment: TestDeployment) async throws {
        let notices = Set(try await deployment.text(of: "account_notice").split(separator: "\n").map(String.init))
        for change in AccountNotice.Change.allCases { #expect(notices.contains(change.rawValue), "\(change)") }
        let queue = try await deployment.text(of: "mail_queue")
        for subject in OwnAccountMail.Subject.allCases {
            #expect(queue.contains("\n\(subject.rawValue) "), "\(subject)")
        }
        let kinds = try await deployment.stored.emails.kinds()
        #expect(kinds == ["email_code", "browser_link", "invitation", "account_notice", "own_account"])
    }
}
