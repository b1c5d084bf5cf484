import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("A new list of clients", .program)
struct AccessReviewTests {
    /// A rule, the one after it, and those of Ann (in `finance`) and Ben (in no group) who lose access.
    private static let rows: [(old: ClientAccess, new: ClientAccess?, lost: [String])] = [
        (.everyone, .everyone, []), (.unstated, .everyone, []), (.everyone, .unstated, []),
        (.everyone, .groups(["finance"]), ["ben"]), (.unstated, .groups(["finance"]), ["ben"]),
        (.everyone, .groups(["board"]), ["ann", "ben"]),
        (.groups(["finance"]), .groups(["board", "finance"]), ["ben"]),
        (.groups(["board"]), .everyone, []), (.everyone, nil, ["ann", "ben"]),
    ]

    @Test(
        "names who has signed in at a client and may not enter it any more, and nobody at another client",
        arguments: rows.indices)
    func losses(index: Int) async throws {
        let row = Self.rows[index]
        try await TestDeployment.open(clients: 2) { deployment in
            for name in ["ann", "ben", "idle"] {
                let browser = try await deployment.signedIn(as: "\(name)@example.com")
                guard name != "idle" else { continue }
                for client in deployment.clients {
                    let token = try await browser.token(for: client, of: deployment)
                    #expect(try await deployment.verify(token, as: client).status == 200)
                }
            }
            try await deployment.makeGroups(["finance"], members: ["ann@example.com"])
            let (id, other) = (deployment.client.id, try GroupSteps.client(deployment.clients[1].id, .everyone))
            let review = AccessReview(
                database: deployment.database, audit: deployment.audit,
                signOuts: SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness()),
                logger: deployment.log.logger("idp"))
            await review.compare(
                [try GroupSteps.client(id, row.old), other],
                with: try row.new.map { [try GroupSteps.client(id, $0), other] } ?? [other])
            let ended = try await deployment.auditRows(.sessionEnded)
            #expect(ended.allSatisfy { $0.client == id && $0.cause == "no_access" && $0.actor == "idp" })
            let accounts = AccountAdministration(database: deployment.database)
            var lost: [String?] = []
            for name in row.lost { lost.append(try await accounts.account(of: "\(name)@example.com")?.id) }
            #expect(Set(ended.map(\.account)) == Set(lost))
        }
    }

    @Test("with a group that nobody has made has a warning for each client that names it")
    func warnings() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.makeGroups(["finance"])
            var told = try GroupSteps.client("files", .everyone)
            told.exposedGroups = ["finance", "fnance"]
            let clients = [
                try GroupSteps.client("wiki", .groups(["finance", "board"])), told,
                try GroupSteps.client("news", .unstated),
            ]
            await AccessReview.warn(about: clients, deployment.database, deployment.log.logger("idp"))
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("clients_file_warning") }
            #expect(lines.count == 2)
            #expect(lines.first?.contains("the client wiki lets in the group board, which nobody has made") == true)
            #expect(lines.last?.contains("the client files is told of the group fnance, which nobody has made") == true)
        }
    }
}
