import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPPasskeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A challenge is taken out by whatever comes for it, also by what cannot be read.
@Suite("The challenges of passkeys", .program, .alsoOnPostgres)
struct PasskeyChallengeTests {
    /// Forms that cannot be read to the end. `PASSKEY` stands for a right answer.
    static let malformed = [
        "passkey=PASSKEY&passkey=PASSKEY", "passkey=PASSKEY&passkey=", "passkey=%", "passkey=PASSKEY%zz", "",
        "passkey=",
        "passkey=PASSKEY&remember=1&remember=1", "passkey=PASSKEY&flow=x",
        "passkey=PASSKEY&flow=AAAAAAAAAAAAAAAAAAAAAA",
    ]

    @Test("an answer in a malformed form signs nobody in, and is worth nothing in a right one", arguments: malformed)
    func malformedSignIn(form: String) async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let answer = try authenticator.get(page.passkeyOptions(), at: deployment.origin)
            let refused = try await deployment.sendRaw(form, answer, on: page, to: "/sign-in/passkey", in: browser)
            #expect((400..<500).contains(refused.status), "\(refused.status)")
            #expect(try await deployment.openChallenges() == (refused.status == 422 ? 1 : 0))
            let again = try await browser.sendPasskey(answer, on: page)
            #expect(again.status == 422, "\(again.status)")
            #expect(try await deployment.stored.sessions.ofAccounts.count() == 0)
            #expect(try await browser.usePasskey(authenticator, on: again).status == 303)
        }
    }

    @Test("the form of one flow keeps no challenge of another one, also where it fails")
    func flows() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let plain = try await deployment.signInPage(browser)
            let forClient = try await browser.beginSignIn(at: deployment.client)
            let answer = try authenticator.get(forClient.passkeyOptions(), at: deployment.origin)
            #expect(try await browser.sendPasskey(answer, on: plain).status == 422)
            let late = try await browser.sendPasskey(answer, on: forClient)
            #expect(late.status == 422, "the answer has been looked at")
            #expect(try await browser.usePasskey(authenticator, on: late).status == 303)
        }
    }

    @Test(
        "an answer to the page that adds a passkey, in a malformed form, adds nothing there nor in a right one",
        arguments: malformed.prefix(6))
    func malformedRegistration(form: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let page = try await deployment.passkeyPage(browser)
            let answer = try SoftwareAuthenticator().create(page.passkeyOptions(), at: deployment.origin)
            let refused = try await deployment.sendRaw(form, answer, on: page, to: "/passkeys/add", in: browser)
            #expect((400..<500).contains(refused.status), "\(refused.status)")
            let again = try await browser.sendPasskey(answer, on: page)
            #expect(again.status == 422, "\(again.status)")
            #expect(try await deployment.rows(of: "passkey") == 0)
            #expect(try await browser.addPasskey(SoftwareAuthenticator(), on: again).status == 303)
        }
    }

    @Test("a challenge of one account adds no passkey to another one, and one of a sign-in adds none at all")
    func accounts() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn(as: "ann@example.com")
            let anns = try await deployment.passkeyPage(ann)
            let stolen = try SoftwareAuthenticator().create(anns.passkeyOptions(), at: deployment.origin)
            let ben = try await deployment.signedIn(as: "ben@example.com")
            let bens = try await deployment.passkeyPage(ben)
            #expect(try await ben.sendPasskey(stolen, on: bens).status == 422, "of another account and session")

            // The same browser, now of another user.
            try await ann.signOut(of: deployment)
            _ = try await deployment.enterCode(deployment.signInPage(ann), in: ann, as: "cem@example.com")
            let cems = try await deployment.passkeyPage(ann)
            #expect(try await ann.sendPasskey(stolen, on: cems).status == 422, "of the user before")

            // The session that asked for it has the page that adds one, too.
            let page = try await deployment.passkeyPage(ben)
            let options = try await deployment.signInAgainPage(ben).passkeyOptions()
            let challenge = try JSONDecoding.value(Array(options.utf8))["challenge"]?.text
            var draft = try SoftwareAuthenticator().registration(page.passkeyOptions(), at: deployment.origin)
            draft.client["challenge"] = JSONText.string(challenge ?? "")
            let wrong = try await ben.sendPasskey(String(decoding: draft.passkey().json, as: UTF8.self), on: page)
            #expect(wrong.status == 422, "of another purpose")
            #expect(try await deployment.rows(of: "passkey") == 0)
            #expect(try await ben.addPasskey(SoftwareAuthenticator(), on: wrong).status == 303)
        }
    }

    @Test("a user in two tabs who answers both pages at the same instant is signed in once")
    func tabs() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let first = try await deployment.signInPage(browser)
            let second = try await deployment.signInPage(browser)
            let answers = try [first, second].map { page in
                try authenticator.get(page.passkeyOptions(), at: deployment.origin)
            }
            let twins = [browser.twin(), browser.twin()]
            _ = try await atOnce(2) { try await twins[$0].sendPasskey(answers[$0], on: first).status }
            #expect(try await deployment.stored.sessions.ofAccounts.count() == 1)
            #expect(try await deployment.stored.audit.of("signed_in").count() == 1)
        }
    }

    @Test("on a database that runs each write twice a challenge works once, and is taken once")
    func rerunning() async throws {
        try await TestDeployment.open(wrapping: { RerunningDatabase($0) }) { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = deployment.browser()
            let page = try await deployment.signInPage(browser)
            let answer = try authenticator.get(page.passkeyOptions(), at: deployment.origin)
            let twins = (0..<20).map { _ in browser.twin() }
            let statuses = try await atOnce(20) { index -> Int in
                let done = try await twins[index].sendPasskey(answer, on: page)
                guard done.status == 303, done.isAtHome else { return done.status }
                return try await twins[index].isSignedInOnHomePage(of: deployment) ? 1 : 0
            }
            #expect(statuses.allSatisfy { $0 < 500 } && statuses.count { $0 == 1 } == 1, "\(statuses)")
            #expect(try await deployment.stored.sessions.ofAccounts.count() == 1)
            #expect(try await deployment.stored.audit.of("signed_in").count() == 1)
        }
    }

    @Test("a tab that begins a sign-in at the instant of an answer brings no taken challenge back")
    func lostUpdate() async throws {
        try await TestDeployment.open { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            for round in 0..<10 {
                let browser = deployment.browser()
                let page = try await deployment.signInPage(browser)
                var draft = try authenticator.assertion(page.passkeyOptions(), at: deployment.origin)
                let good = String(decoding: try draft.passkey().json, as: UTF8.self)
                draft.userHandle = try RandomBytes.generate(32)
                let bad = String(decoding: try draft.passkey().json, as: UTF8.self)
                let twins = (0..<6).map { _ in browser.twin() }
                _ = try await atOnce(6) { index -> Int in
                    guard index > 0 else { return try await twins[0].sendPasskey(bad, on: page).status }
                    let address = deployment.authorize(deployment.client, state: "\(round)-\(index)")
                    return try await twins[index].follow(twins[index].get(address)).status
                }
                #expect(try await browser.sendPasskey(good, on: page).status == 422, "round \(round)")
            }
        }
    }
}

