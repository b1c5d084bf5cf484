import ProbeKit
import SQLiteStorage
import SSOWeb
import Storage
import Testing

@testable import IdPSchema
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("The handoff to an app", .journey)
    struct HandoffToApp {
        @Test(
            "of 100 web views with one code at once, over three IdP processes, exactly one is signed in",
            .timeLimit(.minutes(3)))
        func oneWinner() async throws {
            try await ProcessDeployment.running(ProcessDeployment(idps: 3, settings: HandoffApp.settings)) { pair in
                let app = try pair.app()
                let code = try await pair.handOff(app, in: Browser()).handoffCode()
                let views = (0..<100).map {
                    Browser(userAgent: Browser.shellUserAgent, routes: pair.routes(to: $0 % 3))
                }
                let statuses = try await atOnce(100) { try await app.present(code, in: views[$0]).status }
                #expect(statuses.count { $0 == 303 } == 1 && statuses.count { $0 == 400 } == 99)
                #expect(try await pair.stored { try await $0.sessions.ofApps.count() } == 1)
                var signedIn = 0
                for view in views.map({ $0.twin(userAgent: Browser.browserUserAgent) })
                where try await view.isSignedIn(at: pair) { signedIn += 1 }
                #expect(signedIn == 1)
            }
        }
    }
}
