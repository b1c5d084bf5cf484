import ProbeKit
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit

@Suite("GET changes nothing", .program)
struct SideEffectTests {
    private static func rows(_ deployment: TestDeployment) async throws -> [String: Int64] {
        var rows = try await deployment.database.stored.counts()
        // A refused request is recorded, and changes nothing else.
        rows["audit_event"] = nil
        // How far a job has looked.
        rows["admin_notice"] = nil
        rows["guesses"] = Int64(try await deployment.stored.challenges.tries() ?? 0)
        return rows
    }

    @Test("ten GETs of any page in the middle of a sign-in add and remove no row of any table but the audit log")
    func get() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            let asking = try await deployment.asking()
            let served = try await deployment.servedByIdP()
            let before = try await Self.rows(deployment)
            let pages = try await served.pages()
            #expect(pages.count > 20 && pages.contains("/sign-in/code"))
            let queries = ["/sign-in?email=ann@example.com", "/sign-in/code?code=\(asking.code)"]
            for page in pages + queries {
                for _ in 0..<10 {
                    #expect(try await asking.browser.get(deployment.origin + page).status < 500, "\(page)")
                }
                #expect(try await Self.rows(deployment) == before, "\(page)")
            }
            for path in ["/name?name=Mallory", "/sign-out"] {
                #expect(try await asking.browser.get(deployment.origin + path).status == 405)
            }
            #expect(try await Self.rows(deployment) == before)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("ten GETs of any page by a user who is signed in add and remove no row of any table but the audit log")
    func signedIn() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            let browser = try await deployment.signedIn()
            try await deployment.sendDueEmails()
            // The page for a passkey makes the handle of its user, once.
            _ = try await deployment.passkeyPage(browser)
            let before = try await Self.rows(deployment)
            for page in try await deployment.servedByIdP().pages() {
                for _ in 0..<10 {
                    #expect(try await browser.get(deployment.origin + page).status < 500, "\(page)")
                }
                let changed = try await Self.rows(deployment).filter { $0.value != before[$0.key] }
                #expect(changed.isEmpty, "\(page)")
            }
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    /// Link checkers send HEAD.
    @Test("every page accepts HEAD: only what changes something, streams or answers programs does not")
    func withoutHead() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            var found: [String] = []
            for served in [try await deployment.servedByIdP(), try await deployment.servedByClient()] {
                // For a visitor there are no admin pages, and a proxy asks by any method.
                for path in served.paths where !path.hasPrefix("/admin") && path != "/gate/a-b_C.1/check" {
                    let allowed = try #require(try await served.allowed(at: path), "\(path)")
                    if allowed.contains("GET"), !allowed.contains("HEAD") { found.append(path) }
                }
            }
            #expect(
                found.sorted()
                    == [
                        "/api/v1/devices", "/api/v1/identities", "/api/v1/me", "/api/v1/session",
                        "/auth/a-b_C.1/callback", "/auth/check", "/auth/native/complete", SSOPath.authorize,
                        SSOPath.callback,
                        SSOPath.complete, SSOPath.start, "/hotwire_native/sign_in", "/sign-in/cancel",
                        "/sign-in/events",
                        "/sign-in/reply", "/sessions/sign-in", "/passkeys/sign-in", "/app-keys/sign-in",
                        "/gate-sign-in", "/gate-sign-in/complete", "/gate/a-b_C.1/start", "/gate/a-b_C.1/callback",
                        OIDCPath.authorize, OIDCPath.complete, OIDCPath.logout, OIDCPath.userInfo,
                    ].sorted())
        }
    }

    /// RFC 9700 4.12: a 307 or 308 would send the code to the next host.
    @Test("every POST that succeeds ends in a 303")
    func seeOther() async throws {
        try await SuccessfulPost.open { place in
            let idp = try await place.deployment.servedByIdP()
            let client = try await place.deployment.servedByClient()
            for (served, posts) in [(idp, SuccessfulPost.atIdP), (client, SuccessfulPost.atClient)] {
                let routes = try await served.accepting("POST")
                #expect(routes == Set(posts.map(\.path)).sorted(), "each route has a row in SuccessfulPost")
                for post in posts { try await Self.check(post, of: served, in: place) }
            }
        }
    }

    /// Forms of browsers end in a redirect to a page of ours. Programs are never redirected, whatever they send.
    private static func check(
        _ post: SuccessfulPost, of served: ServedPaths, in place: ProviderDeployment
    ) async throws {
        let reply = try await post.reply(at: place)
        #expect(reply.status == post.status, "\(post.path): \(reply.text)")
        let location = reply.header("location")
        if post.path == SSOPath.signOut {
            // Its page says so, and the address is registered.
            #expect(location?.hasPrefix("https://partner-1.example/bye?") == true)
        } else if post.status == 303 {
            #expect(location?.hasPrefix("/") == true, "\(post.path): never directly to a client")
            #expect(location?.hasPrefix("//") == false, "\(post.path)")
        } else {
            #expect(location == nil, "\(post.path)")
        }
        guard post.isForPrograms else { return }
        // Of these paths only that of Apple's notifications has a variable segment.
        let path = post.path.replacing("a-b_C.1", with: "apple")
        let refused = try await served.probe.post(path, [("Content-Type", "application/json")], body: Array("{}".utf8))
        #expect((400..<500).contains(refused.status) && refused.header("location") == nil, "\(path)")
        #expect(refused.header("content-type")?.hasPrefix("application/json") == true, "\(path)")
    }
}