extension TestDeployment {
    /// Sends a form body as it is, after the token of the page.
    fileprivate func sendRaw(
        _ body: String, _ answer: String, on page: Visit, to path: String, in browser: Browser
    ) async throws -> Visit {
        let token = try page.page().form(with: "passkey")?["form_token"] ?? ""
        let text =
            "form_token=\(PercentCoding.encode(token))&"
            + body.replacing("PASSKEY", with: PercentCoding.encode(answer))
        return try await browser.send(
            "POST", WebAddress(origin + path),
            [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", origin),
                ("Sec-Fetch-Site", "same-origin"),
            ], body: Array(text.utf8))
    }

    /// How many challenges for a sign-in all sessions have.
    fileprivate func openChallenges() async throws -> Int {
        try await stored.sessions.slots().reduce(0) { count, slots in
            count + slots.ranges(of: #""purpose":"signIn""#).count
        }
    }
}

extension Visit {
    fileprivate var isAtHome: Bool { (try? location().path) == "/" }
}

/// The slot by itself.
@Suite("The slot of challenges", .rules)
struct PasskeyChallengeSlotTests {
    private let origin: PublicOrigin
    private let now = Timestamp(milliseconds: 1_000_000_000)

    init() throws { origin = try PublicOrigin("https://id.example.com") }

    private func open(_ uses: [PasskeyChallenges.Use]) throws -> PasskeyChallenges {
        var slot = PasskeyChallenges()
        for use in uses { try slot.renew(for: use, at: origin, randomness: SystemRandomness(), now: now) }
        return slot
    }

    @Test("of five the oldest goes, and whatever is taken is gone")
    func bounds() throws {
        let flows = try (0..<5).map { _ in try FlowID(randomness: SystemRandomness()) }
        var slot = try open(flows.map { .signIn($0) })
        #expect(slot.current(for: .signIn(flows[0])) == nil)
        #expect(slot.take(for: .signIn(flows[4]), now: now).count == 1)
        #expect(flows.allSatisfy { slot.current(for: .signIn($0)) == nil }, "those of other flows went, too")
        #expect(slot.take(for: .signIn(flows[3]), now: now).isEmpty)
    }

    @Test("a challenge answers its purpose, flow and account alone")
    func uses() throws {
        let flow = try FlowID(randomness: SystemRandomness())
        let uses: [PasskeyChallenges.Use] = [.signIn(nil), .signIn(flow), .add(to: "usr_a"), .add(to: "usr_b")]
        for made in uses.indices {
            for asked in uses.indices {
                var slot = try open([uses[made]])
                let taken = slot.take(for: uses[asked], now: now)
                #expect(taken.count == (made == asked ? 1 : 0), "\(made) \(asked)")
            }
        }
    }

    @Test("a challenge ends after ten minutes, and one from the future is none")
    func time() throws {
        for (age, isOpen) in [(-121, false), (-120, true), (0, true), (599, true), (600, false)] {
            var slot = try open([.signIn(nil)])
            let taken = slot.take(for: .signIn(nil), now: now + .seconds(age))
            #expect(taken.isEmpty != isOpen, "\(age)")
        }
    }

    @Test("it survives no sign-in, so that no half of a sign-in can go on with it")
    func survival() { #expect(!PasskeyChallenges.survivesSignIn) }
}
