import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPFlow
@testable import IdPProviderSignIn
@testable import IdPSignIn
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What every sign-in method keeps of an SSO request, and what it says of itself. ``TestedMethod`` is the list of methods.
@Suite("Every sign-in method", .program)
struct SignInMethodTests {
    private static let address = OneClickMethod.address

    /// Checks where a sign-in has ended: at this client, with its state, and with the truth about the sign-in.
    private static func check(
        _ complete: Visit, _ method: TestedMethod, _ client: TestDeployment.Client, state: String, at moment: Timestamp,
        as address: String = address, _ deployment: TestDeployment, _ comment: Comment? = nil
    ) async throws {
        let end = try await deployment.redeem(complete, as: client)
        #expect(end.callback.absolute.hasPrefix(client.callback + "?"), comment)
        #expect(end.callback.query("state") == state, comment)
        #expect(end.reply.status == 200, comment)
        #expect(end.email == address, comment)
        #expect(end.methods == [method.rawValue], comment)
        // Without `auth_time` a provider proves no moment.
        let proven = method.provider == nil ? Int(moment.milliseconds / 1000) : nil
        #expect(end.authenticatedAt == proven, comment)
    }

    @Test(
        "client, redirect URI and state survive it in one, two and three tabs, and the other tabs need no further proof",
        arguments: TestedMethod.allCases, 1...3)
    func tabs(method: TestedMethod, count: Int) async throws {
        try await TestDeployment.withEveryMethod(method, clients: 2) { deployment in
            let (browser, middle) = (deployment.browser(), count / 2)
            func client(_ tab: Int) -> TestDeployment.Client { deployment.clients[tab % 2] }
            var tabs: [Visit] = []
            for tab in 0..<count {
                let address = deployment.authorize(client(tab), state: "state-of-tab-\(tab)")
                tabs.append(try await browser.follow(browser.get(address)))
                deployment.clock.advance(by: .seconds(1))
            }
            let proof = try await deployment.begin(method, on: tabs[middle], in: browser)
            deployment.clock.advance(by: .seconds(30))
            let (signedInAt, before) = (deployment.clock.now, browser.session)
            let complete = try await browser.follow(proof.prove(in: browser))
            #expect(browser.session != before)
            try await Self.check(
                complete, method, client(middle), state: "state-of-tab-\(middle)", at: signedInAt, deployment)

            deployment.clock.advance(by: .seconds(30))
            for tab in (0..<count).reversed() where tab != middle {
                // The last tab sends a form that it shows, an earlier one is reloaded.
                let page = try tabs[tab].page()
                let form = page.form(to: "/sign-in/with/") ?? page.form(with: "email")
                let next =
                    tab > middle
                    ? try await browser.submit(form, on: tabs[tab], ["email": Self.address])
                    : try await browser.get(tabs[tab].address)
                try await Self.check(
                    try await browser.follow(next), method, client(tab), state: "state-of-tab-\(tab)", at: signedInAt,
                    deployment, "tab \(tab)")
            }
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    /// The link knows the newest request only. Code and answer go on where they are used.
    @Test(
        "two tabs that wait for the same email end at their own clients with one proof", arguments: TestedMethod.byEmail
    )
    func sameEmail(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(clients: 2) { deployment in
            let browser = deployment.browser()
            var proofs: [PendingProof] = []
            for client in deployment.clients {
                let address = deployment.authorize(client, state: "state-of-\(client.id)")
                let page = try await browser.follow(browser.get(address))
                proofs.append(try await deployment.begin(method, on: page, in: browser))
                deployment.clock.advance(by: .seconds(61))
            }
            let signedInAt = deployment.clock.now
            let first = try await browser.follow(proofs[0].prove(in: browser))
            let reached = method == .emailLink ? 1 : 0
            let second = try await browser.follow(browser.get(proofs[1 - reached].waiting.address))
            for (client, complete) in [(reached, first), (1 - reached, second)] {
                let client = deployment.clients[client]
                try await Self.check(
                    complete, method, client, state: "state-of-\(client.id)", at: signedInAt, deployment, "\(client.id)"
                )
            }
            #expect(try await deployment.rows(of: "challenge") == 1)
        }
    }

    @Test(
        "a handoff survives it: the page goes on to the app, and a request of a client beside it is kept",
        arguments: TestedMethod.allCases)
    func handoff(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method, settings: HandoffApp.settings) { deployment in
            let (browser, webView, app) = (deployment.browser(), deployment.webView(), try deployment.app())
            let tab = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "beside")))
            let page = try await app.begin(in: browser)
            #expect(page.text.contains("com.example.app"))
            let proof = try await deployment.begin(method, on: page, in: browser)
            let signedInAt = deployment.clock.now
            let done = try await browser.follow(proof.prove(in: browser))
            #expect(try done.appCallback().hasPrefix("com.example.app:/callback?code=shc_"))
            #expect(try await app.present(done.handoffCode(), in: webView).status == 303)
            #expect(try await webView.get(deployment.origin + "/").text.contains(Self.address))

