import Foundation
import Testing

@testable import SSONative
@testable import TestKit

@Suite("An app that was ended during a sign-in", .rules)
struct RestoreTests {
    @Test("It takes the result with the stored verifier, and opens the page that asked")
    func restored() throws {
        let configuration = try Apps.identityProvider(signIn: .browser(method: "email"))
        let store = InMemorySecretStore()
        var first = MachineSteps(configuration)
        let pending = try first.open(.unauthorized(try idp("/a"))).pending
        try store.setBrowserRequest(pending)

        var second = MachineSteps(configuration, restoring: try store.browserRequest(), isReady: false)
        // The callback starts the app: it arrives before the web view is ready.
        #expect(second.handle(.callback(try MachineSteps.callback(), session: nil)) == [])
        #expect(second.handle(.linkOpened(try idp("/b"))) == [])
        guard case .verifier(let verifier) = pending.proof else { throw MachineSteps.Missing() }
        let signIn = try #require(HandoffRequest(configuration, verifier: verifier).signInURL(code: Apps.code))
        #expect(second.handle(.webViewReady) == [.load(signIn)])
        #expect(
            second.handle(.pageRequested(try idp("/reset_app")))
                == [.setPending(nil), .reset, .load(try idp("/a")), .load(try idp("/b"))])
    }

    @Test("Without a result the page that asked opens again, and a later result still counts")
    func restoredWithoutResult() throws {
        let configuration = try Apps.identityProvider()
        var first = MachineSteps(configuration)
        _ = first.handle(.unauthorized(try idp("/a")))
        let pending = try first.openHandoff()
        #expect(pending.retries == [try idp("/a")])

        var second = MachineSteps(configuration, restoring: pending, isReady: false)
        #expect(second.handle(.linkOpened(try idp("/b"))) == [])
        #expect(second.handle(.webViewReady) == [.load(try idp("/a")), .load(try idp("/b"))])
        #expect(second.handle(.webViewReady) == [])
        #expect(second.handle(.unauthorized(try idp("/a"))) == [.showSignIn(try idp("/sign-in"))])
        guard case .load = second.handle(.callback(try MachineSteps.callback(), session: nil)).first else {
            throw MachineSteps.Missing()
        }
        #expect(
            second.handle(.pageRequested(try idp("/reset_app"))) == [.setPending(nil), .reset, .load(try idp("/a"))])
    }

    @Test("An expired request, or none, gives a clear text and opens the waiting links")
    func notRestored() throws {
        let configuration = try Apps.identityProvider()
        var first = MachineSteps(configuration)
        let pending = try first.openHandoff()
        for (restoring, problem) in [(pending, NativeSignInError.expired), (nil, .notStartedHere)] {
            var second = MachineSteps(configuration, restoring: restoring, isReady: false)
            second.now += BrowserRequest.lifetime
            _ = second.handle(.linkOpened(try idp("/b")))
            #expect(second.handle(.callback(try MachineSteps.callback(), session: nil)).first == .showError(problem))
            #expect(second.handle(.webViewReady) == [.load(try idp("/b"))])
        }
        #expect(pending.hasExpired(at: pending.startedAt - 61))
        #expect(!pending.hasExpired(at: pending.startedAt))
    }

    @Test("A 401 during the browser session is stored too")
    func laterRetry() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let pending = try app.openHandoff()
        guard case .setPending(let stored?) = app.handle(.unauthorized(try idp("/a"))).first else {
            throw MachineSteps.Missing()
        }
        #expect(stored.id == pending.id)
        #expect(stored.retries == [try idp("/a")])
    }

    @Test("The store keeps, replaces and removes a request, and ignores what it cannot read")
    func store() throws {
        let store = InMemorySecretStore()
        #expect(try store.browserRequest() == nil)
        var app = MachineSteps(try Apps.identityProvider())
        let pending = try app.openHandoff()
        try store.setBrowserRequest(pending)
        #expect(try store.browserRequest() == pending)
        #expect(!"\(pending)".contains("verifier("))
        store.setSecret(Data("{\"id\":1}".utf8), named: "browser-request")
        #expect(try store.browserRequest() == nil)
        try store.setBrowserRequest(nil)
        #expect(store.secret(named: "browser-request") == nil)
    }
}
