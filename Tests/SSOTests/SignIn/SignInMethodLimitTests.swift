import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// The limits of guesses and networks hold for every sign-in method, and none of them locks an owner out.
@Suite("Limits of every sign-in method", .program)
struct SignInMethodLimitTests {
    private static let address = OneClickMethod.address
    /// Loopback addresses are counted as networks only behind a declared proxy.
    private static let counted = ["IDP_TRUSTED_PROXIES": "127.0.0.0/8"]

    /// Not by a provider: it is no proof of an address that has an account. The next test has its claim.
    @Test(
        "a known browser signs in while strangers have used up the guesses of its account",
        arguments: TestedMethod.byEmail + [.oneClick])
    func knownBrowser(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let owner = try await deployment.knownBrowser(of: Self.address)
            try await deployment.typeWrongCodes(20, for: Self.address)
            try await deployment.forgetEmails(to: Self.address)
            try await deployment.sendDueEmails()
            let proof = try await deployment.begin(method, in: owner)
            let complete = try await owner.follow(proof.prove(in: owner))
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == [method.rawValue])
            #expect(try await deployment.failures(of: Self.address) == 20)
        }
    }

    @Test(
        "a provider signs in, from any browser, while strangers have used up the guesses of the account",
        arguments: TestedMethod.byProvider)
    func provider(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod(method) { deployment in
            let first = deployment.browser()
            #expect(try await deployment.begin(method, in: first).prove(in: first).status == 303)
            try await deployment.typeWrongCodes(20, for: Self.address)
            let browser = deployment.browser()
            let proof = try await deployment.begin(method, in: browser)
            let complete = try await browser.follow(proof.prove(in: browser))
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == [method.rawValue])
            #expect(try await deployment.failures(of: Self.address) == 20)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    /// An answer is refused like a code: its number has only four digits. The link has 128 bits and cannot be guessed.
    @Test(
        "a browser that was never seen cannot use code and answer then, and the link signs it in",
        arguments: TestedMethod.byEmail)
    func unknownBrowser(method: TestedMethod) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let owner = deployment.browser()
            let proof = try await deployment.begin(method, in: owner)
            try await deployment.typeWrongCodes(20, for: Self.address)
            if method == .emailReply {
                #expect(try await proof.answer() == "paused")
            }
            let decided = try await proof.prove(in: owner)
            #expect(try await owner.isSignedInOnHomePage(of: deployment) == (method == .emailLink))
            if method == .emailCode { #expect(decided.status == 429) }
            #expect(try await deployment.failures(of: Self.address) == 20, "refused ones are not counted")

            guard method != .emailLink else { return }
            let complete = try await owner.follow(proof.with(.emailLink).prove(in: owner))
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == ["email_link"])
        }
    }

    @Test(
        "five wrong codes or numbers, in any mixture, end code and answer; the link still signs in",
        arguments: [0, 2, 5])
    func usedUp(codes: Int) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let owner = deployment.browser()
            let proof = try await deployment.begin(.emailCode, in: owner)
            for number in 0..<5 {
                if number < codes {
                    #expect(try await proof.type(proof.wrong(proof.code), in: owner).status == 422)
                } else {
                    #expect(try await proof.answer(proof.wrong(proof.number)) == "wrong_number")
                }
                #expect(try await deployment.failures(of: Self.address) == number + 1)
            }
            #expect(try await proof.type(proof.code, in: owner).status == 422)
            #expect(try await proof.answer() == "used_up")
            #expect(try await owner.follow(proof.with(.emailReply).prove(in: owner)).status < 500)
            #expect(try await !owner.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.failures(of: Self.address) == 5)

            let complete = try await owner.follow(proof.with(.emailLink).prove(in: owner))
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == ["email_link"])
        }
    }

    @Test("twenty wrong numbers in a day pause typing codes as well, and a successful sign-in takes none of them back")
    func numbersCount() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            for _ in 0..<4 {
                try await deployment.forgetEmails(to: Self.address)
                let browser = deployment.browser()
                let proof = try await deployment.begin(.emailReply, in: browser)
                for _ in 0..<5 { try await proof.answer(proof.wrong(proof.number)) }
                #expect(try await browser.follow(proof.with(.emailLink).prove(in: browser)).token().hasPrefix("sst_"))
            }
            #expect(try await deployment.failures(of: Self.address) == 20)
            try await deployment.forgetEmails(to: Self.address)
            let page = try await deployment.waiting(for: Self.address, by: deployment.browser())
            #expect(page.text.contains("Too many wrong codes"))
        }
    }

    @Test("a wrong link is not a guess: it signs nobody in, and counts against no account")
    func wrongLink() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(.emailLink, in: browser)
            let path = deployment.origin + "/sign-in/link/"
            let key = String(try proof.link.dropFirst(path.count))
            let changed = (key.hasPrefix("A") ? "B" : "A") + key.dropFirst()
            for wrong in [changed, String(key.dropLast()), key + key, String(repeating: "A", count: 43)] {
                let page = try await browser.follow(browser.get(path + wrong))
                #expect(page.status < 500)
                #expect(try page.page().form(to: "/sign-in/link") == nil)
            }
            #expect(try await deployment.failures(of: Self.address) == 0)
            #expect(try await deployment.signedInSessions() == 0)
            #expect(try await browser.follow(proof.prove(in: browser)).token().hasPrefix("sst_"))
        }
    }

    /// The answer comes from a mail server. What may be tried with it is counted for the account alone.
    /// A provider's answer cannot be guessed: no limit counts it.
    @Test(
        "beyond the network's limit code and link get 429 and stay valid for another network; an answer is not counted there",
        arguments: TestedMethod.byEmail)
    func networkLimit(method: TestedMethod) async throws {
        let limits = Self.counted.merging(["IDP_LIMIT_CODE_POSTS": "5"]) { $1 }
        try await TestDeployment.withEveryMethod(settings: limits) { deployment in
            let owner = deployment.browser()
            let proof = try await deployment.begin(method, in: owner)
            let flooding = deployment.browser()
            let other = try await deployment.begin(.emailCode, in: flooding, as: "ben@example.com")
            for _ in 0..<5 { #expect(try await other.type(other.wrong(other.code), in: flooding).status == 422) }

            let decided = try await proof.prove(in: owner)
            #expect(decided.status == (method == .emailReply ? 303 : 429))
            guard method != .emailReply else { return }
            #expect(decided.reply.header("retry-after") == "3600")
            #expect(try await deployment.signedInSessions() == 0)
            let elsewhere = Browser(from: "127.0.1.9", routes: deployment.routes, cookies: owner.cookies)
            #expect(try await proof.prove(in: elsewhere).status == 303)
        }
    }

    @Test(
        "a success returns its counts: an office of any size signs in behind one address",
        arguments: TestedMethod.usedOnce)
    func givenBack(method: TestedMethod) async throws {
        let limits = [
            "IDP_LIMIT_EMAIL_POSTS": "2", "IDP_LIMIT_CODE_POSTS": "2", "IDP_LIMIT_NEW_SESSIONS": "2",
        ]
        try await TestDeployment.withEveryMethod(method, settings: Self.counted.merging(limits) { $1 }) { deployment in
            for number in 0..<5 {
                let browser = deployment.browser()
                if let kind = method.provider { try deployment.standIn(kind).user.subject = "\(10_021 + number)" }
                let proof = try await deployment.begin(method, in: browser, as: "user-\(number)@example.com")
                #expect(try await proof.prove(in: browser).status == 303)
            }
            #expect(try await deployment.signedInSessions() == 5)
        }
    }

    @Test("raw messages with a wrong signature are limited per network, and the mail server's stay accepted")
    func inboundLimit() async throws {
        let limits = Self.counted.merging(["IDP_LIMIT_BAD_SIGNATURES": "3"]) { $1 }
        try await TestDeployment.withEveryMethod(settings: limits) { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(.emailReply, in: browser)
            let wrong = "another-secret-0123456789abcdef-0123456789"
            var statuses: [Int] = []
            for _ in 0..<4 {
                let headers = try TestDeployment.inboundHeaders([65], secret: wrong)
                statuses.append(try await deployment.post([65], headers, from: "127.0.1.9").status)
            }
            #expect(statuses == [401, 401, 401, 429])
            #expect(try await proof.answer() == "accepted")
            #expect(try await proof.decide(in: browser, on: proof.waiting).status == 303)
        }
    }
}
