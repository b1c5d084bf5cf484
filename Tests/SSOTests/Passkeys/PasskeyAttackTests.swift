import JWT
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Answers that sign nobody in and add nothing. Each row ends with the right answer, which does.
@Suite("Attacks on passkeys", .program, .alsoOnPostgres)
struct PasskeyAttackTests {
    @Test("a changed assertion signs nobody in, and the log says why")
    func assertions() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            for row in AssertionRow.all {
                let browser = deployment.browser()
                let page = try await deployment.signInPage(browser)
                var draft = try authenticator.assertion(page.passkeyOptions(), at: deployment.origin)
                try row.change(&draft)
                let before = deployment.events("passkey_rejected", reason: row.reason)
                let answer = String(decoding: try draft.passkey().json, as: UTF8.self)
                let refused = try await browser.sendPasskey(answer, on: page)
                #expect(refused.status == 422, "\(row): \(refused.status)")
                let rejected = deployment.events("passkey_rejected", reason: row.reason)
                #expect(rejected == before + 1, "\(row): \(deployment.log.text.suffix(300))")
                #expect(try await !browser.isSignedInOnHomePage(of: deployment), "\(row)")
                #expect(try await browser.usePasskey(authenticator, on: refused).status == 303, "\(row)")
            }
        }
    }

    @Test("a changed registration adds nothing, and the log says why")
    func registrations() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            for row in RegistrationRow.all {
                let page = try await deployment.passkeyPage(browser)
                var draft = try SoftwareAuthenticator().registration(page.passkeyOptions(), at: deployment.origin)
                try row.change(&draft)
                let before = deployment.events("passkey_rejected", reason: row.reason)
                let answer = String(decoding: try draft.passkey().json, as: UTF8.self)
                let refused = try await browser.sendPasskey(answer, on: page)
                #expect(refused.status == 422, "\(row): \(refused.status)")
                let rejected = deployment.events("passkey_rejected", reason: row.reason)
                #expect(rejected == before + 1, "\(row): \(deployment.log.text.suffix(300))")
                #expect(try await deployment.rows(of: "passkey") == 0, "\(row)")
            }
            let added = try await browser.addPasskey(SoftwareAuthenticator(), on: deployment.passkeyPage(browser))
            #expect(added.status == 303)
            #expect(try await deployment.rows(of: "passkey") == 1)
        }
    }

    @Test("text that is not the JSON of a credential is refused, whatever it is")
    func garbage() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let rows = [
                "", "{", "[]", "null", "\u{0}", "{}", #"{"id":""}"#, #"{"id":1}"#, String(repeating: "[", count: 9000),
            ]
            for row in rows {
                let page = try await deployment.signInPage(browser)
                #expect(try await browser.sendPasskey(row, on: page).status == 422, "\(row.prefix(20))")
            }
            #expect(try await deployment.stored.sessions.ofAccounts.count() == 0)
        }
    }

    @Test("a challenge works once: not after success, not after failure, not in another session, purpose or flow")
    func challenges() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let answer = try authenticator.get(page.passkeyOptions(), at: deployment.origin)
            #expect(try await browser.sendPasskey(answer, on: page).status == 303)
            try await browser.signOut(of: deployment)
            let after = try await deployment.signInPage(browser)
            #expect(try await browser.sendPasskey(answer, on: after).status == 422, "after success")

            let failing = deployment.browser()
            let first = try await deployment.signInPage(failing)
            let good = try authenticator.get(first.passkeyOptions(), at: deployment.origin)
            let refused = try await failing.sendPasskey("{}", on: first)
            #expect(refused.status == 422)
            #expect(try await failing.sendPasskey(good, on: refused).status == 422, "after failure")

            let other = deployment.browser()
            let otherPage = try await deployment.signInPage(other)
            let owner = deployment.browser()
            let ownPage = try await deployment.signInPage(owner)
            let stolen = try authenticator.get(ownPage.passkeyOptions(), at: deployment.origin)
            #expect(try await other.sendPasskey(stolen, on: otherPage).status == 422, "of another session")
            #expect(try await owner.sendPasskey(stolen, on: ownPage).status == 303, "it was still good")

            let flows = deployment.browser()
            let plain = try await deployment.signInPage(flows)
            let forClient = try await flows.beginSignIn(at: deployment.client)
            let ofFlow = try authenticator.get(forClient.passkeyOptions(), at: deployment.origin)
            #expect(try await flows.sendPasskey(ofFlow, on: plain).status == 422, "of another flow")

            // The session that asked for it has a sign-in page, too.
            let adding = try await deployment.passkeyPage(owner)
            let signingIn = try await deployment.signInAgainPage(owner)
            let challenge = try JSONDecoding.value(Array(adding.passkeyOptions().utf8))["challenge"]?.text ?? ""
            let options = #"{"challenge":"\#(challenge)","rpId":"localhost"}"#
            let wrong = try authenticator.get(options, at: deployment.origin)
            let refusedAgain = try await owner.sendPasskey(wrong, on: signingIn)
            #expect(refusedAgain.status == 422, "of another purpose")
            #expect(try await owner.usePasskey(authenticator, on: refusedAgain).status == 303)
        }
    }

    @Test("new options that name no flow serve each flow of their session, once")
    func optionsWithoutFlow() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let page = try await browser.beginSignIn(at: deployment.client)
            let token = try page.formToken()
            let renewed = try await browser.send(
                "POST", WebAddress(deployment.origin + "/sign-in/passkey/options"),
                [("X-CSRF-Token", token), ("Origin", deployment.origin)], body: [])
            #expect(
                renewed.status == 200 && renewed.reply.header("content-type")?.hasPrefix("application/json") == true)
            let answer = try authenticator.get(renewed.text, at: deployment.origin)
            let twin = browser.twin()
            #expect(try await browser.follow(browser.sendPasskey(answer, on: page)).token().hasPrefix("sst_"))
            let again = try await twin.sendPasskey(answer, on: page)
            #expect(again.status < 500)
            #expect(try await !twin.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("of 100 answers to one challenge at the same instant, at two nodes, one signs in")
    func parallel() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let answer = try authenticator.get(page.passkeyOptions(), at: deployment.origin)
            try await deployment.withSecondIdP { second in
                let twins = (0..<100).map { browser.twin(routes: $0 % 2 == 0 ? nil : second.routes) }
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for twin in twins {
                        group.addTask {
                            let done = try await twin.sendPasskey(answer, on: page)
                            return try done.status == 303 && done.location().path == "/" ? 1 : 0
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(statuses == 1)
            }
            #expect(try await deployment.stored.sessions.ofAccounts.count() == 1)
        }
    }

    @Test("after ten minutes a challenge costs one more touch")
    func expired() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            deployment.clock.advance(by: .minutes(10))
            let late = try await browser.usePasskey(authenticator, on: page)
            #expect(late.status == 422 && late.text.contains("open for a long time"))
            #expect(deployment.events("passkey_rejected", reason: "challenge_expired") == 1)
            #expect(try await browser.usePasskey(authenticator, on: late).status == 303)
        }
    }

    @Test(
        "a wrong signature, the handle of another account and a disabled account get one answer after the same work; an unknown id its own"
    )
    func oneAnswer() async throws {
        var recorded: RecordingDatabase?
        func wrap(_ database: any Database) -> any Database {
            let wrapped = RecordingDatabase(database)
            recorded = wrapped
            return wrapped
        }
        try await TestDeployment.open(wrapping: wrap) { deployment in
            let database = try #require(recorded)
            // What the database is asked of the session and the passkey, beside what jobs do at the same time.
            func work() -> Set<String> {
                let marks = [
                    "passkey", "session SET slots", "WHERE id_digest = :id AND", "FROM account WHERE id = :id",
                ]
                return Set(database.takeStatements()).filter { sql in marks.contains { sql.contains($0) } }
            }
            var works: [Set<String>] = []
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let ben = try await deployment.givePasskey(to: "ben@example.com")
            func text(_ visit: Visit) throws -> String {
                visit.text.replacing(try visit.formToken(), with: "").replacing(try visit.passkeyOptions(), with: "")
                    .replacing(/data-passkey-options="[^"]*"/, with: "")
            }
            func refusal(_ change: (inout AssertionDraft) throws -> Void) async throws -> String {
                let browser = deployment.browser()
                let page = try await deployment.signInPage(browser)
                var draft = try authenticator.assertion(page.passkeyOptions(), at: deployment.origin)
                try change(&draft)
                let json = String(decoding: try draft.passkey().json, as: UTF8.self)
                _ = work()
                let refused = try await browser.sendPasskey(json, on: page)
                works.append(work())
                #expect(refused.status == 422)
                return try text(refused)
            }
            let signature = try await refusal { $0.key = try PrivateKey(new: .es256) }
            let handle = try await refusal { $0.userHandle = ben.credentials[0].userHandle }
            try await deployment.stored.accounts.of("ann@example.com").disable()
            let disabled = try await refusal { _ in }
            let unknown = try await refusal { $0.id = try RandomBytes.generate(32) }
            #expect(signature == handle && handle == disabled)
            #expect(
                works[0] == works[1] && works[1] == works[2] && works[0].contains { $0.contains("FROM passkey") },
                "\(works)")
            #expect(unknown != disabled && unknown.contains("data-passkey-unknown="))
            #expect(!signature.contains("ann@example.com"))
        }
    }

    @Test("a counter that stands still is an alarm and refused on a key of one device, and noted on a copied one")
    func counters() async throws {
        try await TestDeployment.open { deployment in
            let key = SoftwareAuthenticator(.hardware)
            _ = try await deployment.passkeyOwner(key)
            let first = deployment.browser()
            #expect(try await first.usePasskey(key, on: deployment.signInPage(first)).status == 303)
            // A copy of the key, from before that sign-in.
            let copy = SoftwareAuthenticator(.hardware, holding: key.credentials)
            copy.credentials[0].signCount = 0
            let thief = deployment.browser()
            let refused = try await thief.usePasskey(copy, on: deployment.signInPage(thief))
            #expect(refused.status == 422)
            #expect(deployment.events("passkey_counter") == 1)
            #expect(deployment.log.text.contains("device_bound"))
            #expect(try await deployment.stored.notices.about("passkey_copied").count() == 1)
            #expect(try await first.isSignedInOnHomePage(of: deployment))

            var traits = SoftwareAuthenticator.Traits.synced
            traits.step = 5
            let synced = SoftwareAuthenticator(traits)
            _ = try await deployment.passkeyOwner(synced, as: "ben@example.com")
            let second = deployment.browser()
            #expect(try await second.usePasskey(synced, on: deployment.signInPage(second)).status == 303)
            synced.credentials[0].signCount = 0
            let third = deployment.browser()
            #expect(try await third.usePasskey(synced, on: deployment.signInPage(third)).status == 303)
            #expect(deployment.log.text.contains("\"cause\": synced"))
        }
    }
}
