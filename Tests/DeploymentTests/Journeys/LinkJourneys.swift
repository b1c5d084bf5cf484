import ProbeKit
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("The link in the email", .journey, .dependsOnMachine)
    struct Link {
        @Test(
            "after 100 scanner visits to each of 100 links, 100 of 100 users get in with their link",
            .timeLimit(.minutes(5)))
        func scanners() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                var users: [PendingLink] = []
                for start in stride(from: 0, to: 100, by: 10) {
                    users += try await atOnce(10) { index in
                        let browser = Browser()
                        let form = try await browser.beginSignIn(at: pair.client)
                        return try await browser.askForLink("user-\(start + index)@example.com", of: pair, on: form)
                    }
                }
                for link in users.map(\.link) {
                    let redirected = try await onOwnThread { try Self.scan(link, times: 100, at: pair.idp.port) }
                    #expect(redirected == 100)
                }
                #expect(try await pair.stored { try await $0.sessions.signedIn.count() } == 0)
                #expect(try await pair.stored { try await $0.challenges.used.count() } == 0)
                var signedIn = 0
                for user in users {
                    let complete = try await user.signIn()
                    if try complete.callback().absolute.hasPrefix(pair.client.callback) { signedIn += 1 }
                }
                #expect(signedIn == 100)
            }
        }

        /// Fetches a link over one connection, two of three times with GET and else with HEAD. Every tenth visit follows the
        /// redirect with its cookie, to the page that a scanner's browser shows.
        ///
        /// - Returns: how often the answer was the redirect that every browser gets.
        private static func scan(_ link: String, times: Int, at port: UInt16) throws -> Int {
            let address = try WebAddress(link)
            let probe = HTTPProbe(port: port, authority: "\(address.host):\(address.port)")
            let connection = try probe.connect()
            return try (0..<times).reduce(0) { count, index in
                let method = index % 3 == 2 ? "HEAD" : "GET"
                try connection.send(probe.request(method, address.target, close: false))
                let reply = try connection.reply(isHead: method == "HEAD")
                if index % 10 == 0, let cookie = reply.header("set-cookie")?.split(separator: ";").first {
                    try connection.send(
                        probe.request("GET", "/sign-in/link", [("Cookie", String(cookie))], close: false))
                    let page = try connection.reply()
                    guard page.status == 200, !page.text.contains("<form"), page.all("set-cookie").isEmpty else {
                        throw ProbeFailure("a scanner's page: \(page.status) \(page.text)")
                    }
                }
                return count + (reply.status == 303 && reply.header("location") == "/sign-in/link" ? 1 : 0)
            }
        }

        @Test(
            "of 100 posts of one link at once, over three IdP processes, exactly one signs in", .timeLimit(.minutes(3)))
        func oneWinner() async throws {
            try await ProcessDeployment.running(ProcessDeployment(idps: 3)) { pair in
                let browser = Browser()
                let user = try await browser.askForLink(of: pair, on: browser.beginSignIn(at: pair.client))
                let page = try await user.open()
                let twins = (0..<100).map { browser.twin(routes: pair.routes(to: $0 % 3)) }
                let statuses = try await atOnce(100) { try await user.press(page, in: twins[$0]).status }
                #expect(statuses.allSatisfy { $0 < 500 })
                var sessions: Set<String> = []
                for twin in twins where try await twin.isSignedIn(at: pair) {
                    sessions.insert(twin.cookie("idp_session", at: "localhost") ?? "")
                }
                #expect(sessions.count == 1)
                #expect(try await pair.stored { try await $0.sessions.signedIn.count() } == 1)
            }
        }

        @Test(
            "in a real browser, with and without JavaScript, the button goes on to the client; another browser shows the code",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
        func inChromium(javaScript: Bool) async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let home = pair.client.origin + "/"
                let first = try await Chromium(javaScript: javaScript)
                let link = try await first.askForLink("ann@example.com", at: pair)
                // As from a mail program: in a tab of its own.
                _ = try await first.openTab()
                try await first.visit(link)
                try await first.arrive("an address without the key") { $0 == pair.origin + "/sign-in/link" }
                try await first.press("form[action='/sign-in/link'] button")
                try await first.arrive("the client's page") { $0 == home }
                _ = try await first.element("form[action$='/sign-out']")

                // The second browser asks, and its link is opened in the first one.
                let second = try await Chromium(javaScript: javaScript)
                let other = try await second.askForLink("ben@example.com", at: pair)
                try await first.visit(other)
                let code = try await first.text(of: first.element("code.whole"))
                #expect(try await first.elements("main form").isEmpty)
                try await second.enterCode(code)
                try await second.arrive("the client's page") { $0 == home }
                #expect(try await second.text().contains("ben"))
                try await first.visit(pair.origin + "/")
                #expect(try await first.text().contains("ann@example.com"))
                try await first.quit()
                try await second.quit()
            }
        }

        @Test(
            "a real browser that runs the scripts of the page and presses everything in it signs in nobody",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func scannerInChromium() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let scanner = try await Chromium()
                for number in 1...3 {
                    let browser = Browser()
                    let form = try await browser.beginSignIn(at: pair.client)
                    let user = try await browser.askForLink("user-\(number)@example.com", of: pair, on: form)
                    for _ in 1...5 {
                        try await scanner.visit(user.link)
                        _ = try await scanner.element("code.whole")
                        _ = try await scanner.run(
                            """
                            document.querySelectorAll('button, input, [onclick], summary').forEach(e => e.click());
                            document.querySelectorAll('form').forEach(f => f.submit());
                            document.querySelectorAll('main a').forEach(a => a.click());
                            return true;
                            """)
                        try await scanner.arrive("the page of the last link") { $0 == pair.origin + "/sign-in" }
                    }
                    #expect(try await pair.stored { try await $0.challenges.used.count() } == number - 1)
                    #expect(try await user.signIn().token().hasPrefix("sst_"))
                }
                try await scanner.quit()
            }
        }
    }
}

extension Chromium {
    /// Asks for an email at the client and reads the link in it.
    fileprivate func askForLink(_ address: String, at pair: ProcessDeployment) async throws -> String {
        try await visit(pair.client.origin + "/")
        try await press("a[href*='\(SSOPath.authorize)']")
        try await askForCode(address)
        let email = try await pair.mailbox.email(to: address)
        guard let link = email.signInLink else { throw ProbeFailure("no link in:\n\(email.text)") }
        return link
    }
}
