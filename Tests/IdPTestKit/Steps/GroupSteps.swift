import SSOWeb

@testable import IdP
@testable import IdPDirectory
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
