import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// `IDP_CLIENTS_FILE` of a running program.
@Suite("Clients that are added and dropped while users sign in", .deployment)
struct ClientsReloadTests {
    /// Writes a file with some of the clients, and waits until the program has it.
    private static func reload(
        _ pair: ProcessDeployment, with clients: [Int], logo: String = "", loads: Int
    ) async throws {
        var file = "clients:\n"
        for index in clients {
            let client = pair.clients[index]
            file += """
                  - {id: \(client.id), name: \(client.name), redirect_uris: ["\(client.callback)"],
                     secrets: ["env:PARTNER_SECRET_\(index)"]\(logo)}

                """
        }
        try pair.folder.write(file, to: "clients.yaml")
        pair.idp.send(SIGHUP)
        try await pair.idp.logs("clients_file_loaded", count: loads)
    }

    @Test("no sign-in of a client that stays fails, and nobody is let in at one that was dropped")
    func churn() async throws {
        try await ProcessDeployment.running(ProcessDeployment(clients: 2)) { pair in
            let (stays, goes) = (pair.clients[0], pair.clients[1])
            let browser = Browser()
            _ = try await browser.signIn(at: stays, of: pair, as: "ann@example.com")
            let reloads = 20
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for load in 1...reloads {
                        try await Self.reload(pair, with: load.isMultiple(of: 2) ? [0, 1] : [0], loads: load)
                    }
                }
                for worker in 0..<4 {
                    let twin = browser.twin()
                    group.addTask {
                        for number in 0..<50 {
                            let token = try await twin.token(for: stays, of: pair, state: "\(worker)-\(number)")
                            #expect(try await pair.verify(token, as: stays).status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
            // The list has both now.
            let issued = try await browser.token(for: goes, of: pair)
            let flow = try await Browser().get(pair.authorize(goes, state: "waits"))
            #expect(flow.status == 303)
            try await Self.reload(pair, with: [0], loads: reloads + 1)
            let refused = try await pair.verify(issued, as: goes)
            #expect(refused.status == 401)
            try await pair.idp.logs("client_unknown")
            #expect(try await browser.get(pair.authorize(goes, state: "late")).status == 400)
            #expect(
                try await browser.get(pair.origin + "/").status == 200, "its row on the home page has no name any more")
            let token = try await browser.token(for: stays, of: pair)
            #expect(try await pair.verify(token, as: stays).status == 200)
        }
    }

    @Test("a file with a fault changes nothing, and a client that is added brings its logo")
    func faultAndLogo() async throws {
        try await ProcessDeployment.running(ProcessDeployment(clients: 2)) { pair in
            let browser = Browser()
            _ = try await browser.signIn(at: pair.clients[0], of: pair, as: "ann@example.com")
            try pair.folder.write("clients:\n  - {id: partner-1, colour: red}\n", to: "clients.yaml")
            pair.idp.send(SIGHUP)
            try await pair.idp.logs("clients_file_rejected")
            #expect(try await browser.token(for: pair.clients[1], of: pair).hasPrefix("sst_"))
            #expect(!pair.idp.log.contains("clients_file_loaded"))

            try pair.folder.write("<svg xmlns='http://www.w3.org/2000/svg'/>", to: "mark.svg")
            try await Self.reload(pair, with: [0, 1], logo: ", logo: mark.svg", loads: 1)
            let complete = try await browser.get(pair.authorize(pair.clients[1], state: "logo"))
            let image = try #require(try complete.page().tags.first { $0.name == "img" }?["src"])
            #expect(image.hasPrefix("/assets/client-partner-2-") && image.hasSuffix(".svg"))
            let logo = try await browser.get(pair.origin + image)
            #expect(logo.status == 200 && logo.reply.header("cache-control")?.contains("immutable") == true)
            #expect(try await browser.get(pair.origin + "/assets/client-partner-2-0.svg").status == 404)
        }
    }
}
