import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("Several clients, several tabs", .journey, .dependsOnMachine)
    struct TabsAndClients {
        @Test("at a second client the user does not have to sign in again")
        func secondClient() async throws {
            try await ProcessDeployment.running(ProcessDeployment(clients: 2)) { pair in
                let browser = Browser()
                _ = try await browser.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
                let complete = try await browser.beginSignIn(at: pair.clients[1])
                #expect(complete.status == 200)
                #expect(try complete.callback().absolute.hasPrefix(pair.clients[1].callback + "?"))
                _ = try await browser.follow(browser.get(complete.callback()))
                #expect(try await browser.isSignedIn(at: pair.clients[1]))
                #expect(try await !browser.isSignedIn(at: pair.clients[0]))
                #expect(pair.mailbox.all(to: "ann@example.com").count == 1)
            }
        }

        @Test("two tabs of two clients, finished in reverse order, each return to their own client")
        func reverseOrder() async throws {
            try await ProcessDeployment.running(ProcessDeployment(clients: 2)) { pair in
                let browser = Browser()
                let first = try await browser.beginSignIn(at: pair.clients[0])
                let second = try await browser.signIn(at: pair.clients[1], of: pair, as: "ann@example.com")
                #expect(try second.callback().absolute.hasPrefix(pair.clients[1].callback + "?"))
                // The first tab still shows the form of its own flow: its reload continues that flow.
                let late = try await browser.follow(browser.get(first.address))
                #expect(try late.callback().absolute.hasPrefix(pair.clients[0].callback + "?"))
                for (complete, client) in [(second, pair.clients[1]), (late, pair.clients[0])] {
                    _ = try await browser.follow(browser.get(complete.callback()))
                    #expect(try await browser.isSignedIn(at: client))
                }
            }
        }

        @Test("the form of the later tab still works when it is sent instead of reloaded")
        func lateForm() async throws {
            try await ProcessDeployment.running(ProcessDeployment(clients: 2)) { pair in
                let browser = Browser()
                let first = try await browser.beginSignIn(at: pair.clients[0])
                _ = try await browser.signIn(at: pair.clients[1], of: pair, as: "ann@example.com")
                let late = try await browser.ask(for: "ann@example.com", on: first)
                #expect(try late.callback().absolute.hasPrefix(pair.clients[0].callback + "?"))
            }
        }

        @Test(
            "the same in a real browser", .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func reverseOrderInChromium() async throws {
            try await ProcessDeployment.running(ProcessDeployment(clients: 2)) { pair in
                let chromium = try await Chromium()
                let first = try await chromium.tab()
                try await chromium.visit(pair.clients[0].origin + "/")
                try await chromium.press("a[href*='\(SSOPath.authorize)']")
                _ = try await chromium.element("input[name=email]")
                _ = try await chromium.openTab()
                try await chromium.signIn(at: pair.clients[1], of: pair, as: "ann@example.com")
                try await chromium.arrive("client 2") { $0 == pair.clients[1].origin + "/" }
                try await chromium.switchTo(first)
                try await chromium.reload()
                try await chromium.arrive("client 1") { $0 == pair.clients[0].origin + "/" }
                _ = try await chromium.element("form[action$='/sign-out']")
                try await chromium.quit()
            }
        }

        @Test("a browser with nine pending flows keeps the newest eight")
        func ninePending() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                var flows: [WebAddress] = []
                for number in 1...9 {
                    let visit = try await browser.get(pair.authorize(pair.client, state: "state-\(number)"))
                    flows.append(try visit.location())
                }
                let waiting = try await browser.ask(for: "ann@example.com", on: browser.get(flows[8]))
                let ninth = try await browser.enter(pair.mailbox.code(to: "ann@example.com"), on: waiting)
                #expect(try ninth.callback().query("state") == "state-9")
                for number in stride(from: 8, through: 2, by: -1) {
                    let visit = try await browser.follow(browser.get(Self.complete(flows[number - 1], of: pair)))
                    #expect(try visit.callback().query("state") == "state-\(number)")
                }
                let oldest = try await browser.follow(browser.get(Self.complete(flows[0], of: pair)))
                #expect(try oldest.page().link(containing: "token=") == nil)
                #expect(oldest.status < 500)
            }
        }

        private static func complete(_ signIn: WebAddress, of pair: ProcessDeployment) throws -> String {
            guard let flow = signIn.query("flow") else { throw ProbeFailure("no flow in \(signIn.absolute)") }
            return "\(pair.origin)\(SSOPath.complete)?flow=\(FormCoding.encode(flow))"
        }
    }
}
