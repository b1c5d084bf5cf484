import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("One winner", .program, .alsoOnPostgres)
struct OneWinnerTests {
    /// ASVS 15.4.2, 2.3.4.
    @Test("of a hundred verifications at one instant exactly one succeeds, and the others get invalid_token")
    func hundred() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedIn()
            for round in 1...5 {
                let token = try await ann.token(for: deployment.client, of: deployment, state: "\(round)")
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 1...100 {
                        group.addTask { try await deployment.verify(token, as: deployment.client).status }
                    }
                    return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
                }
                #expect(statuses == [200: 1, 401: 99])
            }
        }
    }

    @Test("a replayed signed request gets nothing")
    func replay() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let body = VerifyRequest(token: token, redirectURI: deployment.client.callback).body()
            let headers = try deployment.signed(body, by: deployment.client)
            #expect(try await deployment.backChannel(body, headers).status == 200)
            for _ in 1...3 { #expect(try await deployment.backChannel(body, headers).error == "invalid_token") }
        }
    }

    @Test("owner and attacker at one instant: never both, and the token is invalid afterwards")
    func ownerAndAttacker() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let ann = try await deployment.signedIn()
            for round in 1...10 {
                let token = try await ann.token(for: deployment.client, of: deployment, state: "\(round)")
                async let owner = deployment.verify(token, as: deployment.clients[0]).status
                async let attacker = deployment.verify(token, as: deployment.clients[1]).status
                let (first, second) = (try await owner, try await attacker)
                #expect([200, 401].contains(first) && second == 401)
                #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            }
        }
    }

    /// ASVS 15.3.1.
    @Test("the winner learns who has signed in and how, and nothing else")
    func answer() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let reply = try await deployment.verify(
                token, as: deployment.client, redirectURI: deployment.client.callback)
            #expect(reply.all("content-type") == ["application/json"] && reply.all("cache-control") == ["no-store"])
            #expect(reply.all("set-cookie") == [])
            let answer = try VerifyReply(body: reply.body)
            #expect(answer.body() == reply.body)  // no key beyond those of the type
            #expect(answer.clientID == deployment.client.id)
            #expect(answer.user.email == "ann@example.com" && answer.user.name == "ann")
            #expect(answer.user.id.hasPrefix("usr_") && !answer.user.id.contains("ann"))
            #expect(answer.session.methods == ["email_code"])
            #expect(answer.session.authenticatedAt == Int(deployment.clock.now.milliseconds / 1000))
            #expect(answer.session.id != deployment.client.id && !reply.text.contains(token))
        }
    }
}
