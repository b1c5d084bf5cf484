import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// How a change is asked for, counted, made and recorded.
@Suite("Changes on admin pages", .program, .alsoOnPostgres)
struct AdminChangeTests {
    @Test("a change says its effect, is made once the button is pressed, and the page says so")
    func disable() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let question = try await browser.get(deployment.origin + home + "/disable")
            #expect(question.status == 200)
            #expect(question.text.contains("1 session ends.") && question.text.contains("service"), "\(question.text)")
            let made = try await browser.submit(question.page().form(with: "version"), on: question)
            let path = try made.location().path
            #expect(made.status == 303 && path == home)
            let page = try await browser.follow(made)
            #expect(page.text.contains("role=\"status\"") && page.text.contains("The account is disabled."))
            #expect(try await deployment.account("ann@example.com").isDisabled)
            let rows = try await deployment.auditRows(.adminChange, untilThereAre: 2)
            #expect(rows.map(\.cause) == ["opened", "made"])
            #expect(rows.allSatisfy { $0.detail == "user_disable" && $0.reference != nil && $0.network != nil })
            let actor = try await deployment.account(TestDeployment.admin).id
            #expect(rows.allSatisfy { $0.actor == "user:\(actor)" })
        }
    }

    @Test("a sign-in of 11 minutes makes the change wait, with what was typed, and asks again after the new one")
    func waits() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let question = try await deployment.question(browser, home + "/name", ["name": "Ann Example"])
            deployment.clock.advance(by: .minutes(11))
            let asked = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(try asked.location().path == "/sign-in")
            #expect(try await deployment.account("ann@example.com").name == "ann", "nothing has changed")
            let earlier = deployment.mailbox.all(to: TestDeployment.admin).count
            let waiting = try await browser.ask(for: TestDeployment.admin, on: browser.follow(asked))
            let again = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: TestDeployment.admin, count: earlier + 1), on: waiting))
            #expect(again.status == 200 && again.text.contains("Ann Example"), "\(again.text)")
            #expect(try await deployment.account("ann@example.com").name == "ann", "the sign-in changes nothing")
            let made = try await browser.submit(again.page().form(with: "version"), on: again)
            #expect(made.status == 303)
            #expect(try await deployment.account("ann@example.com").name == "Ann Example")
        }
    }

    @Test("IDP_ADMIN_REQUIRE=phr: a new sign-in by email is not enough for a change, and enough to look")
    func strength() async throws {
        try await TestDeployment.openAdmin(settings: ["IDP_ADMIN_REQUIRE": "phr"]) { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let question = try await browser.get(deployment.origin + home + "/disable")
            #expect(question.status == 200)
            let asked = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(try asked.location().path == "/sign-in")
            #expect(try await !deployment.account("ann@example.com").isDisabled)
        }
    }

    @Test("IDP_ADMIN_REQUIRE=phr: an admin who has to add a passkey first comes back to the change that waits")
    func firstPasskey() async throws {
        try await TestDeployment.openAdmin(settings: ["IDP_ADMIN_REQUIRE": "phr"]) { deployment in
            let browser = try await deployment.adminBrowser()
            let question = try await deployment.question(
                browser, "/admin/users/invite", ["address": "new@example.com"])
            let asked = try await browser.submit(question.page().form(with: "version"), on: question)
            let flow = try asked.location().query("flow")
            #expect(try await browser.follow(asked).text.contains("/passkeys/add") && flow != nil)
            let authenticator = SoftwareAuthenticator(.synced)
            let added = try await browser.addPasskey(authenticator, on: deployment.passkeyPage(browser))
            let back = try added.location()
            #expect(added.status == 303 && back.path == "/sign-in" && back.query("flow") == flow)
            let again = try await browser.follow(browser.usePasskey(authenticator, on: browser.follow(added)))
            #expect(again.text.contains("new@example.com"), "\(again.text)")
            #expect(try await browser.submit(again.page().form(with: "version"), on: again).status == 303)
            #expect(try await deployment.account("new@example.com").addedAt != nil)
            let second = SoftwareAuthenticator(.synced)
            let more = try await browser.addPasskey(second, on: deployment.passkeyPage(browser))
            #expect(try more.location().path == "/passkeys", "nothing waits any more")
        }
    }

    @Test("an effect that has changed since the page was shown is asked about again, with the difference")
    func changedMeanwhile() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let question = try await browser.get(deployment.origin + home + "/sign-out")
            deployment.clock.advance(by: .seconds(61))
            _ = try await deployment.signedIn(as: "ann@example.com")
            let again = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(again.status == 409)
            #expect(again.text.contains("1 session ends.") && again.text.contains("2 sessions end."), "\(again.text)")
            let made = try await browser.submit(again.page().form(with: "version"), on: again)
            #expect(made.status == 303)
        }
    }

    @Test("what cannot be undone wants the address typed, byte for byte")
    func typed() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let question = try await deployment.question(browser, home + "/erase").text
            #expect(question.contains("class=\"danger\"") && question.contains("Until then it can be kept."))
            #expect(!question.contains("nothing brings it back") && !question.contains("until it is enabled"))
            for word in ["", "ann@example.org", "ANN@example.com"] {
                let refused = try await deployment.make(browser, home + "/erase", typing: word)
                #expect(refused.status == 422 && refused.text.contains("aria-invalid"), "\(word)")
                #expect(try await deployment.account("ann@example.com").eraseAt == nil)
            }
            let made = try await deployment.make(browser, home + "/erase", typing: "ann@example.com")
            #expect(made.status == 303)
            #expect(try await deployment.account("ann@example.com").eraseAt != nil)
            let kept = try await deployment.make(browser, home + "/keep")
            #expect(kept.status == 303)
            #expect(try await deployment.account("ann@example.com").eraseAt == nil)
        }
    }

    @Test("no admin keeps out themselves, or whom IDP_ADMINS names", arguments: ["disable", "erase", "end-date"])
    func protected(_ action: String) async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.adminBrowser(as: "second@example.org")
            let browser = try await deployment.adminBrowser(as: "ben@example.com")
            try await deployment.grant(.admin, to: "ben@example.com")
            for address in ["ben@example.com", "second@example.org"] {
                let home = try await deployment.userPath(address)
                let refused = try await deployment.question(
                    browser, "\(home)/\(action)", action == "end-date" ? ["date": "2020-01-01"] : [:])
                #expect(refused.status == 403, "\(address)")
                #expect(try await !deployment.account(address).isDisabled)
            }
            let rows = try await deployment.auditRows(.adminRefused, untilThereAre: 2)
            #expect(rows.allSatisfy { $0.cause == "protected" })
            for address in ["ben@example.com", "second@example.org"] {
                let home = try await deployment.userPath(address)
                let page = try await browser.get(deployment.origin + home).text
                #expect(page.contains("\(home)/name\"") && !page.contains("\(home)/\(action)\""), "\(address)")
            }
        }
    }

    @Test("an account that is to be erased is offered nothing that it does not take, and the page to keep it instead")
    func erasing() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            try await deployment.isChanged(by: DisableUser("ann@example.com"))
            try await deployment.isChanged(by: EraseUser("ann@example.com"))
            let home = try await deployment.userPath("ann@example.com")
            let page = try await browser.get(deployment.origin + home).text
            #expect(page.contains("\(home)/keep\"") && page.contains("\(home)/sign-out\""))
            for action in ["enable", "name", "end-date", "link"] {
                #expect(!page.contains("\(home)/\(action)\""), "\(action)")
                let value = action == "end-date" ? "date" : action
                let refused = try await deployment.question(
                    browser, "\(home)/\(action)", ["name", "date"].contains(value) ? [value: "2030-01-01"] : [:])
                #expect(refused.status == 409 && refused.text.contains("href=\"\(home)/keep\""), "\(action)")
                #expect(refused.text.contains("Keep the account first") && !refused.text.contains("idp user"))
            }
            for (path, values) in [
                ("/admin/roles/grant", ["address": "ann@example.com", "role": "auditor"]),
                ("/admin/users/invite", ["address": "ann@example.com"]),
            ] {
                let wrong = try await deployment.question(browser, path, values)
                #expect(wrong.status == 422 && wrong.text.contains("Keep the account first"), "\(wrong.text)")
            }
        }
    }

    @Test("no token, the token of another session, and another origin change nothing")
    func forged() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let question = try await browser.get(deployment.origin + home + "/disable")
            let form = try #require(try question.page().form(with: "version"))
            let address = try question.address.resolving(form.action)
            let fields = form.filled([:])
            let none = try await browser.post(address, fields.filter { $0.0 != "form_token" })
            #expect(none.status == 403)
            deployment.clock.advance(by: .seconds(61))
            let other = try await deployment.adminBrowser()
            let foreign = try await other.post(address, fields)
            #expect(foreign.status == 403)
            let elsewhere = try await browser.send(
                "POST", address,
                [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://evil.example"),
                    ("Sec-Fetch-Site", "cross-site"),
                ], body: Array(FormCoding.encode(fields).utf8))
            #expect(elsewhere.status == 403)
            #expect(try await !deployment.account("ann@example.com").isDisabled)
            let made = try await browser.post(address, fields)
            #expect(made.status == 303, "the same form of the page itself")
        }
    }

    @Test("a role that is revoked between the question and the button makes no change")
    func demoted() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser(as: "ben@example.com")
            try await deployment.grant(.admin, to: "ben@example.com")
            let home = try await deployment.userPath("ann@example.com")
            let question = try await browser.get(deployment.origin + home + "/disable")
            try await deployment.revoke(.admin, of: "ben@example.com")
            let refused = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(refused.status == 404)
            #expect(try await !deployment.account("ann@example.com").isDisabled)
        }
    }

    @Test("60 changes pass in a minute, and the next is 429")
    func limit() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            var (statuses, last): ([Int], String) = ([], "")
            for number in 1...61 {
                let made = try await deployment.make(browser, home + "/name", ["name": "Ann \(number)"])
                statuses.append(made.status)
                last = made.text
            }
            #expect(statuses.prefix(60).allSatisfy { $0 == 303 } && statuses.last == 429)
            #expect(last.contains("from your account") && !last.contains("network"), "\(last)")
            #expect(try await deployment.account("ann@example.com").name == "Ann 60")
        }
    }

    @Test("wrong input is 422, with the form as typed and a line that leads to its field")
    func wrongInput() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            let page = try await deployment.question(
                browser, "/admin/users/invite", ["address": "no address", "groups": "none", "date": "soon"])
            #expect(page.status == 422)
            for part in [
                "<title>Error: Invite a user", "role=\"alert\"", "href=\"#field-address\"", "id=\"field-address\"",
                "aria-invalid=\"true\"",
                "value=\"no address\"", "href=\"#field-groups\"", "href=\"#field-date\"",
            ] { #expect(page.text.contains(part), "\(part) in \(page.text)") }
        }
    }

    @Test("a last day that cannot be read and a name that nobody sees are told what they must be")
    func wrongValues() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            let day = try await deployment.question(browser, home + "/end-date", ["date": "yesterday"])
            #expect(day.status == 422 && day.text.contains("Use a day such as 2027-06-30"))
            #expect(!day.text.contains("in the future"), "a day of the past is taken")
            for name in ["", "\u{200f}", "\u{200b}"] {
                let page = try await deployment.question(browser, home + "/name", ["name": name])
                #expect(page.status == 422 && page.text.contains("1 to 80 visible characters"), "\(page.text)")
            }
        }
    }

    @Test("a link with values shows the form of a grant, and never its question")
    func linked() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let page = try await browser.get(
                deployment.origin + "/admin/roles/grant?address=ann@example.com&role=admin")
            #expect(page.status == 200 && !page.text.contains("name=\"version\""))
            let invite = try await browser.get(deployment.origin + "/admin/users/invite?address=new@example.com")
            #expect(invite.text.contains("name=\"version\""))
        }
    }

    @Test("the notice says whether an email was sent, and whether the end date was set or removed")
    func otherNotices() async throws {
        try await TestDeployment.openAdmin { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let browser = try await deployment.adminBrowser()
            let home = try await deployment.userPath("ann@example.com")
            for (path, values, words) in [
                ("/admin/users/invite", ["address": "new@example.com"], "The invitation is on its way."),
                ("/admin/users/invite", ["address": "ann@example.com"], "Done. No email was sent."),
                (home + "/end-date", ["date": "2099-01-01"], "The end date is set."),
                (home + "/end-date", ["date": ""], "The end date was removed."),
            ] {
                let page = try await browser.follow(deployment.make(browser, path, values))
                #expect(page.text.contains("<p class=\"notice\" role=\"status\">\(words)"), "\(page.text)")
            }
        }
    }

    @Test("a group that is named twice in an invitation is said once")
    func groupTwice() async throws {
        try await TestDeployment.openAdmin { deployment in
            try await deployment.isChanged(by: MakeGroup("staff"))
            let browser = try await deployment.adminBrowser()
            let page = try await deployment.question(
                browser, "/admin/users/invite", ["address": "new@example.com", "groups": "staff\nstaff"])
            #expect(page.status == 200 && page.text.matches(of: #/joins the group <span/#).count == 1, "\(page.text)")
        }
    }

    @Test("an invitation sets the end date of an unused account, and names the user's page for one in use")
    func invitedUntil() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            let (path, until) = ("/admin/users/invite", ["address": "new@example.com", "date": "2030-01-01"])
            try await deployment.invite("new@example.com")
            let question = try await deployment.question(browser, path, until)
            #expect(question.text.contains("The last day is"), "\(question.text)")
            #expect(try await browser.submit(question.page().form(with: "version"), on: question).status == 303)
            #expect(try await deployment.account("new@example.com").endsAt == EndDate.read("2030-01-01"))
            try await deployment.isChanged(by: WithdrawInvitation("new@example.com"))
            let again = try await deployment.question(browser, path, ["address": "new@example.com"])
            #expect(again.text.contains("The account has no end date."), "\(again.text)")
            _ = try await deployment.signedIn(as: "ann@example.com")
            let used = try await deployment.question(
                browser, path, ["address": "ann@example.com", "date": "2030-01-01"])
            #expect(used.status == 422 && used.text.contains("href=\"#field-date\""), "\(used.text)")
        }
    }

    @Test("the page for withdrawing says what happens, for an imported user too, and refuses where nothing would")
    func withdrawing() async throws {
        try await TestDeployment.openAdmin { deployment in
            try await deployment.isChanged(by: MakeGroup("staff"))
            let browser = try await deployment.adminBrowser()
            let csv = "email,groups\nzoe@example.com,staff"
            var options = ImportPlan.Options()
            options.invites = true
            try await deployment.isChanged(
                by: ImportUsers(ImportFile(Array(csv.utf8)), options, mail: deployment.invitationMail))
            try await deployment.invite("guest@example.com", groups: ["staff"])
            for (address, leaves) in [("zoe@example.com", false), ("guest@example.com", true)] {
                let home = try await deployment.userPath(address)
                let question = try await browser.get(deployment.origin + home + "/withdraw")
                #expect(question.text.contains("leaves the group") == leaves, "\(question.text)")
                #expect(question.text.contains("IDP_ALLOWED_EMAILS") == leaves)
                #expect(try await browser.submit(question.page().form(with: "version"), on: question).status == 303)
                let account = try await deployment.account(address)
                let groups = try await deployment.database.read { try AdminView.groups(of: account, $0) }
                #expect(groups.isEmpty == leaves)
                #expect(try await browser.get(deployment.origin + home + "/withdraw").status == 409)
                #expect(try await !browser.get(deployment.origin + home).text.contains("\(home)/withdraw"))
            }
        }
    }

    @Test("without mail no page promises an email, and a last passkey goes only with the address typed")
    func withoutMail() async throws {
        try await TestDeployment.openAdmin(settings: ["IDP_MAIL_URL": "none"]) { deployment in
            _ = try await deployment.givePasskey(to: "ann@example.com")
            let authenticator = try await deployment.givePasskey(to: TestDeployment.admin)
            let browser = deployment.browser()
            _ = try await browser.usePasskey(authenticator, on: deployment.signInPage(browser))
            let question = try await deployment.question(
                browser, "/admin/users/invite", ["address": "new@example.com"])
            #expect(question.text.contains("No email is sent") && !question.text.contains("gets an email"))
            let made = try await browser.submit(question.page().form(with: "version"), on: question)
            let home = try await deployment.userPath("new@example.com")
            #expect(try made.location().path == home)
            #expect(try await deployment.rows(of: "invitation") == 0)
            #expect(try await deployment.account("new@example.com").addedAt != nil)
            let page = try await browser.get(deployment.origin + home).text
            #expect(!page.contains("\(home)/resend") && page.contains("\(home)/link"))
            #expect(try await browser.get(deployment.origin + home + "/resend").status == 409)
            let csv = ["csv": "email\nzoe@example.com", "invite": "yes"]
            #expect(try await deployment.make(browser, "/admin/users/import", csv).status == 303)
            #expect(try await deployment.rows(of: "invitation") == 0)

            let ann = try await deployment.account("ann@example.com")
            let passkey = try #require(
                try await deployment.database.read { try AdminView.passkeys(of: ann, $0) }.first)
            let path = AdminPath.user(ann) + "/remove-passkey?passkey=\(passkey.id)"
            let last = try await browser.get(deployment.origin + path)
            #expect(last.text.contains("no way to sign in is left") && !last.text.contains("by email"), "\(last.text)")
            #expect(try await browser.submit(last.page().form(with: "version"), on: last).status == 422)
            let typed = ["typed": "ann@example.com"]
            #expect(try await browser.submit(last.page().form(with: "version"), on: last, typed).status == 303)
        }
    }

    @Test("markup and 10,000 characters in every field stay text, and are cut")
    func hostileText() async throws {
        try await TestDeployment.openAdmin { deployment in
            let browser = try await deployment.adminBrowser()
            let hostile = "<script>alert(1)</script>\u{202e}" + String(repeating: "x", count: 10_000)
            let actions = ["/admin/users/invite", "/admin/groups/add", "/admin/services/add", "/admin/roles/grant"]
            for path in actions {
                let first = try await browser.get(deployment.origin + path)
                let form = try #require(try first.page().form(with: "form_token"))
                let names = form.filled([:]).map(\.0).filter { $0 != "form_token" } + ["groups", "redirect_uris"]
                let page = try await deployment.fill(
                    browser, on: first, Dictionary(names.map { ($0, hostile) }) { first, _ in first })
                #expect(page.status == 422, "\(path)")
                #expect(!page.text.contains("<script>alert"), "\(path)")
            }
            for path in ["/admin/users?search=", "/admin/trouble?word=", "/admin/audit?user=", "/admin?done="] {
                let page = try await browser.get(
                    deployment.origin + path + PercentCoding.encode(String(hostile.prefix(2000))))
                #expect(page.status == 200 && !page.text.contains("<script>alert"), "\(path) \(page.status)")
            }
        }
    }
}
