import SSOShared
import SSOWeb
import Storage

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSignOut
@testable import TestKit
@testable import WebTestKit

extension TestDeployment {
    /// Makes a change of an operator, as a command does.
    @discardableResult
    func change<Change: OperatorChange>(_ change: Change) async throws -> Changed<Change.Result> {
        try await OperatorChanges(database, by: .command(user: "root", sudo: "ann"), clock: clock.clock).make(change)
    }

    /// Makes groups, and adds users who have an account already to all of them.
    func makeGroups(_ groups: [String], members: [String] = []) async throws {
        for group in groups {
            try await change(MakeGroup(group))
            if !members.isEmpty { try await change(JoinGroup(group, members)) }
        }
    }
}

enum GroupSteps {
    /// A client that these may enter.
    static func client(_ id: String, _ access: ClientAccess) throws -> Client {
        var client = Client(
            id: id, name: id, redirectURIs: ["https://rp.example/cb"],
            secrets: [try SharedSecret.parse(String(repeating: "s", count: 40), setting: "S")])
        client.access = access
        return client
    }

    /// A new list in which a client lets nobody in any more.
    static func close(_ id: String, _ deployment: TestDeployment, _ database: any Database) async throws {
        let audit = AuditStore(database: database, clock: deployment.clock.clock, randomness: SystemRandomness())
        let signOuts = SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness())
        let review = AccessReview(
            database: database, audit: audit, signOuts: signOuts, logger: deployment.log.logger("idp"))
        await review.compare([try client(id, .everyone)], with: [try client(id, .groups(["board"]))])
    }
}
