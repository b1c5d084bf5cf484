import Foundation
import Testing

@testable import SSONative
@testable import TestKit

@Suite("Sign-in in an identity provider's app", .rules)
struct SignInMachineTests {
    @Test("After a 401 the user signs in on the page, and then the page that asked opens again")
    func unauthorized() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let page = try idp("/auth/sso/authorize?client_id=partner&state=s")
        #expect(app.handle(.unauthorized(page)) == [.showSignIn(try idp("/sign-in"))])
        #expect(app.machine.isSigningIn)
        #expect(app.handle(.pageShown(try idp("/sign-in/code"))) == [])
        #expect(app.handle(.pageRequested(try idp("/reset_app"))) == [.reset, .load(page)])
        #expect(!app.machine.isSigningIn)
        #expect(app.handle(.pageShown(page)) == [])
    }

    @Test("Several pages that get a 401 ask once, and open again in order")
    func severalUnauthorized() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let pages = [try idp("/a"), try idp("/b")]
        #expect(app.handle(.unauthorized(pages[0])) == [.showSignIn(try idp("/sign-in"))])
        #expect(app.handle(.unauthorized(pages[1])) == [])
        #expect(app.handle(.unauthorized(pages[0])) == [])
        #expect(app.handle(.pageShown(try idp("/reset_app"))) == [.reset, .load(pages[0]), .load(pages[1])])
    }

    @Test("A second 401 after the sign-in is a problem, not another sign-in")
    func unauthorizedTwice() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let page = try idp("/a")
        _ = app.handle(.unauthorized(page))
        _ = app.handle(.pageRequested(try idp("/reset_app")))
        #expect(app.handle(.unauthorized(page)) == [.showError(.stillSignedOut)])
        #expect(!app.machine.isSigningIn)
        // Later, the session may end for good.
        #expect(app.handle(.unauthorized(page)) == [.showSignIn(try idp("/sign-in"))])
    }

    @Test("A 401 of another origin starts no sign-in")
    func foreignUnauthorized() throws {
        var app = MachineSteps(try Apps.identityProvider())
        #expect(app.handle(.unauthorized(try rp("/account"))) == [])
        #expect(!app.machine.isSigningIn)
    }

    @Test("A user who closes the sign-in page gets the links that waited, not the page that asked")
    func dismissed() throws {
        var app = MachineSteps(try Apps.identityProvider())
        _ = app.handle(.unauthorized(try idp("/a")))
        #expect(app.handle(.linkOpened(try idp("/b"))) == [])
        #expect(app.handle(.signInDismissed) == [.load(try idp("/b"))])
        #expect(app.handle(.signInDismissed) == [])
        #expect(app.handle(.pageRequested(try idp("/reset_app"))) == [.reset])
    }

    @Test("A flow that the sign-in page itself completed is not started again")
    func completedFlow() throws {
        var app = MachineSteps(try Apps.identityProvider())
        _ = app.handle(.unauthorized(try idp("/auth/sso/authorize?client_id=partner&state=s")))
        _ = app.handle(.linkOpened(try idp("/b")))
        #expect(app.handle(.pageShown(try idp("/auth/sso/complete?flow=F"))) == [.load(try idp("/b"))])
        #expect(!app.machine.isSigningIn)
        // The relying party's session is in the system browser.
        let callback = try rp("/auth/sso/callback?token=t&state=s")
        #expect(app.handle(.pageRequested(callback)) == [.openSystemBrowser(callback)])
    }

    // MARK: Links

    @Test("Links before the web view is ready wait, and open in order")
    func earlyLinks() throws {
        var app = MachineSteps(try Apps.identityProvider(), isReady: false)
        let links = try ["/auth/sso/authorize?client_id=a", "/b", "/sign-in/link/key"].map(idp)
        for link in links { #expect(app.handle(.linkOpened(link)) == []) }
        #expect(app.handle(.webViewReady) == links.map(SignInAction.load))
        #expect(app.handle(.webViewReady) == [])
    }

    @Test("Links while the web view is gone wait as well")
    func lostWebView() throws {
        var app = MachineSteps(try Apps.identityProvider())
        #expect(app.handle(.webViewLost) == [])
        #expect(app.handle(.linkOpened(try idp("/a"))) == [])
        #expect(app.handle(.webViewReady) == [.load(try idp("/a"))])
    }

    @Test("Links during a sign-in follow the page that asked for it")
    func linksDuringSignIn() throws {
        var app = MachineSteps(try Apps.identityProvider())
        _ = app.handle(.unauthorized(try idp("/a")))
        for link in ["/b", "/c"] { #expect(app.handle(.linkOpened(try idp(link))) == []) }
        #expect(
            app.handle(.pageRequested(try idp("/reset_app"))) == [.reset]
                + (try ["/a", "/b", "/c"].map { .load(try idp($0)) }))
    }

    @Test("The link of the email opens at once where the sign-in was started")
    func signInLink() throws {
        let link = try idp("/sign-in/link/key")
        var app = MachineSteps(try Apps.identityProvider())
        _ = app.handle(.unauthorized(try idp("/a")))
        #expect(app.handle(.linkOpened(link)) == [.load(link)])
        _ = app.handle(.webViewLost)
        #expect(app.handle(.linkOpened(link)) == [])
        #expect(app.handle(.webViewReady) == [.load(link)])
        // The sign-in page is still open, so other links wait on.
        #expect(app.handle(.linkOpened(try idp("/b"))) == [])

        var other = MachineSteps(try Apps.identityProvider())
        _ = try other.openHandoff()
        #expect(other.handle(.linkOpened(link)) == [.openSystemBrowser(link)])
    }

    @Test("A link from outside opens neither the handoff's page nor the reset, and no other origin")
    func hostileLinks() throws {
        var app = MachineSteps(try Apps.identityProvider())
        #expect(app.handle(.linkOpened(try idp("/hotwire_native/sign_in?code=c&verifier=v"))) == [.ignored(.reserved)])
        #expect(app.handle(.linkOpened(try idp("/reset_app"))) == [.ignored(.reserved)])
        #expect(app.handle(.linkOpened(try rp("/"))) == [.ignored(.notForThisApp)])
        #expect(
            app.handle(.pageRequested(try idp("/hotwire_native/sign_in?code=c&verifier=v"))) == [.ignored(.reserved)])
    }

    // MARK: Handoff

    @Test("A handoff is stored before the browser opens, and ends with the web view's session")
    func handoff() throws {
        var app = MachineSteps(try Apps.identityProvider(signIn: .browser(method: "email")))
        let page = try idp("/a")
        let (pending, url, actions) = try app.open(.unauthorized(page))
        #expect(actions == [.setPending(pending), .openBrowserSession(url, session: pending.id)])
        guard case .verifier(let verifier) = pending.proof else { throw MachineSteps.Missing() }
        let request = HandoffRequest(app.machine.configuration, verifier: verifier)
        #expect(url == request.startURL(method: "email"))

        let signIn = try #require(request.signInURL(code: Apps.code))
        #expect(app.handle(.callback(try MachineSteps.callback(), session: pending.id)) == [.load(signIn)])
        // The web view may open exactly this URL, and no other of its kind.
        #expect(app.machine.decide(signIn) == .webView)
        #expect(app.machine.decide(try idp("/hotwire_native/sign_in?code=c&verifier=v")) == .ignore(.reserved))
        #expect(app.handle(.pageRequested(signIn)) == [])
        #expect(app.handle(.pageRequested(try idp("/reset_app"))) == [.setPending(nil), .reset, .load(page)])
        #expect(app.machine.decide(signIn) == .ignore(.reserved))
    }

    @Test("The handoff's page may be reported under the URL that was asked for")
    func redirectedHandoff() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let pending = try app.openHandoff()
        guard case .load(let signIn) = app.handle(.callback(try MachineSteps.callback(), session: pending.id)).first
        else {
            throw MachineSteps.Missing()
        }
        #expect(app.handle(.pageShown(signIn)) == [.setPending(nil), .reset])
        #expect(!app.machine.isSigningIn)
    }

    @Test("A link in the web view to a sign-in of the browser opens a handoff with a challenge of the app")
    func linkToHandoff() throws {
        var app = MachineSteps(try Apps.identityProvider())
        _ = app.handle(.unauthorized(try idp("/a")))
        let (_, url, _) = try app.open(
            .pageRequested(try idp("/auth/native/google?challenge=forged&redirect=evil%3A%2F")))
        #expect(LinkParts(url)?.path == "/auth/native/google")
        #expect(!url.absoluteString.contains("forged"))
    }

    @Test("A callback counts once")
    func callbackTwice() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let pending = try app.openHandoff()
        _ = app.handle(.callback(try MachineSteps.callback(), session: pending.id))
        #expect(app.handle(.callback(try MachineSteps.callback(), session: pending.id)) == [.ignored(.callback)])
        #expect(app.handle(.linkOpened(try MachineSteps.callback())) == [.ignored(.callback)])
    }

    @Test("A callback without a request, too late, or unreadable ends with a clear text")
    func badCallbacks() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let callback = try MachineSteps.callback()
        #expect(app.handle(.callback(callback, session: nil)) == [.showError(.notStartedHere)])

        var pending = try app.openHandoff()
        app.now += BrowserRequest.lifetime
        #expect(app.handle(.callback(callback, session: pending.id)) == [.showError(.expired), .setPending(nil)])

        pending = try app.openHandoff()
        let unreadable = try MachineSteps.callback("abc")
        #expect(app.handle(.callback(unreadable, session: pending.id)) == [.showError(.unreadable)])
        #expect(!app.machine.isSigningIn)

        pending = try app.openHandoff()
        let error = try Apps.callback("com.example.app:/callback?error=server_error")
        #expect(app.handle(.callback(error, session: pending.id)) == [.showError(.failed), .setPending(nil)])
        #expect(NativeSignInError.allCases.allSatisfy { !$0.description.isEmpty })
    }

    @Test("A user who cancels in the browser is asked nothing, and waiting links open")
    func cancelled() throws {
        let denied = try Apps.callback("com.example.app:/callback?error=access_denied")
        for isCallback in [true, false] {
            var app = MachineSteps(try Apps.identityProvider(signIn: .browser(method: "email")))
            let pending = try app.open(.unauthorized(try idp("/a"))).pending
            #expect(app.handle(.linkOpened(try idp("/b"))) == [])
            let event =
                isCallback ? SignInEvent.callback(denied, session: pending.id) : .browserSessionCancelled(pending.id)
            #expect(app.handle(event) == [.setPending(nil), .load(try idp("/b"))])
        }
    }

    @Test(
        "A link from outside with an error ends no handoff: the right code still signs in",
        arguments: ["access_denied", "server_error"])
    func forgedError(error: String) throws {
        var app = MachineSteps(try Apps.identityProvider())
        _ = try app.openHandoff()
        let forged = try Apps.callback("com.example.app:/callback?error=\(error)")
        #expect(app.handle(.linkOpened(forged)) == (error == "access_denied" ? [] : [.showError(.failed)]))
        #expect(!app.machine.isSigningIn, "links do not wait for it")
        guard case .load(let signIn) = app.handle(.callback(try MachineSteps.callback(), session: nil)).first else {
            throw MachineSteps.Missing()
        }
        #expect(signIn.path == "/hotwire_native/sign_in")
    }

    @Test("The result of an older handoff does not count, and does not end the newer one")
    func twoHandoffs() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let old = try app.openHandoff()
        let (new, _, actions) = try app.open(.signInRequested(method: "google"))
        #expect(actions.first == .closeBrowserSession(old.id))
        #expect(new.proof != old.proof)
        #expect(app.handle(.browserSessionCancelled(old.id)) == [])
        #expect(app.handle(.callback(try MachineSteps.callback(), session: old.id)) == [.ignored(.callback)])

        // Without a session's id the server finds out: the verifier does not fit. The newer one stays stored.
        guard case .load(let signIn) = app.handle(.callback(try MachineSteps.callback(), session: nil)).first else {
            throw MachineSteps.Missing()
        }
        #expect(app.handle(.pageFailed(signIn, status: 400)) == [.showError(.refused)])
        let later = app.handle(
            .callback(try MachineSteps.callback("shc_" + String(repeating: "B", count: 43)), session: new.id))
        guard case .load(let second) = later.first else { throw MachineSteps.Missing() }
        #expect(second != signIn)
        #expect(app.handle(.pageRequested(try idp("/reset_app"))) == [.setPending(nil), .reset])
    }

    @Test(
        "A handoff that the server refuses or that finds no connection ends with a clear text",
        arguments: [400, 401, nil])
    func refused(status: Int?) throws {
        var app = MachineSteps(try Apps.identityProvider())
        let pending = try app.openHandoff()
        guard case .load(let signIn) = app.handle(.callback(try MachineSteps.callback(), session: pending.id)).first
        else {
            throw MachineSteps.Missing()
        }
        #expect(app.handle(.linkOpened(try idp("/b"))) == [])
        let event = status == 401 ? SignInEvent.unauthorized(signIn) : .pageFailed(signIn, status: status)
        #expect(app.handle(event) == [.showError(status == nil ? .noConnection : .refused), .load(try idp("/b"))])
    }

    @Test("Signing in on the page ends an open browser session")
    func signedInElsewhere() throws {
        var app = MachineSteps(try Apps.identityProvider())
        let pending = try app.openHandoff()
        #expect(
            app.handle(.pageRequested(try idp("/reset_app"))) == [
                .closeBrowserSession(pending.id), .setPending(nil), .reset,
            ])
        #expect(app.handle(.callback(try MachineSteps.callback(), session: nil)) == [.showError(.notStartedHere)])
    }

    @Test("A browser session that never reports its end holds links back no longer than a sign-in may take")
    func forgottenSession() throws {
        var app = MachineSteps(try Apps.identityProvider())
        _ = try app.openHandoff()
        #expect(app.handle(.linkOpened(try idp("/a"))) == [])
        app.now += BrowserRequest.lifetime
        #expect(
            app.handle(.linkOpened(try idp("/b"))) == [.setPending(nil), .load(try idp("/a")), .load(try idp("/b"))])
    }

    @Test("A user who returns without a result can go on, and the result still counts")
    func returned() throws {
        var app = MachineSteps(try Apps.identityProvider(signIn: .browser(method: "email")))
        let (pending, _, _) = try app.open(.unauthorized(try idp("/a")))
        #expect(app.handle(.linkOpened(try idp("/b"))) == [])
        #expect(app.handle(.returnedWithoutResult) == [.load(try idp("/b"))])
        guard case .load = app.handle(.callback(try MachineSteps.callback(), session: nil)).first else {
            throw MachineSteps.Missing()
        }
        #expect(pending.retries == [try idp("/a")])
        #expect(app.handle(.pageRequested(try idp("/reset_app"))) == [.setPending(nil), .reset, .load(try idp("/a"))])
    }
}
