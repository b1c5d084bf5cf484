import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The pages about sessions", .program)
struct SessionPagesTests {
    @Test("/sessions lists browsers and apps with device, network and the services entered from each")
    func list() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            _ = try await deployment.enter(deployment.client, in: browser)
            _ = try await deployment.signedInApp(device: "Ann's phone")
            let page = try await browser.get(deployment.origin + "/sessions")
            #expect(page.status == 200)
            #expect(try Self.handles(on: page).count == 2)
            for part in ["Ann&#39;s phone", "127.0.0.0/24", "Partner number 1", "this device"] {
                #expect(page.text.contains(part), "\(part)")
            }
        }
    }

    @Test("a visitor who opens /sessions signs in and is shown the list, and nothing has ended by then")
    func visitor() async throws {
        try await TestDeployment.open { deployment in
            let owner = try await deployment.furtherBrowser()
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(deployment.origin + "/sessions"))
            try await deployment.forgetEmails(to: "ann@example.com")
            let list = try await deployment.signInAgain(browser, on: form, as: "ann@example.com")
            #expect(list.status == 200 && list.address.path == "/sessions")
            #expect(try Self.handles(on: list).count == 2)
            #expect(try await owner.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a visitor who opens another page of the account is shown that page after the sign-in")
    func otherPages() async throws {
        try await TestDeployment.open(settings: TestDeployment.ownAccount) { deployment in
            for path in ["/activity", "/address", "/erase", "/picture"] {
                let (browser, user) = (deployment.browser(), "\(path.dropFirst())@example.com")
                let form = try await browser.follow(browser.get(deployment.origin + path))
                let page = try await deployment.signInAgain(browser, on: form, as: user)
                #expect(page.status == 200 && page.address.path == path, "\(path): \(page.address.absolute)")
                let signIn = try await browser.get("\(deployment.origin)/sessions/sign-in?page=\(path.dropFirst())")
                #expect(try signIn.location().path == path)
            }
            let browser = try await deployment.signedIn()
            for text in ["", "//evil.example", "admin", "activity&page=activity"] {
                let visit = try await browser.get(deployment.origin + "/sessions/sign-in?page=" + text)
                #expect(try visit.location().absolute == deployment.origin + "/sessions", "\(text)")
            }
        }
    }

    /// Inserts sessions of the user that were used longer and longer ago.
    private static func add(_ count: Int, to deployment: TestDeployment) async throws {
        let now = deployment.clock.now
        // Some of them at the same moment.
        try await deployment.stored.sessions.addCopies(
            (1...count).map { ("ses_\($0)", now - .milliseconds($0 / 3)) }, now: now)
    }

    private static func handles(on page: Visit) throws -> [String] {
        try page.page().forms.compactMap { $0["session"] }
    }

    @Test(
        "of 451 sessions /sessions shows this one and 50 a page, each once, home five and that there are more. All end"
    )
    func many() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            deployment.clock.advance(by: .seconds(30))
            try await Self.add(450, to: deployment)
            let home = try await browser.get(deployment.origin + "/")
            #expect(home.status == 200 && home.text.contains("this device"))
            #expect(home.text.contains("Only those used last are shown here"))
            #expect(try Self.handles(on: home).count == 4)

            let list = try await browser.get(deployment.origin + "/sessions")
            #expect(try Self.handles(on: list).count == 51 && list.text.contains("this device"))
            #expect(list.text.contains("More follow on the next page"))
            var (page, seen, count) = (list, Set(try Self.handles(on: list)), 1)
            while let next = try page.page().link(containing: "/sessions?before=") {
                page = try await browser.get(deployment.origin + next)
                count += 1
                let handles = try Self.handles(on: page)
                #expect(handles.count <= 50)
                seen.formUnion(handles)
                guard count < 20 else { break }
            }
            #expect(count == 10 && seen.count == 451)

            // One of the last page, which the first one does not list.
            _ = try await browser.submit(list.page().form(to: "/sessions/end"), on: list, ["session": "ses_449"])
            #expect(try await deployment.stored.sessions.handle("ses_449", "ses_450").count() == 1)
            _ = try await browser.submit(list.page().form(to: "/sessions/end-others"), on: list)
            let rest = try await browser.get(deployment.origin + "/sessions")
            #expect(try Self.handles(on: rest).count == 1)
        }
    }

    @Test(
        "a position that cannot be read is the first page",
        arguments: ["", "x", "1", ".", "99999999999999999999.a", "-1.a"])
    func position(text: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            #expect(try await browser.get(deployment.origin + "/sessions?before=" + text).status == 200)
        }
    }

    @Test("ending sessions leads to the plain list, which says so then, and neither later nor where none was ended")
    func said() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            for path in ["/sessions/end", "/sessions/end-others"] {
                for _ in 1...2 { _ = try await deployment.furtherBrowser() }
                let list = try await browser.get(deployment.origin + "/sessions")
                #expect(!list.text.contains("Signed out there."))
                let form = try list.page().form(to: path)
                let ended = try await browser.submit(form, on: list)
                #expect(ended.status == 303 && ended.reply.header("location") == "/sessions", "\(path)")
                #expect(try await browser.follow(ended).text.contains("Signed out there."))
                if path == "/sessions/end" {
                    let twice = try await browser.submit(form, on: list)
                    #expect(twice.status == 303 && twice.reply.header("location") == "/sessions")
                    #expect(try await !browser.follow(twice).text.contains("Signed out there."), "pressed twice")
                }
                deployment.clock.advance(by: .minutes(2))
            }
        }
    }

    @Test("ending the own session says what signing out does, and a session of another user cannot be ended")
    func own() async throws {
        try await TestDeployment.open { deployment in
            let (ann, bob) = (
                try await deployment.furtherBrowser(), try await deployment.furtherBrowser(of: "bob@example.com")
            )
            let list = try await bob.get(deployment.origin + "/sessions")
            let own = try #require(try Self.handles(on: list).first)
            let page = try await ann.get(deployment.origin + "/sessions")
            let end = try WebAddress(deployment.origin + "/sessions/end")
            #expect(try await ann.post(end, [("form_token", page.formToken()), ("session", own)]).status == 303)
            #expect(try await bob.isSignedInOnHomePage(of: deployment))
            let ended = try await ann.follow(ann.submit(page.page().form(with: "session"), on: page))
            #expect(ended.status == 200 && ended.address.path == "/signed-out")
            #expect(try await !ann.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("a form of another site ends nothing: not on /sessions, and not on a client's page")
    func crossSite() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.furtherBrowser()
            for path in ["/sessions/end", "/sessions/end-others", SSOPath.signOut] {
                let fields = "client_id=partner-1&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye&session=x"
                let reply = try await browser.send(
                    "POST", try WebAddress(deployment.origin + path),
                    [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://evil.example")],
                    body: Array(fields.utf8))
                #expect(reply.status == 403 || reply.status == 422 || reply.status == 400, "\(path)")
            }
            #expect(try await browser.get(deployment.signOutPage(of: deployment.client)).status == 200)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("the page of a client leads back with the state: for a visitor at once, and after either button")
    func clientPage() async throws {
        try await TestDeployment.open { deployment in
            let back = "https://partner-1.example/bye?state=bye"
            let address = deployment.signOutPage(of: deployment.client)
            let visit = try await deployment.browser().get(address)
            #expect(visit.status == 303 && visit.reply.header("location") == back)
            for stays in [true, false] {
                let browser = try await deployment.furtherBrowser()
                let page = try await browser.get(address)
                #expect(page.status == 200)
                // The client's page may lead on to another origin.
                #expect(page.reply.header("content-security-policy")?.contains("form-action") == false)
                let form = try page.page().forms.first {
                    $0.action == SSOPath.signOut && ($0["stay"] != nil) == stays
                }
                let answer = try await browser.submit(form, on: page)
                #expect(answer.status == 303 && answer.reply.header("location") == back)
                #expect(try await browser.isSignedInOnHomePage(of: deployment) == stays)
            }
            let plain = try await deployment.browser().get(
                deployment.signOutPage(of: deployment.client, state: nil))
            #expect(plain.reply.header("location") == "https://partner-1.example/bye")
        }
    }

    @Test(
        "a return address that is not registered gets a 400 page without a link, there or elsewhere",
        arguments: [
            "client_id=partner-1&redirect_uri=https%3A%2F%2Fevil.example%2F",
            "client_id=partner-1&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye%2F",
            "client_id=partner-2&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye",
            "client_id=partner-1&client_id=partner-1&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye",
            "client_id=partner-1&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye&state=%00", "client_id=partner-1",
            "client_id=partner-1&redirect_uri=https%3A%2F%2Fpartner-1.example%2Fbye&state=a&state=b", "",
        ])
    func unregistered(query: String) async throws {
        try await TestDeployment.open { deployment in
            let page = try await deployment.browser().get("\(deployment.origin)\(SSOPath.signOut)?\(query)")
            #expect(page.status == 400 && !page.text.contains("evil.example"))
            #expect(try page.page().links == ["/"] && page.page().forms.isEmpty, "the brand alone")
        }
    }

    @Test("the page after sign-out says whether each service was reached, and /sessions keeps the receipts")
    func receipts() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(clientKeys: "logout_uri: \"\(stub.logoutURI)\"") { deployment in
            let (browser, other) = (try await deployment.furtherBrowser(), try await deployment.furtherBrowser())
            _ = try await deployment.enter(deployment.client, in: browser)
            let out = try await browser.follow(browser.signOut(of: deployment))
            #expect(out.status == 200 && out.text.contains("Partner number 1"))
            try await eventually("the receipt") {
                try await browser.get(out.address).text.contains("✓") ? () : nil
            }
            let list = try await other.get(deployment.origin + "/sessions")
            #expect(list.text.contains("✓"))
        }
    }

    @Test("/activity shows the user's own rows alone, 50 a page, the newest first")
    func activity() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.furtherBrowser()
            _ = try await deployment.furtherBrowser(of: "bob@example.com")
            for number in 1...60 {
                _ = try await browser.rename(at: deployment, to: "Ann \(number)")
            }
            let first = try await browser.get(deployment.origin + "/activity")
            #expect(first.status == 200)
            #expect(first.text.components(separatedBy: "Name changed").count == 51)
            let older = try #require(try first.page().link(containing: "/activity?before="))
            let second = try await browser.get(deployment.origin + older)
            #expect(second.text.components(separatedBy: "Name changed").count == 11)
            #expect(second.text.components(separatedBy: "Signed in").count == 2)
            #expect(try await deployment.browser().get(deployment.origin + "/activity").status == 303)
        }
    }
}
