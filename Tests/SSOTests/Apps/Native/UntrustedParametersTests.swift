import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Row 193 of the threats: a link or a form says with a parameter that an app sends it. No page may read such a parameter,
/// since the author of the link chooses it.
@Suite("Parameters that claim to be an app's", .program)
struct UntrustedParametersTests {
    typealias Field = (name: String, value: String)

    private static let fields: [Field] = [
        ("native", "1"), ("native", "true"), ("platform", "ios"), ("hotwire", "1"),
    ]

    /// A sign-in in a browser with the same fields in the query of every address and in every form.
    private final class Journey {
        let deployment: TestDeployment
        let browser: Browser
        let fields: [(String, String)]
        /// Status and `Location` of every answer, without the id of the flow.
        private(set) var answers: [String] = []

        init(_ deployment: TestDeployment, _ fields: [Field]) {
            (self.deployment, self.fields) = (deployment, fields.map { ($0.name, $0.value) })
            browser = deployment.browser()
        }

        /// From an authorize address to the page that goes on to the client.
        func signIn(at asked: String, as address: String) async throws -> Visit {
            let form = try await get(get(WebAddress(asked)).location())
            let waiting = try await get(submit(form, "email", address).location())
            let code = try await deployment.mailbox.code(to: address)
            let complete = try await get(submit(waiting, "code", code).location())
            return try await get(complete.location())
        }

        private func get(_ address: WebAddress) async throws -> Visit {
            try check(await browser.get(withFields(address)))
        }

        private func submit(_ page: Visit, _ name: String, _ value: String) async throws -> Visit {
            guard let form = try page.page().form(with: name) else { throw ProbeFailure(page.text) }
            let address = try withFields(page.address.resolving(form.action))
            return try check(await browser.post(address, form.filled([name: value]) + fields))
        }

        private func withFields(_ address: WebAddress) throws -> WebAddress {
            guard !fields.isEmpty else { return address }
            return try WebAddress(
                address.absolute + (address.target.contains("?") ? "&" : "?") + FormCoding.encode(fields))
        }

        private func check(_ visit: Visit) throws -> Visit {
            let location = visit.reply.header("location") ?? "-"
            answers.append("\(visit.status) \(location.replacing(#/flow=[A-Za-z0-9_-]+/#, with: "flow=ID"))")
            let cookies = visit.reply.all("set-cookie")
            #expect(cookies.allSatisfy { !$0.hasPrefix("idp_session=") || !$0.contains("Max-Age") }, "\(fields)")
            #expect(!visit.text.contains("shc_") && !visit.reply.headers.contains { $0.value.contains("shc_") })
            return visit
        }
    }

    @Test("change no answer of a browser's sign-in, and make neither a handoff nor an app's session")
    func ignored() async throws {
        try await TestDeployment.withApps { deployment in
            let asked = deployment.authorize(deployment.client, state: "s")
            let usual = Journey(deployment, [])
            _ = try await usual.signIn(at: asked, as: "usual@example.com")
            #expect(usual.answers.map { $0.prefix(3) } == ["303", "200", "303", "200", "303", "303", "200"])

            for (number, field) in Self.fields.enumerated() {
                let journey = Journey(deployment, [field])
                let complete = try await journey.signIn(at: asked, as: "user\(number)@example.com")
                #expect(journey.answers == usual.answers, "\(field)")
                #expect(try complete.callback().query("state") == "s", "\(field)")
                #expect(try await journey.browser.isSignedInOnHomePage(of: deployment))
            }
            try await Self.expectNoApp(deployment)
        }
    }

    @Test("a complete sign-in with all of them arrives at the client, and ends as a browser's")
    func complete() async throws {
        try await TestDeployment.withApps { deployment in
            let journey = Journey(deployment, Self.fields)
            let home = try await journey.browser.get(deployment.client.origin + "/")
            let link = try #require(try home.page().link(containing: SSOPath.authorize))
            let complete = try await journey.signIn(at: link, as: "ann@example.com")
            _ = try await journey.browser.follow(journey.browser.get(complete.callback()))
            #expect(try await journey.browser.isSignedIn(at: deployment.client))
            try await Self.expectNoApp(deployment)
            deployment.clock.advance(by: .hours(2))
            #expect(try await !journey.browser.isSignedInOnHomePage(of: deployment), "not the 30 days of an app")
        }
    }

    private static func expectNoApp(_ deployment: TestDeployment) async throws {
        #expect(try await deployment.rows(of: "handoff") == 0)
        #expect(try await deployment.rows(of: "access_token") == 0)
        #expect(try await deployment.rows(of: "session") > 0)
        #expect(try await deployment.stored.sessions.ofApps.count() == 0)
    }
}
