import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A user without access to a client", .program)
struct NoAccessPageTests {
    private static let address = "ann@example.com"

    private static func open(
        _ keys: String = "groups: [board]", settings: [String: String] = [:],
        _ body: (TestDeployment, TestDeployment.Client, Browser) async throws -> Void
    ) async throws {
        try await TestDeployment.open(
            clients: 2, keys: ["access: everyone", keys], settings: settings, clientKeys: TestedProtocol.clientKeys,
            adding: TicketProtocol.added
        ) { deployment in
            let browser = try await deployment.signedIn(as: address)
            try await deployment.makeGroups(["board"])
            try await body(deployment, deployment.clients[1], browser)
        }
    }

    @Test("reads who is signed in and whom to ask, and no group, no token and no other client")
    func page() async throws {
        try await Self.open("groups: [board], contact: \"mailto:desk+it@example.com\"") { deployment, client, browser in
            let page = try await browser.get(deployment.authorize(client, state: "kept"))
            #expect(page.status == 403)
            #expect(page.text.contains("You don&#39;t have access to <bdi>Partner number 2</bdi>"))
            #expect(page.text.contains(Self.address))
            #expect(
                page.text.contains("href=\"mailto:desk%2Bit@example.com?subject=Access%20to%20")
                    && page.text.contains(">desk+it@example.com<"))
            for word in ["board", "sst_", "Partner number 1"] { #expect(!page.text.contains(word)) }
            #expect(page.reply.header("cache-control") == "no-store")
        }
    }

    @Test(
        "is told the client's contact, else the support link, else has another account as the way on",
        arguments: [
            (
                "contact: https://help.example.com/wiki", "https://id.example.com/help",
                "href=\"https://help.example.com/wiki\""
            ),
            (
                "hidden: false", "https://id.example.com/help",
                "href=\"https://id.example.com/help\" aria-describedby=\"contact\">Ask for access</a>"
            ),
            ("hidden: false", "mailto:help@example.com", "at <bdi>help@example.com</bdi>"),
            ("hidden: false", nil, "<button type=\"submit\">Use another account</button>"),
        ] as [(String, String?, String)])
    func contact(keys: String, support: String?, words: String) async throws {
        try await Self.open(
            "groups: [board], \(keys)", settings: support.map { ["IDP_SUPPORT_URL": $0] } ?? [:]
        ) { deployment, client, browser in
            let page = try await browser.get(deployment.authorize(client, state: "s"))
            #expect(page.status == 403 && page.text.contains(words), "\(page.text)")
        }
    }

    @Test("takes another account for the same request, without starting again", arguments: TestedProtocol.allCases)
    func anotherAccount(asking: TestedProtocol) async throws {
        try await Self.open { deployment, client, browser in
            _ = try await deployment.signedIn(as: "ben@example.com")
            try await deployment.change(JoinGroup("board", ["ben@example.com"]))
            deployment.clock.advance(by: .seconds(61))
            let refused = try await browser.get(asking.ask(client, mark: "kept", of: deployment))
            let form = try await browser.follow(
                browser.submit(refused.page().form(to: AccountChoice.path), on: refused))
            #expect(form.address.path == "/sign-in" && form.text.contains(client.name))
            let complete = try await deployment.signInAgain(browser, on: form, as: "ben@example.com")
            let redeemed = try await asking.redeem(asking.callback(complete), as: client, of: deployment)
            #expect(redeemed?.email == "ben@example.com" && redeemed?.mark == "kept")
        }
    }

