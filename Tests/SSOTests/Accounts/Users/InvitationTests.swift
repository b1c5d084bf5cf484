import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Invitations", .program)
struct InvitationTests {
    private static let guest = "guest@elsewhere.org"

    @Test("an invited user gets from the email to the client, and the page names neither key nor link")
    func journey() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["staff"])
            let invited = try await deployment.invite(
                Self.guest, groups: ["staff"], client: deployment.client.id, language: .german)
            #expect(invited.isChanged && invited.result.isSent)
            let link = try await deployment.invitationLink(to: Self.guest)
            let text = deployment.mailbox.all(to: Self.guest)[0].text.decodingQuotedPrintable()
            #expect(text.contains("hat Ihnen Zugang zu") && text.contains("Partner number 1"))
            #expect(link.hasPrefix("\(deployment.origin)/invitation/inv_"))

            let browser = deployment.browser()
            let first = try await browser.get(link)
            #expect(first.status == 303 && first.reply.all("location") == ["/invitation"])
            #expect(first.reply.header("referrer-policy") == "no-referrer")
            let page = try await browser.follow(first)
            let earlier = deployment.mailbox.all(to: Self.guest)
            #expect(page.status == 200 && page.text.contains("value=\"\(Self.guest)\""))
            #expect(!page.text.contains("inv_") && !page.address.target.contains("inv_"))
            let waiting = try await browser.follow(browser.submit(page.page().form(with: "email"), on: page))
            #expect(waiting.address.path == "/sign-in/code")
            let end = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: Self.guest, besides: earlier), on: waiting))
            #expect(end.status == 200 && end.text.contains("href=\"\(deployment.client.origin)/\""))
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            let row = try #require(try await deployment.listed(Self.guest))
            #expect(row.state == .active && row.account.id == invited.result.account.id)
            #expect(try await deployment.stored.memberships.of(account: row.account.id).count() == 1)
            #expect(try await deployment.rows(of: "account_identity") == 1)
            #expect(try await deployment.stored.audit.of("user_invited").count() == 1)
        }
    }

    @Test("the database has the hash of the key alone")
    func hash() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.guest)
            let key = try #require(try await deployment.invitationLink(to: Self.guest).split(separator: "/").last)
            let secret = try #require(InvitationKey(wire: String(key)))
            let stored = try await deployment.text(of: "invitation")
            #expect(stored.contains("ivn_") && !stored.contains(key))
            #expect(
                try await deployment.stored.invitations.keyDigests() == [secret.digest])
            #expect(!deployment.log.text.contains(key) && !deployment.log.text.contains("inv_"))
        }
    }

    /// Threat: an invitation that a scanner opens or presses.
    @Test("after 100 scanners with GET, HEAD and every button the user still gets in, and no scanner is signed in")
    func scanners() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.guest, client: deployment.client.id)
            let link = try await deployment.invitationLink(to: Self.guest)
            let earlier = deployment.mailbox.all(to: Self.guest)
            for number in 0..<100 {
                let scanner = deployment.browser()
                if number % 4 == 0 { _ = try await scanner.send("HEAD", WebAddress(link)) }
                let page = try await scanner.follow(scanner.get(link))
                #expect(page.status == 200, "\(number)")
                for form in try page.page().forms {
                    let next = try await scanner.follow(scanner.submit(form, on: page))
                    for form in try next.page().forms { _ = try await scanner.submit(form, on: next) }
                }
                #expect(try await !scanner.isSignedInOnHomePage(of: deployment))
            }
            try await deployment.sendDueEmails()
            #expect(deployment.mailbox.all(to: Self.guest).count == earlier.count + 1, "one email for all of them")
            let browser = deployment.browser()
            let waiting = try await browser.accept(link)
            let code = try await deployment.mailbox.code(to: Self.guest, besides: earlier)
            let end = try await browser.follow(browser.enter(code, on: waiting))
            #expect(end.status == 200)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.rows(of: "account_identity") == 1)
        }
    }

    @Test("GET and HEAD write nothing but the visitor's session")
    func looks() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.guest)
            let link = try await deployment.invitationLink(to: Self.guest)
            let before = try await deployment.rows(of: "mail_queue")
            for method in ["GET", "HEAD", "GET"] {
                let scanner = deployment.browser()
                let visit = try await scanner.send(method, WebAddress(link))
                #expect(visit.status == 303)
                _ = try await scanner.send(method, visit.location())
                #expect(scanner.device == nil)
            }
            for table in ["challenge", "device", "account_identity", "sso_token"] {
                #expect(try await deployment.rows(of: table) == 0, "\(table)")
            }
            #expect(try await deployment.rows(of: "mail_queue") == before)
        }
    }

    @Test("browsers that press the button all day long cause at most 20 emails, and share one budget of guesses")
    func bounds() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.guest)
            let link = try await deployment.invitationLink(to: Self.guest)
            let earlier = deployment.mailbox.all(to: Self.guest)
            for number in 0..<120 {
                _ = try await deployment.browser().accept(link)
                guard number % 2 == 1 else { continue }
                try await deployment.sendDueEmails()
                deployment.clock.advance(by: .minutes(11))
            }
            let count = deployment.mailbox.all(to: Self.guest).count - earlier.count
            #expect((5...20).contains(count), "\(count)")
            #expect(try await deployment.rows(of: "device") == 1)
        }
    }

    struct Ending: Sendable, CustomTestStringConvertible {
        let reason: String
        let end: @Sendable (TestDeployment, String) async throws -> String
        var testDescription: String { reason }
    }

    static let endings = [
        Ending(reason: "withdrawn") { deployment, link in
            try await deployment.change(WithdrawInvitation(guest))
            return link
        },
        Ending(reason: "withdrawn") { deployment, link in
            try await deployment.change(ResendInvitation(guest, mail: deployment.invitationMail))
            return link
        },
        Ending(reason: "withdrawn") { deployment, link in
            try await deployment.change(DisableUser(guest))
            return link
        },
        Ending(reason: "used") { deployment, link in
            let (browser, earlier) = (deployment.browser(), deployment.mailbox.all(to: guest))
            let waiting = try await browser.accept(link)
            _ = try await browser.enter(deployment.mailbox.code(to: guest, besides: earlier), on: waiting)
            return link
        },
        Ending(reason: "expired") { deployment, link in
            deployment.clock.advance(by: .days(7))
            return link
        },
        Ending(reason: "unknown") { deployment, link in
            try await deployment.change(EraseUser(guest, .now))
            return link
        },
        Ending(reason: "unknown") { _, link in String(link.dropLast()) },
        Ending(reason: "unknown") { _, link in link + "x" },
    ]

    @Test("one that is over leads to a page with one next step, also by the button", arguments: endings)
    func over(row: Ending) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.guest)
            let link = try await deployment.invitationLink(to: Self.guest)
            let early = deployment.browser()
            let open = try await early.follow(early.get(link))
            let over = try await row.end(deployment, link)
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(over))
            #expect(page.status == 410)
            #expect(try page.page().links.filter { $0 == "/sign-in" }.count == 1)
            #expect(deployment.log.contains("invitation_rejected") && deployment.log.contains(row.reason))
            if over == link {
                #expect(try await early.submit(open.page().form(with: "email"), on: open).status == 410)
            }
        }
    }

    @Test("a user who has signed in before gets the groups and no email; an open invitation is not sent twice")
    func existing() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["staff"])
            _ = try await deployment.signedIn()
            let added = try await deployment.invite("ann@example.com", groups: ["staff"])
            #expect(added.isChanged && !added.result.isSent && added.result.isUser)
            #expect(try await !deployment.invite("ann@example.com", groups: ["staff"]).isChanged)
            #expect(try await deployment.invite(Self.guest).result.isSent)
            let again = try await deployment.invite(Self.guest)
            #expect(!again.isChanged && !again.result.isSent)
            #expect(try await deployment.rows(of: "invitation") == 1)
            #expect(
                try await deployment.refusal(of: ResendInvitation("ann@example.com", mail: deployment.invitationMail))
                    != nil)
        }
    }

    @Test("a group that nobody has made and a day in the past are refused, and then there is no account")
    func refused() async throws {
        try await TestDeployment.open { deployment in
            let (address, mail) = (try EmailAddress(Self.guest), deployment.invitationMail)
            let group = try await deployment.refusal(of: InviteUser(address, groups: ["nobody"], mail: mail))
            #expect(group?.contains("idp group add nobody") == true)
            let past = deployment.clock.now - .seconds(1)
            #expect(
                try await deployment.refusal(of: InviteUser(address, end: past, mail: mail))?.contains("past") == true)
            #expect(try await deployment.rows(of: "account") == 0)
            #expect(try await deployment.rows(of: "mail_queue") == 0)
        }
    }

    @Test("a withdrawn invitation takes the right to sign in and the groups back; it can be given again")
    func withdrawn() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["staff"])
            try await deployment.invite(Self.guest, groups: ["staff"])
            #expect(try await deployment.isChanged(by: WithdrawInvitation(Self.guest)))
            #expect(try await !deployment.isChanged(by: WithdrawInvitation(Self.guest)))
            #expect(try await deployment.listed(Self.guest)?.state == .withdrawn)
            #expect(try await deployment.rows(of: "group_member") == 0)
            _ = try await deployment.waiting(for: Self.guest, by: deployment.browser())
            #expect(try await deployment.stored.emails.decoys.count() == 1, "a decoy")
            #expect(try await deployment.invite(Self.guest).result.isSent)
            #expect(try await deployment.listed(Self.guest)?.state == .invited)
        }
    }

    @Test("an invitation has its own end date, also of an account that was invited or added before")
    func endDates() async throws {
        try await TestDeployment.open { deployment in
            func end() async throws -> Timestamp? { try await deployment.listed(Self.guest)?.account.endsAt }
            let (soon, later) = (deployment.clock.now + .days(2), deployment.clock.now + .days(9))
            try await deployment.invite(Self.guest, end: soon)
            #expect(try await end() == soon)
            try await deployment.invite(Self.guest, end: later)
            #expect(try await end() == later)
            #expect(try await !deployment.invite(Self.guest).isChanged)
            #expect(try await end() == later, "no date leaves it")
            try await deployment.isChanged(by: WithdrawInvitation(Self.guest))
            try await deployment.invite(Self.guest)
            #expect(try await end() == nil, "that of a withdrawn invitation is gone")
            try await deployment.isChanged(by: WithdrawInvitation(Self.guest))
            try await deployment.invite(Self.guest, end: soon)
            #expect(try await end() == soon)
            #expect(try await deployment.auditRows(.userChanged).filter { $0.cause == "end_date" }.count == 3)
            _ = try await deployment.signedIn()
            let refusal = try await deployment.refusal(
                of: InviteUser(EmailAddress("ann@example.com"), end: soon, mail: deployment.invitationMail))
            #expect(refusal?.contains("idp user set-end ann@example.com DATE") == true)
        }
    }

    @Test("the 501st within 24 hours is refused; a day later there is room")
    func daily() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.stored.invitations.add(499, at: deployment.clock.now)
            #expect(try await deployment.invite(Self.guest).result.isSent)
            let refusal = try await deployment.refusal(
                of: InviteUser(try EmailAddress("late@elsewhere.org"), mail: deployment.invitationMail))
            #expect(refusal?.contains("500") == true)
            #expect(try await deployment.rows(of: "account") == 1)
            deployment.clock.advance(by: .days(1) + .seconds(1))
            #expect(try await deployment.invite("late@elsewhere.org").result.isSent)
        }
    }

    @Test("another address in the form gets what it gets on the sign-in page, and no known browser")
    func otherAddress() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.guest)
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(deployment.invitationLink(to: Self.guest)))
            let form = try page.page().form(with: "email")
            #expect(try await browser.submit(form, on: page, ["email": "nonsense"]).status == 422)
            let waiting = try await browser.submit(form, on: page, ["email": "ann@example.com"])
            #expect(waiting.status == 303 && browser.device == nil)
            #expect(try await deployment.rows(of: "device") == 0)
            let forged = try await browser.post(page.address, [("email", Self.guest), ("form_token", "x")])
            #expect(forged.status == 403)
        }
    }
}
