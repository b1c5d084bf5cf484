import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// ASVS 14.2.6: a client gets no more than it needs.
@Suite("The groups that verify names", .program)
struct ExposedGroupsTests {
    private static let address = "ann@example.com"

    /// The keys of a client, the groups of the user, and `user.groups` as text; nil for none.
    private static let rows: [(keys: String, groups: [String], told: String?)] = [
        ("access: everyone", ["finance"], nil), ("access: everyone, expose_groups: [finance]", [], "[]"),
        ("access: everyone, expose_groups: [finance]", ["board"], "[]"),
        ("access: everyone, expose_groups: [finance]", ["board", "finance"], #"["finance"]"#),
        ("access: everyone, expose_groups: [z-last, finance, a1]", ["z-last", "a1", "other"], #"["a1","z-last"]"#),
        ("groups: [finance], expose_groups: [board]", ["finance"], "[]"),
        ("groups: [finance]", ["finance"], nil),
    ]

    @Test(
        "are those of the user that the client lists, sorted; [] if none of them is, and absent if it lists none",
        arguments: rows.indices)
    func told(index: Int) async throws {
        let row = Self.rows[index]
        try await TestDeployment.open(clients: 2, keys: ["access: everyone", row.keys]) { deployment in
            let browser = try await deployment.signedIn(as: Self.address)
            try await deployment.makeGroups(row.groups, members: [Self.address])
            let client = deployment.clients[1]
            let reply = try await deployment.verify(browser.token(for: client, of: deployment), as: client)
            let groups = row.told.map { ",\"groups\":\($0)" } ?? ""
            #expect(reply.status == 200)
            #expect(reply.text.hasPrefix(#"{"user":{"id":"usr_"#))
            #expect(
                reply.text.contains(#""email":"ann@example.com","name":"ann"\#(groups)},"client_id""#), "\(reply.text)")
            #expect(
                try VerifyReply(body: reply.body).user.groups?.count
                    == row.told.map(Self.count))
        }
    }

    private static func count(_ list: String) -> Int { list.split(separator: ",").count { $0 != "[]" } }

    @Test("are signed with the answer, at most fifty, and one more in the file is refused")
    func fifty() async throws {
        let groups = (1...50).map { "g\($0)" }
        try await TestDeployment.open(
            keys: ["access: everyone, expose_groups: [\(groups.joined(separator: ", "))]"]
        ) { deployment in
            let browser = try await deployment.signedIn(as: Self.address)
            try await deployment.makeGroups(groups + ["g51"], members: [Self.address])
            let token = try await browser.token(for: deployment.client, of: deployment)
            let body = VerifyRequest(token: token).body()
            let headers = try deployment.signed(body, by: deployment.client)
            let reply = try await deployment.backChannel(body, headers)
            let told = try VerifyReply(body: reply.body).user.groups
            #expect(told == groups.sorted())
            let secret = try SharedSecret.parse(deployment.client.secret, setting: "S")
            let sent = RequestSignature.request(body: body, secret: secret)
            #expect(
                reply.header("x-sso-signature")
                    == RequestSignature.response(body: reply.body, to: sent, secret: secret).headerValue)
        }
    }

    @Test("reach the client's server as the user's groups")
    func client() async throws {
        try await TestDeployment.open(keys: ["access: everyone, expose_groups: [finance]"]) { deployment in
            let browser = try await deployment.signedIn(as: Self.address)
            try await deployment.makeGroups(["finance"], members: [Self.address])
            let token = try await browser.token(for: deployment.client, of: deployment)
            let backChannel = try BackChannelClient(
                origin: "http://127.0.0.1:\(deployment.port)", clientID: deployment.client.id,
                secret: SharedSecret.parse(deployment.client.secret, setting: "S"), limits: .patient)
            #expect(try await backChannel.verify(token: token).user.groups == ["finance"])
        }
    }
}
