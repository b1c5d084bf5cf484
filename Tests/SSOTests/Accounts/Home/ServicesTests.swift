import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit

@Suite("The services on the home page", .program)
struct ServicesTests {
    private static let address = "ann@example.com"

    @Test("are those that the user may enter, entered before or not, in one list, and no other")
    func list() async throws {
        try await TestDeployment.open(
            clients: 5,
            keys: [
                "access: everyone", "groups: [finance]", "groups: [board]", "access: everyone, hidden: true",
                "groups: [finance], start_url: https://wiki.example.com/start",
            ]
        ) { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: Self.address)
            _ = try await browser.follow(browser.get(complete.callback()))
            try await deployment.makeGroups(["finance"], members: [Self.address])
            try await deployment.makeGroups(["board"])
            let home = try await browser.get(deployment.origin + "/")
            let shown = deployment.clients.map { home.text.contains("<bdi>\($0.name)</bdi>") }
            #expect(shown == [true, true, false, false, true])
            #expect(try home.page().links.contains(deployment.clients[1].origin + "/"))
            #expect(try home.page().links.contains("https://wiki.example.com/start"))
            #expect(
                home.text.components(separatedBy: "<span class=\"about\">signed in <time").count == 2,
                "it was entered once")
            #expect(home.text.components(separatedBy: "<h2>").filter { $0.hasPrefix("Your services") }.count == 1)

            try await deployment.change(LeaveGroup("finance", [Self.address], file: ClientRegistry([])))
            let later = try await browser.get(deployment.origin + "/")
            #expect(later.text.contains("Partner number 1") && !later.text.contains("Partner number 2"))
        }
    }

    @Test("are sorted by name, in upper and lower case alike")
    func order() async throws {
        try await TestDeployment.open(clients: 3) { deployment in
            let file = deployment.folder.text(of: "clients.yaml")
                .replacing("Partner number 1", with: "wiki").replacing("Partner number 2", with: "Zulip")
                .replacing("Partner number 3", with: "Books")
            let path = try deployment.folder.write(file, to: "renamed.yaml")
            let browser = try await deployment.signedIn()
            try await deployment.withSecondIdP(settings: ["IDP_CLIENTS_FILE": path]) { second in
                let home = try await browser.twin(routes: second.routes).get(second.origin + "/").text
                let places = ["Books", "wiki", "Zulip"].compactMap { home.range(of: "<bdi>\($0)</bdi>")?.lowerBound }
                #expect(places.count == 3 && places == places.sorted())
            }
        }
    }

    @Test("none: the page says whom to ask, where there is somebody", arguments: [nil, "mailto:help@example.com"])
    func none(support: String?) async throws {
        try await TestDeployment.open(
            keys: ["access: everyone, hidden: true"], settings: support.map { ["IDP_SUPPORT_URL": $0] } ?? [:]
        ) { deployment in
            let home = try await deployment.signedIn().get(deployment.origin + "/")
            #expect(home.text.contains("There are no services for you here yet."))
            if let support {
                #expect(home.text.contains("<a class=\"link\" href=\"\(support)\">Ask for access</a>"))
            } else {
                #expect(!home.text.contains("for access"), "no sentence without its link")
            }
        }
    }
}