    @Test(
        "goes back with access_denied and what the client sent, once, and stays signed in",
        arguments: TestedProtocol.allCases)
    func back(asking: TestedProtocol) async throws {
        try await Self.open { deployment, client, browser in
            let refused = try await browser.get(asking.ask(client, mark: "kept", of: deployment))
            let link = try refused.page().link(containing: FlowID.cancelPath)
            let back = try await browser.click(link, on: refused)
            let callback = try back.location()
            #expect(back.status == 302 && callback.absolute.hasPrefix(asking.callbackAddress(of: client) + "?"))
            #expect(asking.refusal(callback) == .accessDenied)
            #expect(try asking.mark(in: callback) == "kept")
            #expect(try await browser.click(link, on: refused).status == 410)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test(
        "is answered at once where the client asked for no question, and nothing waits",
        arguments: TestedProtocol.withEveryWish)
    func silent(asking: TestedProtocol) async throws {
        try await Self.open { deployment, client, browser in
            let answer = try await browser.get(asking.ask(client, mark: "kept", .noQuestion, of: deployment))
            #expect(answer.status == 302)
            #expect(asking.refusal(try answer.location()) == .accessDenied)
            #expect(try await deployment.auditRows(.accessRefused).count == 1)
            #expect(try await deployment.stored.sessions.holding(client.id).count() == 0)
        }
    }

    @Test(
        "is refused only after the question that the client asked for: the sign-in, or the choice of an account",
        arguments: TestedProtocol.withEveryWish.map { ($0, TestedProtocol.Wish.newSignIn) }
            + TestedProtocol.allCases.map { ($0, .choice) })
    func afterTheQuestion(asking: TestedProtocol, wish: TestedProtocol.Wish) async throws {
        try await Self.open { deployment, client, browser in
            deployment.clock.advance(by: .seconds(61))
            let page = try await browser.follow(browser.get(asking.ask(client, mark: "m", wish, of: deployment)))
            #expect(page.status == 200)
            let refused =
                if wish == .choice {
                    try await browser.follow(
                        browser.click(
                            page.page().link(containing: asking.resumePath), on: page)
                    )
                } else {
                    try await deployment.signInAgain(browser, on: page, as: Self.address)
                }
            #expect(refused.status == 403 && refused.text.contains("have access to"))
        }
    }

    @Test("has an event in the log and a row in the audit log, with client, account, session and flow")
    func event() async throws {
        try await Self.open { deployment, client, browser in
            _ = try await browser.get(deployment.authorize(client, state: "s"))
            let rows = try await deployment.auditRows(.accessRefused)
            let row = try #require(rows.first)
            let signedIn = try #require(try await deployment.auditRows(.signedIn).first)
            #expect(rows.count == 1 && row.client == client.id && row.account == signedIn.account)
            #expect(row.session == signedIn.session && row.actor == "user:\(signedIn.account ?? "")")
            let line = try #require(
                deployment.log.text.split(separator: "\n").first { $0.contains(" access_refused ") }.map(String.init))
            #expect(line.contains("\"client\": \(client.id)") && line.contains("\"account\": \(row.account ?? "")"))
            #expect(row.flow.map { line.contains($0) } == true)
        }
    }

    @Test("visitors learn nothing: the answer is the same for a client for everyone and for one of a group")
    func visitor() async throws {
        try await Self.open { deployment, _, _ in
            for wish in ["", "&prompt=none", "&prompt=login", "&prompt=select_account"] {
                var answers: Set<String> = []
                for client in deployment.clients {
                    let visit = try await deployment.browser().get(deployment.authorize(client, state: "s") + wish)
                    let location = try visit.location()
                    answers.insert("\(visit.status) \(location.path) \(location.query("error") ?? "")")
                }
                #expect(answers.count == 1, "\(answers)")
            }
            #expect(try await deployment.auditRows(.accessRefused).isEmpty)
        }
    }

    @Test("may reload the page: one request waits for another account, and the flows of other tabs are kept")
    func reload() async throws {
        try await Self.open { deployment, client, browser in
            let other = try await browser.get(deployment.authorize(deployment.client, state: "tab") + "&prompt=login")
            #expect(other.status == 303)
            for _ in 1...20 {
                #expect(try await browser.get(deployment.authorize(client, state: "same")).status == 403)
            }
            let page = try await browser.follow(other)
            #expect(page.status == 200 && page.address.path == "/sign-in")
        }
    }
}
