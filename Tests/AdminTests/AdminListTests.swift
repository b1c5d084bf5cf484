import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPAdmin
@testable import IdPClients
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Lists, groups, the audit log and trouble.
@Suite("Lists of the admin pages", .program, .alsoOnPostgres)
struct AdminListTests {
    private static func open(_ body: (TestDeployment, Browser) async throws -> Void) async throws {
        try await TestDeployment.openAdmin { deployment in try await body(deployment, deployment.adminBrowser()) }
    }

    @Test(
        "users come in pages of 50, each once in a stable order, and a search finds the beginning of address and name")
    func users() async throws {
        try await Self.open { deployment, browser in
            for number in 100..<220 { try await deployment.invite("user\(number)@example.com") }
            try await deployment.isChanged(by: RenameUser("user150@example.com", to: "Zoe Example"))
            var (path, found): (String?, [String]) = ("/admin/users", [])
            while let next = path {
                let page = try await browser.get(deployment.origin + next)
                found += page.text.matches(of: #/user\d{3}@example.com/#).map { String($0.output) }
                path = page.text.firstMatch(of: #/href="([^"]*)" rel="next"/#).map {
                    String($0.1.replacing("&amp;", with: "&"))
                }
            }
            #expect(found.count == 120 && Set(found).count == 120 && found == found.sorted())
            for (word, count) in [("zoe", 1), ("user15", 10), ("ser15", 0), ("u", 51)] {
                let page = try await browser.get(deployment.origin + "/admin/users?search=\(word)")
                let rows = page.text.matches(of: #/<th scope="row"/#).count
                #expect(rows == (word == "u" ? 50 : count), "\(word)")
            }
        }
    }

    @Test("a first sign-in is the last one of its user, until the next")
    func lastSignIn() async throws {
        try await Self.open { deployment, browser in
            func cell() async throws -> String {
                let text = try await browser.get(deployment.origin + "/admin/users").text
                return String(text.split(separator: "data-label=\"Last sign-in\">").last?.prefix(80) ?? "")
            }
            try await deployment.invite("zoe@example.com")
            #expect(try await cell().hasPrefix("never"))
            _ = try await deployment.signedIn(as: "zoe@example.com")
            let first = try await cell()
            #expect(first.contains("<time"), "\(first)")
            deployment.clock.advance(by: .hours(2))
            _ = try await deployment.signedIn(as: "zoe@example.com")
            let again = try await deployment.adminBrowser().get(deployment.origin + "/admin/users").text
            #expect(again.contains("<time") && !again.contains(first))
        }
    }

    @Test("an import shows its plan first, and reads semicolons")
    func imports() async throws {
        try await Self.open { deployment, browser in
            let csv = "email;name;groups;until\nann@example.com;\"Miller; Ann\";;\nben@example.com;Ben;;2030-01-01"
            let question = try await deployment.question(browser, "/admin/users/import", ["csv": csv])
            #expect(question.status == 200 && question.text.contains("2 users are added."), "\(question.text)")
            let made = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(made.status == 303)
            #expect(try await deployment.account("ann@example.com").name == "Miller; Ann")
            #expect(try await deployment.account("ben@example.com").endsAt != nil)
            let wrong = try await deployment.question(browser, "/admin/users/import", ["csv": "email\nnobody"])
            #expect(wrong.status == 422)
            #expect(wrong.text.contains("<bdi lang=\"en\">"), "a sentence of the command: \(wrong.text)")
            for nothing in ["email,name,groups,until\n", "email\nann@example.com"] {
                let page = try await deployment.question(browser, "/admin/users/import", ["csv": nothing])
                #expect(page.status == 422 && page.text.contains("Nothing would change."), "\(page.text)")
            }
        }
    }

    @Test("groups are made, joined, left and removed, with what users lose")
    func groups() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.signedIn(as: "ann@example.com")
            #expect(try await deployment.make(browser, "/admin/groups/add", ["name": "staff"]).status == 303)
            let addresses = ["addresses": "ann@example.com"]
            #expect(try await deployment.make(browser, "/admin/groups/staff/join", addresses).status == 303)
            let page = try await browser.get(deployment.origin + "/admin/groups/staff")
            #expect(page.text.contains("ann@example.com"))
            let unknown = try await deployment.question(
                browser, "/admin/groups/staff/join", ["addresses": "nobody@example.com"])
            #expect(unknown.status == 422)
            #expect(try await deployment.make(browser, "/admin/groups/staff/leave", addresses).status == 303)
            let question = try await deployment.question(browser, "/admin/groups/staff/remove")
            #expect(question.text.contains("nothing brings it back"))
            #expect(try await deployment.make(browser, "/admin/groups/staff/remove", typing: "staff").status == 303)
            #expect(try await browser.get(deployment.origin + "/admin/groups/staff").status == 404)
        }
    }

