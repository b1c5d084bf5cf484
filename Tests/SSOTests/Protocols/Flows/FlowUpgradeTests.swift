import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A browser in the middle of three sign-ins when the program is updated.
@Suite("Flows of the version before they had one slot", .program, .alsoOnPostgres)
struct FlowUpgradeTests {
    /// The slots as that version wrote them.
    private static func oldSlots(
        client: (flow: FlowID, request: AuthorizeRequest), app: FlowID, change: (flow: FlowID, account: String),
        ended: FlowID, begunAt now: Timestamp, signIn: String
    ) -> String {
        let (asked, at) = (client.request, now.milliseconds)
        return """
            {"sso":{"flows":{"\(client.flow.text)":{"request":{"client_id":"\(asked.clientID)",
             "redirect_uri":"\(asked.redirectURI)","state":"\(asked.state)"},"begunAt":\(at),"number":3,
             "loginHint":"ann@example.com"}},
             "past":[{"id":"\(ended.text)","clientID":"\(asked.clientID)","redirectURI":"\(asked.redirectURI)",
              "completed":"AAAAAAAAAAAA"}]},
             "handoffs":{"entries":[{"id":"\(app.text)","app":"com.example.app"}]},
             "accountChanges":{"changes":[{"id":"\(change.flow.text)","accountID":"\(change.account)",
              "action":{"link":{"provider":"work"}},"begunAt":\(at)}]},
             "signIn":\(signIn)}
            """
    }

    @Test("go on: a client's request, a handoff, a change to the account, and the page of an ended flow")
    func goOn() async throws {
        try await ProviderDeployment.open([.oidc], settings: HandoffApp.settings) { place in
            let (deployment, browser) = (place.deployment, try await place.deployment.signedIn())
            let app = try deployment.app()
            let begun = try await app.begin(in: browser)
            let handoff = try #require(FlowID(begun.address.query("flow") ?? ""))
            deployment.clock.advance(by: .minutes(30))
            let account = try await Self.text("SELECT id AS t FROM account", deployment)
            let signIn = try await Self.text(
                "SELECT json_extract(slots, '$.signIn') AS t FROM session WHERE slots LIKE '%accountID%'", deployment)
            let asked = AuthorizeRequest(
                clientID: deployment.client.id, redirectURI: deployment.client.callback, state: "the-state")
            let slots = Self.oldSlots(
                client: (.example(1), asked), app: handoff, change: (.example(2), account), ended: .example(3),
                begunAt: deployment.clock.now, signIn: signIn)
            try await deployment.database.write { connection in
                try connection.execute("UPDATE session SET slots = :slots", ["slots": .text(slots)])
                try connection.execute(
                    "UPDATE handoff SET expires_at = :later",
                    ["later": .timestamp(deployment.clock.now + .minutes(5))])
            }

            let complete = try await browser.follow(
                browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(FlowID.example(1).text)"))
            #expect(complete.text.contains("state=the-state"))
            let question = try await browser.get("\(deployment.origin)/auth/native/complete?flow=\(handoff.text)")
            let form = try question.page().form(to: "/auth/native/complete")
            #expect(try await browser.submit(form, on: question).handoffCode().hasPrefix("shc_"))
            let change = "\(deployment.origin)/identities/confirm?flow=\(FlowID.example(2).text)"
            let again = try await browser.follow(browser.get(change))
            #expect(again.address.path == "/sign-in" && again.text.contains("Sign in again to change"))
            let confirm = try await deployment.enterCode(again, in: browser, as: "ann@example.com")
            #expect(confirm.text.contains("<h1>Add <bdi>Provider work</bdi></h1>"))
            let ended = try await browser.get(
                "\(deployment.origin)\(SSOPath.complete)?flow=\(FlowID.example(3).text)")
            #expect(ended.status == 410 && ended.text.contains(deployment.client.name))
        }
    }

    @Test(
        "a window that waited for the email of a handoff still leads to the app when the sign-in goes on in another one"
    )
    func waitingWindow() async throws {
        try await TestDeployment.receivingReplies(settings: HandoffApp.settings) { deployment in
            let browser = deployment.browser()
            let page = try await deployment.app().begin(in: browser)
            let pending = try await deployment.awaitingReply(by: browser, on: page)
            let flow = try #require(pending.waiting.address.query("flow"))
            let old = #"{"entries":[{"id":"\#(flow)","app":"com.example.app"}]}"#
            try await deployment.execute(
                "UPDATE session SET slots = json_set(json_remove(slots, '$.flows'), '$.handoffs', json('\(old)'))")

            #expect(try await deployment.deliver(pending.message()) == "accepted")
            #expect(try await pending.proceed().location().path == "/auth/native/complete")
            let window = try await pending.proceed()
            #expect(window.status == 200 && window.text.contains("<bdi>com.example.app</bdi>"))
            let link = try #require(try window.page().link(containing: "/auth/native/complete?flow=\(flow)"))
            let done = try await browser.click(link, on: window)
            #expect(try done.handoffCode().hasPrefix("shc_"))
        }
    }

    private static func text(_ sql: String, _ deployment: TestDeployment) async throws -> String {
        try await deployment.database.read { try $0.query(sql)[0].text("t") }
    }

    @Test("are not read once the session has the one slot, and slots that cannot be read are none")
    func once() throws {
        let old = #"{"sso":{"flows":{},"past":[{"id":"AAAAAAAAAAAAAAAAAAAAAQ","clientID":"c","redirectURI":"r"}]}"#
        #expect(SessionSlots(stored: old + "}")[Flows.self].has(.example(1)))
        #expect(!SessionSlots(stored: old + #","flows":{"all":[],"ended":[]}}"#)[Flows.self].has(.example(1)))
        for damaged in ["7", #"{"flows":[]}"#, #"{"flows":{"f":{}},"past":[]}"#] {
            #expect(SessionSlots(stored: #"{"sso":\#(damaged)}"#)[Flows.self].all.isEmpty, "\(damaged)")
        }
    }
}
