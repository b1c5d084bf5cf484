import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPSchema
@testable import IdPSignOut
@testable import IdPTestKit
@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

/// "Sign out everywhere else": what clients have from the session that goes on goes on.
@Suite("OpenID Connect: sign out everywhere else", .program)
struct OIDCOtherSessionsTests {
    @Test(
        "the tokens and codes of the session that goes on stay; those of the other end, and its client is told of them alone"
    )
    func others() async throws {
        let more = "backchannel_logout_uri: \"https://partner.example/backchannel\""
        try await TestDeployment.openWithOIDC(more: more) { deployment in
            var (browsers, refresh, access): ([Browser], [String], [String]) = ([], [], [])
            for browser in [try await deployment.signedIn(), try await deployment.furtherBrowser()] {
                let code = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access"])
                let reply = try await deployment.oidcToken(code, as: deployment.client).json()
                browsers.append(browser)
                refresh.append(try #require(reply["refresh_token"]?.text))
                access.append(try #require(reply["access_token"]?.text))
            }
            let waiting = try await deployment.oidcCode(browsers[0], nil, ["state": "waiting"])
            let page = try await browsers[0].get(deployment.origin + "/sessions")
            let form = try page.page().form(to: "/sessions/end-others")
            #expect(try await browsers[0].submit(form, on: page).status == 303)
            #expect(try await deployment.oidcUserInfo(access[0]).status == 200)
            #expect(try await deployment.oidcUserInfo(access[1]).status == 401)
            #expect(try await deployment.oidcRefresh(refresh[0], as: deployment.client).status == 200)
            #expect(try await deployment.oidcRefresh(refresh[1], as: deployment.client).status == 400)
            #expect(try await deployment.oidcToken(waiting, as: deployment.client).status == 200)
            #expect(try await deployment.auditRows(.signOutQueued).count == 1)
        }
    }

    @Test("every table with the number of sign-outs has a rule for the session that goes on")
    func rules() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase(path: folder.path(of: "schema"), migrations: IdPMigrations.all)
        let tables = try await database.stored.tables(with: "account_sign_outs")
        #expect(Set(tables) == Set(IdPTable.all.filter { $0.kept != nil }.map(\.name)))
        await database.close()
    }
}