    @Test("an export of the audit log is a CSV file of the filter, recorded, and holds no formula")
    func export() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let file = try await deployment.make(
                browser, "/admin/audit/export", ["event": "signed_in", "user": "ann@example.com"])
            #expect(file.status == 200 && file.reply.header("content-type") == "text/csv; charset=utf-8")
            let lines = file.text.split(separator: "\r\n")
            #expect(lines.count == 2 && lines[1].contains("signed_in"), "\(file.text)")
            #expect(try await deployment.auditRows(.auditExported).count == 1)
        }
    }

    @Test("an export has the columns of the command, and reads its rows after the change, so that no login waits")
    func exportAfterwards() async throws {
        try await Self.open { deployment, browser in
            let file = try await deployment.make(browser, "/admin/audit/export", ["event": "audit_exported"])
            let lines = file.text.split(separator: "\r\n").map(String.init)
            #expect(lines.first.map { $0 + "\r\n" } == AuditFileFormat.csv.start)
            #expect(lines.count == 2 && lines.last?.contains("audit_exported") == true, "its own row: \(file.text)")
        }
    }

    @Test("an export of 2,500 rows has each once, the newest first")
    func exportOfPages() async throws {
        try await Self.open { deployment, browser in
            let store = AuditStore(database: deployment.database, clock: deployment.clock.clock)
            try await deployment.database.write { connection in
                for number in 1...2500 {
                    try store.write(Event(.clientSecretAdded, client: "wiki", detail: "n\(number)"), connection)
                }
            }
            let file = try await deployment.make(browser, "/admin/audit/export", ["event": "client_secret_added"])
            let details = file.text.matches(of: #/,n(\d+),/#).compactMap { Int($0.1) }
            #expect(details == Array((1...2500).reversed()))
        }
    }

    @Test("a message that has failed can be tried now and given up, one that is settled cannot; each names its user")
    func messages() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let account = try await deployment.account(TestDeployment.admin).id
            for (id, isSettled) in [("waits", false), ("over", true)] {
                try await deployment.stored.signOutMessages.addTried(
                    id, at: "partner-1", of: account, at: deployment.clock.now,
                    next: deployment.clock.now + .minutes(5), error: "timeout", isSettled: isSettled, isDelivered: false
                )
            }
            let page = try await browser.get(deployment.origin + "/admin/sign-outs").text
            for link in ["waits/retry", "waits/give-up", "over/retry", "over/give-up"] {
                let isThere = page.contains("/admin/sign-outs/evt_\(link)\"")
                #expect(isThere == (link != "over/give-up"), "\(link)")
            }
            try await deployment.stored.signOutMessages.addTried(
                "ann", at: "partner-1", of: deployment.account("ann@example.com").id, at: deployment.clock.now,
                next: deployment.clock.now + .minutes(5), error: "timeout", isSettled: false, isDelivered: false)
            let users = [("waits", TestDeployment.admin), ("ann", "ann@example.com")]
            let both = try await browser.get(deployment.origin + "/admin/sign-outs")
            for (id, user) in users {
                #expect(both.text.contains(">\(user)</bdi></a></td>"), "\(user)")
                for action in ["retry", "give-up"] {
                    let path = "/admin/sign-outs/evt_\(id)/\(action)"
                    let label = try #require(both.text.split(separator: "href=\"\(path)\"").last?.prefix(120))
                    #expect(label.contains("about") && label.contains(user), "\(label)")
                    let question = try await browser.get(deployment.origin + path).text
                    let effect = try #require(question.split(separator: "class=\"effects\"").last?.prefix(200))
                    #expect(effect.contains(user) && effect.contains("partner-1"), "\(effect)")
                }
            }
        }
    }

    @Test("a state that does not exist is an error of its field, and not a list of everybody")
    func wrongState() async throws {
        try await Self.open { deployment, browser in
            let page = try await browser.get(deployment.origin + "/admin/users?state=typo")
            #expect(page.status == 422 && page.text.contains("Choose a state from the list."), "\(page.text)")
            #expect(page.text.contains("aria-invalid=\"true\"") && !page.text.contains("<table"))
            #expect(try await browser.get(deployment.origin + "/admin/users?state=active").status == 200)
        }
    }

    @Test(
        "a name in another script or with accents is found in small and in capital letters",
        arguments: [
            ("Änne Ösel", ["änne", "Änne", "ÄNNE ö"], ["ÖSEL", "ösel", "ne Ö"]),
            ("ÉMILE", ["émile", "Émile"], ["MILE", "é"]), ("Жанна", ["жанна", "ЖАННА"], ["НН", "нн"]),
        ])
    func accents(_ name: String, _ beginnings: [String], _ parts: [String]) async throws {
        try await Self.open { deployment, browser in
            try await deployment.invite("zoe@example.com")
            try await deployment.isChanged(by: RenameUser("zoe@example.com", to: name))
            for word in beginnings {
                let page = try await browser.get(
                    deployment.origin + "/admin/users?search=" + PercentCoding.encode(word))
                #expect(page.text.matches(of: #/<th scope="row"/#).count == 1, "\(word)")
            }
            let administration = AccountAdministration(
                database: deployment.database, clock: deployment.clock.clock)
            for word in beginnings + parts {
                let found = try await administration.page(.init(text: word))
                #expect(found.map(\.account.email) == ["zoe@example.com"], "\(word)")
            }
            #expect(try await administration.page(.init(text: "änna")).isEmpty)
        }
    }

    @Test(
        "a day that cannot be read is an error of its field, and not a filter without that end",
        arguments: ["since", "until"])
    func wrongDay(_ name: String) async throws {
        try await Self.open { deployment, browser in
            for path in ["/admin/audit", "/admin/audit/export"] {
                for day in ["2026-13-01", "yesterday", "2026-02-30"] {
                    let page = try await browser.get(deployment.origin + "\(path)?\(name)=\(day)&event=signed_in")
                    #expect(page.status == 422 && page.text.contains("Use a day such as 2026-11-25."), "\(path) \(day)")
                    #expect(page.text.contains("aria-invalid=\"true\"") && page.text.contains("-\(name)\">Use a day"))
                    #expect(!page.text.contains("name=\"version\"") && !page.text.contains("<table"), "\(path)")
                }
                let right = try await browser.get(deployment.origin + "\(path)?\(name)=2026-11-25&event=signed_in")
                #expect(right.status == 200, "\(path)")
            }
        }
    }

    @Test("trouble says why an address gets no code", arguments: ["nobody@example.org", "ann@example.com"])
    func trouble(_ address: String) async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.signedIn(as: "ann@example.com")
            try await deployment.isChanged(by: DisableUser("ann@example.com"))
            let page = try await browser.get(
                deployment.origin + "/admin/trouble?word=" + PercentCoding.encode(address))
            let expected = address == "ann@example.com" ? "is disabled" : "IDP_ALLOWED_EMAILS does not name it"
            #expect(page.text.contains(expected), "\(page.text)")
        }
    }

    @Test("trouble with a misspelt address leads to the nearest one, and has no words of a command")
    func misspelt() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let page = try await browser.get(deployment.origin + "/admin/trouble?word=an@example.com")
            #expect(page.text.contains("No account has the address") && !page.text.contains("there is no account"))
            let link = try #require(try page.page().link(containing: "/admin/trouble?word=ann"))
            let nearest = try await browser.get(deployment.origin + link)
            #expect(nearest.text.contains("may sign in."), "\(nearest.text)")
        }
    }

    @Test("trouble without a row names the log, and a row without a remedy has no words for one")
    func troubleWithoutWords() async throws {
        try await Self.open { deployment, browser in
            let none = try await browser.get(deployment.origin + "/admin/trouble?word=ABCD2345")
            #expect(none.text.contains("are in the log alone: search it for reference=<bdi>ABCD2345</bdi>"))
            _ = try await deployment.signedIn(as: "ann@example.com")
            let page = try await eventually("a row") {
                let page = try await browser.get(deployment.origin + "/admin/trouble?word=ann@example.com")
                return page.text.contains("signed_<wbr>in") ? page : nil
            }
            #expect(!page.text.contains("<span lang=\"en\">"), "\(page.text)")
        }
    }

    @Test("a form names what it is about, and the invitation has the languages by their names")
    func formTitles() async throws {
        try await Self.open { deployment, browser in
            _ = try await deployment.signedIn(as: "ann@example.com")
            let list = try await browser.get(deployment.origin + "/admin/users?search=ann@")
            let path = try #require(try list.page().link(containing: "/admin/users/usr_"))
            for (form, title) in [
                ("name", "Rename"), ("end-date", "Set the last day of"), ("groups", "Change the groups of"),
            ] {
                let page = try await browser.get(deployment.origin + path + "/" + form)
                let heading = ">\(title) <bdi translate=\"no\">ann@example.com</bdi></h1>"
                #expect(page.text.contains(heading), "\(page.text)")
            }
            let invite = try await browser.get(deployment.origin + "/admin/users/invite")
            #expect(invite.text.contains("<option value=\"de\">Deutsch</option>"), "\(invite.text)")
        }
    }

    @Test("every cause that an event can have has a remedy")
    func remedies() {
        for kind in IdPEvents.all {
            #expect(!kind.help.isEmpty)
            for cause in kind.causes { #expect(!cause.remedy.isEmpty, "\(kind.id) \(cause.id)") }
        }
    }

    @Test("no admin page reaches a store but through IdPOperations")
    func reachesNoStore() throws {
        let folder = TestVectors.repository.appending(path: "Sources/IdP/Admin").path()
        let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        for name in names where name.hasSuffix(".swift") && !name.hasPrefix("Notices/") && !name.hasPrefix("Gate/") {
            let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            let stores = [
                "AccountStore.", "GroupStore.", "ClientStore(", "PasskeyStore.", "InvitationStore.", "RoleStore.",
            ]
            for store in stores {
                #expect(!text.contains(store), "\(name): \(store)")
            }
        }
    }
}
