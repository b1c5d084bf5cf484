import SSOShared
import SSOWeb
import Testing

@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threats 259 and 304.
@Suite("A client that refreshes in a loop", .program)
struct RefreshLoopTests {
    private func first(_ deployment: TestDeployment, clients: Int = 1) async throws -> String {
        let code = try await deployment.oidcCode(
            try await deployment.signedIn(), nil, ["scope": "openid offline_access"])
        return try #require(
            try await deployment.oidcToken(code, as: deployment.clients[0]).json()["refresh_token"]?.text)
    }

    private func next(_ token: String, _ deployment: TestDeployment) async throws -> String {
        let reply = try await deployment.oidcRefresh(token, as: deployment.clients[0])
        return try #require(reply.json()["refresh_token"]?.text, "\(reply.text)")
    }

    @Test("a family rotates once in a second: a loop with each new token makes two rows and three access tokens")
    func oncePerSecond() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let begin = try await first(deployment)
            var token = try await next(begin, deployment)
            #expect(token != begin, "the first token rotates at once")
            for _ in 0..<50 { token = try await next(token, deployment) }
            #expect(try await deployment.rows(of: "oidc_refresh_token") == 2)
            #expect(try await deployment.rows(of: "oidc_access_token") == 3, "of the code, and of each refresh token")
            deployment.clock.advance(by: .seconds(1))
            let later = try await next(token, deployment)
            #expect(later != token)
            #expect(try await deployment.rows(of: "oidc_refresh_token") == 3)
        }
    }

    @Test("the same token again and again gives one access token in a second, which is good")
    func repeated() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let token = try await first(deployment)
            var access: Set<String> = []
            for _ in 0..<5 {
                for _ in 0..<20 {
                    let reply = try await deployment.oidcRefresh(token, as: deployment.client).json()
                    access.insert(try #require(reply["access_token"]?.text))
                }
                deployment.clock.advance(by: .seconds(1))
            }
            #expect(access.count == 5)
            #expect(try await deployment.rows(of: "oidc_access_token") == 6)
            for token in access { #expect(try await deployment.oidcUserInfo(token).status == 200) }
        }
    }

    @Test("an access token that was revoked stays so: the same refresh token gives another one within its second")
    func revoked() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let token = try await first(deployment)
            func refresh() async throws -> String {
                let reply = try await deployment.oidcRefresh(token, as: deployment.client)
                #expect(reply.header("pragma") == "no-cache" && reply.header("cache-control") == "no-store")
                return try #require(reply.json()["access_token"]?.text)
            }
            var dead: [String] = []
            for _ in 1...3 {
                let access = try await refresh()
                #expect(try await refresh() == access, "a loop makes one")
                for _ in 1...2 {
                    let revoked = try await deployment.oidcPost(
                        OIDCPath.revoke, [("token", access)], as: deployment.client)
                    #expect(revoked.status == 200)
                }
                dead.append(access)
                _ = try await OIDCTokens.purge(deployment.database, at: deployment.clock.now, limit: 100)
            }
            let access = try await refresh()
            #expect(Set(dead + [access]).count == 4)
            for token in dead { #expect(try await deployment.oidcUserInfo(token).status == 401) }
            #expect(try await deployment.oidcUserInfo(access).status == 200)
            #expect(try await deployment.auditRows(.accessTokenRevoked).count == 3)
            deployment.clock.advance(by: .minutes(11))
            #expect(try await OIDCTokens.purge(deployment.database, at: deployment.clock.now, limit: 100) == 5)
        }
    }

    @Test("the successor is given again for a minute only while nobody has used it")
    func usedSuccessor() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let token = try await first(deployment)
            let second = try await next(token, deployment)
            #expect(try await next(token, deployment) == second)
            deployment.clock.advance(by: .seconds(1))
            let third = try await next(second, deployment)
            #expect(try await deployment.oidcRefresh(token, as: deployment.client).status == 400, "it has leaked")
            #expect(
                try await deployment.oidcRefresh(third, as: deployment.client).status == 400, "the family has ended")
        }
    }

    @Test(
        "a family keeps the rows of its last 50 used tokens, and each of its older ones still ends it: at its client, at another one, and when it is revoked",
        arguments: ["used", "foreign", "revoked", "invented"])
    func forgotten(how: String) async throws {
        try await TestDeployment.openWithOIDC(clients: 2) { deployment in
            var tokens = [try await first(deployment)]
            for _ in 0..<60 {
                tokens.append(try await next(tokens[tokens.count - 1], deployment))
                deployment.clock.advance(by: .seconds(1))
            }
            #expect(Set(tokens).count == 61)
            #expect(try await deployment.rows(of: "oidc_refresh_token") == OIDCTokens.usedKept + 1)
            let (old, owner, other) = (tokens[3], deployment.clients[0], deployment.clients[1])
            switch how {
            case "used": #expect(try await deployment.oidcRefresh(old, as: owner).status == 400)
            case "foreign": #expect(try await deployment.oidcRefresh(old, as: other).status == 400)
            case "revoked":
                #expect(try await deployment.oidcPost(OIDCPath.revoke, [("token", old)], as: owner).status == 200)
            default:
                // The name of the family is in each of its tokens. Without the bytes that authenticate it, it ends nothing.
                let bytes = try #require(Base64URL.decode(old.dropFirst(4)))
                let invented = "sor_" + Base64URL.encode(bytes.prefix(8) + [UInt8](repeating: 7, count: 24))
                #expect(try await deployment.oidcRefresh(invented, as: owner).status == 400)
                return #expect(try await deployment.oidcRefresh(tokens[60], as: owner).status == 200)
            }
            #expect(try await deployment.oidcRefresh(tokens[60], as: owner).status == 400, "the family has ended")
            #expect(deployment.log.text.contains("refresh_token_reused") == (how != "revoked"))
        }
    }
}