            let complete = try await browser.follow(browser.get(tab.address))
            try await Self.check(complete, method, deployment.client, state: "beside", at: signedInAt, deployment)
            let inApp = try await webView.follow(webView.get(deployment.authorize(deployment.client, state: "app")))
            try await Self.check(inApp, method, deployment.client, state: "app", at: signedInAt, deployment)
        }
    }

    @Test(
        "a window that waits for the same email leads to the app too, with one button", arguments: TestedMethod.byEmail)
    func handoffInTwoWindows(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(settings: HandoffApp.settings) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, on: deployment.app().begin(in: browser), in: browser)
            let done = try await browser.follow(proof.prove(in: browser))
            let flow = try #require(done.address.query("flow"))
            let late = try await proof.with(.emailReply).decide(in: browser, on: proof.waiting)
            #expect(late.status == 200 && late.text.contains("<bdi>com.example.app</bdi>"))
            #expect(try late.page().links.contains("/auth/native/complete?flow=\(flow)"))
        }
    }

    @Test(
        "what one process began another one finishes with none of its memory, as after a restart",
        arguments: TestedMethod.allCases)
    func restart(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            try await deployment.withSecondIdP { second in
                let after = browser.twin(routes: second.routes)
                let complete = try await after.follow(proof.at(second).prove(in: after))
                try await Self.check(
                    complete, method, second.client, state: "the-state", at: second.clock.now, second)
            }
        }
    }

    @Test(
        "asking again sends the same proofs, and those of the first email still work", arguments: TestedMethod.byEmail)
    func resend(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            for usesFirst in [true, false] {
                let browser = deployment.browser()
                let first = try await deployment.begin(method, in: browser)
                deployment.clock.advance(by: .seconds(61))
                let earlier = deployment.mailbox.all(to: Self.address)
                let waiting = try await deployment.resend(first.waiting, browser)
                let second = first.with(try await deployment.mailbox.email(to: Self.address, besides: earlier))
                #expect(try second.code == first.code)
                #expect(try second.link == first.link)
                #expect(second.email?.header("reply-to") == first.email?.header("reply-to"))
                #expect(waiting.shownNumber == first.waiting.shownNumber && waiting.shownNumber != nil)

                let complete = try await browser.follow((usesFirst ? first : second).prove(in: browser))
                try await Self.check(
                    complete, method, deployment.client, state: "the-state", at: deployment.clock.now, deployment,
                    usesFirst ? "first email" : "second email")
                try await deployment.forgetEmails(to: Self.address)
            }
        }
    }

    @Test(
        "after a change of address the proof of the second one signs in, and that of the first then changes nothing",
        arguments: TestedMethod.byEmail)
    func changeOfAddress(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let ann = try await deployment.begin(method, in: browser, as: "ann@example.com")
            let form = try await browser.click(
                ann.waiting.page().links.first { $0.hasPrefix("/sign-in?flow=") }, on: ann.waiting)
            let ben = try await deployment.begin(method, on: form, in: browser, as: "ben@example.com")
            let complete = try await browser.follow(ben.prove(in: browser))
            try await Self.check(
                complete, method, deployment.client, state: "the-state", at: deployment.clock.now,
                as: "ben@example.com", deployment)

            let session = browser.session
            let late = try await browser.follow(ann.prove(in: browser))
            #expect(late.status < 500)
            #expect(!late.text.contains("sst_"))
            #expect(browser.session == session)
            #expect(try await browser.get(deployment.origin + "/").text.contains("ben@example.com"))
            #expect(try await deployment.signedInSessions() == 1)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test(
        "its sign-in keeps the pending requests, and of everything else only slots that say so",
        arguments: TestedMethod.allCases)
    func slots(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method, clients: 2) { deployment in
            let browser = deployment.browser()
            let other = try await browser.follow(
                browser.get(deployment.authorize(deployment.clients[1], state: "other-tab")))
            _ = try await browser.get(deployment.origin + OneClickMethod.visitPath)
            let proof = try await deployment.begin(method, in: browser)
            let before = try await Self.slots(of: deployment)
            #expect(before[OneClickMethod.DroppedSlot.key]?["visits"] == 1, "it was there before the sign-in")
            #expect((before[BrowserChallenges.key] != nil) == TestedMethod.byEmail.contains(method))

            _ = try await proof.prove(in: browser)
            let slots = try await Self.slots(of: deployment)
            guard case .object(let members) = slots else { throw ProbeFailure("slots are not an object: \(slots)") }
            #expect(
                Set(members.keys) == [
                    Flows.key, PendingProviderAttempts.key, CurrentSignIn.key, BrowserAbilities.key,
                    OneClickMethod.KeptSlot.key,
                ])
            #expect(slots[OneClickMethod.KeptSlot.key]?["visits"] == 1)
            let flows = slots[Flows.key]?["all"]?.items.compactMap { $0["id"]?.text } ?? []
            for page in [other, proof.waiting] {
                let flow = try #require(page.address.query("flow"))
                #expect(flows.contains(flow))
            }
        }
    }

    /// The slots of the only session.
    private static func slots(of deployment: TestDeployment) async throws -> JSONValue {
        let stored = try await deployment.stored.sessions.slots()
        guard stored.count == 1 else { throw ProbeFailure("\(stored.count) sessions") }
        return try JSONDecoding.value(Array(stored[0].utf8))
    }

    @Test("the sign-in page and its waiting page offer every method, with the pending flow")
    func options() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            let flow = try #require(page.address.query("flow"))
            #expect(try page.page().form(with: "email")?["flow"] == flow)
            #expect(try page.page().link(containing: "\(OneClickMethod.path)?flow=\(flow)") != nil)
            #expect(page.text.contains("Start again at \(deployment.client.name)"))

            let proof = try await deployment.begin(.emailLink, on: page, in: browser)
            #expect(try proof.waiting.page().form(with: "code")?["flow"] == flow)
            #expect(proof.waiting.shownNumber != nil)
            #expect(try proof.link.hasPrefix(deployment.origin + "/sign-in/link/"))
            #expect(proof.email?.header("reply-to")?.hasSuffix("@\(ReplySettings.domain)") == true)
        }
    }

    @Test("an identity without an account is refused, and signs no user in")
    func unknownIdentity() async throws {
        try await TestDeployment.open { deployment in
            let accounts = AccountStore(
                database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness(),
                eligibility: SignInEligibility(
                    allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock),
                signOuts: SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness()))
            let address = try EmailAddress("ann@example.com")
            let foreign = ProvenIdentity.external(
                ExternalIdentity(provider: "op", issuer: "https://op.example", subject: "7", email: address))
            let (ann, unknownAccounts) = try await deployment.database.write { connection in
                let ann = try accounts.account(of: .email(address), connection)?.account
                // An address that another provider asserts does not open the account of that address.
                return (
                    ann,
                    [
                        try accounts.account(of: foreign, connection)?.account,
                        try accounts.account(
                            of: .passkey(PasskeyID(relyingParty: "localhost", credential: [1])), connection)?.account,
                    ]
                )
            }
            #expect(unknownAccounts.allSatisfy { $0 == nil })
            let account = try #require(ann)
            let added = try await deployment.database.write { connection in
                try accounts.add(foreign, to: account, connection)
                return try accounts.account(of: foreign, connection)?.account
            }
            #expect(added?.id == account.id)
        }
    }
}
