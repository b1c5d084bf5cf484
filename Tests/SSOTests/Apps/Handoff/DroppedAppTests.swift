import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Codes of an app that the settings no longer name", .program)
struct DroppedAppTests {
    /// Without the app of the tests, and with another one.
    private static let without = ["IDP_NATIVE_APPS": HandoffApp.webRedirect]

    @Test("a code that signs in is refused after the restart and has ended; that of an app that is still named works")
    func signIn() async throws {
        try await TestDeployment.withApps { deployment in
            let (dropped, kept) = (try deployment.app(), try deployment.app(HandoffApp.webRedirect))
            let code = try await deployment.handOff(dropped, in: deployment.browser()).handoffCode()
            let other = try await deployment.handOff(kept, in: deployment.browser(), as: "ben@example.com")
                .handoffCode()
            try await deployment.withSecondIdP(settings: Self.without) { restarted in
                let refused = try await dropped.present(code, in: restarted.webView())
                #expect(refused.status == 400)
                #expect(restarted.events("handoff_code_rejected", reason: "redirect_not_registered") == 1)
                let accepted = try await kept.present(other, in: restarted.webView())
                #expect(accepted.status == 303)
            }
            #expect(try await dropped.present(code, in: deployment.webView()).status == 400, "it has ended")
        }
    }

    @Test("a code that adds a provider is refused after the restart, and adds nothing later")
    func link() async throws {
        try await ProviderDeployment.open(settings: HandoffApp.settings) { place in
            let app = try await place.linkingApp()
            let code = try await place.park(app, in: place.deployment.browser()).handoffCode()
            try await place.deployment.withSecondIdP(settings: Self.without) { restarted in
                let native = JSONApp(port: restarted.port, authority: "localhost:4000")
                native.token = app.native.token
                let refused = try await LinkingApp(native: native, handoff: app.handoff).finish(code)
                #expect(refused.status == 400, "\(refused.text)")
                #expect(restarted.events("link_code_rejected", reason: "redirect_not_registered") == 1)
            }
            #expect(try await app.finish(code).status == 400, "it has ended")
            #expect(try await app.providers() == ["email"])
        }
    }
}
