import Foundation
import Testing

@testable import SSONative
@testable import TestKit

@Suite("Sign-in in a relying party's app", .rules)
struct PartnerMachineTests {
    private static func callback(_ query: String) throws -> URL {
        try Apps.callback("com.example.partner:/callback?\(query)")
    }

    @Test("After a 401 the server starts the sign-in, the browser continues it, and the server's callback ends it")
    func signIn() throws {
        var app = MachineSteps(try Apps.relyingParty())
        let page = try rp("/account?tab=1&x=%26")
        let start = try rp("/auth/sso/start?return_to=%2Faccount%3Ftab%3D1%26x%3D%2526")
        #expect(app.handle(.unauthorized(page)) == [.load(start)])
        #expect(app.handle(.linkOpened(try rp("/b"))) == [])

        let authorize = try #require(URL(string: Apps.authorize))
        let (pending, url, _) = try app.open(.pageRequested(authorize))
        #expect(url == authorize)
        #expect(pending.proof == .state("S1"))
        #expect(pending.retries == [page])

        let callback = try rp("/auth/sso/callback?token=sst_t&state=S1")
        #expect(
            app.handle(.callback(try Self.callback("token=sst_t&state=S1"), session: pending.id)) == [.load(callback)])
        #expect(app.handle(.pageShown(page)) == [.setPending(nil), .load(try rp("/b"))])
        #expect(!app.machine.isSigningIn)
    }

    @Test("A sign-in that the user starts on a page of the server needs no 401")
    func tappedSignIn() throws {
        var app = MachineSteps(try Apps.relyingParty())
        let authorize = try #require(URL(string: Apps.authorize))
        let pending = try app.open(.pageRequested(authorize)).pending
        #expect(pending.retries == [])
        #expect(
            app.handle(.callback(try Self.callback("error=access_denied&state=S1"), session: nil))
                == [.load(try rp("/auth/sso/callback?error=access_denied&state=S1"))])
        #expect(app.handle(.pageShown(try rp("/"))) == [.setPending(nil)])
        #expect(app.handle(.signInRequested(method: "email")) == [.load(try rp("/auth/sso/start?return_to=%2F"))])
    }

    @Test("A result with another state is of an older sign-in or forged: it does not count")
    func otherState() throws {
        var app = MachineSteps(try Apps.relyingParty())
        let authorize = try #require(URL(string: Apps.authorize))
        _ = try app.open(.pageRequested(authorize))
        #expect(app.handle(.callback(try Self.callback("token=t&state=S0"), session: nil)) == [.ignored(.callback)])
        #expect(app.machine.isSigningIn)
        #expect(
            app.handle(.callback(try Self.callback("token=t&state=S1"), session: nil))
                == [.load(try rp("/auth/sso/callback?token=t&state=S1"))])
    }

    @Test("A page that still answers 401 after the sign-in is a problem and no loop")
    func unauthorizedTwice() throws {
        var app = MachineSteps(try Apps.relyingParty())
        let page = try rp("/account")
        _ = app.handle(.unauthorized(page))
        _ = try app.open(.pageRequested(try #require(URL(string: Apps.authorize))))
        _ = app.handle(.callback(try Self.callback("token=t&state=S1"), session: nil))
        #expect(app.handle(.unauthorized(page)) == [.showError(.stillSignedOut)])
        #expect(!app.machine.isSigningIn)
    }

    @Test("A start page that fails, or leads elsewhere, ends with a clear text")
    func failedStart() throws {
        let start = try rp("/auth/sso/start?return_to=%2Faccount")
        for (event, problem) in [
            (SignInEvent.pageFailed(start, status: 503), NativeSignInError.failed),
            (.pageFailed(start, status: nil), .noConnection),
        ] {
            var app = MachineSteps(try Apps.relyingParty())
            _ = app.handle(.unauthorized(try rp("/account")))
            #expect(app.handle(.pageFailed(try rp("/other"), status: 500)) == [])
            #expect(app.handle(event) == [.showError(problem)])
            #expect(!app.machine.isSigningIn)
        }
        // RP_NATIVE_REDIRECT_URI is not set: the result would come back to the server's own callback in the browser.
        var app = MachineSteps(try Apps.relyingParty())
        _ = app.handle(.unauthorized(try rp("/account")))
        _ = app.handle(.linkOpened(try rp("/b")))
        let other = try idp(
            "/auth/sso/authorize?redirect_uri=https%3A%2F%2Frp.example.net%2Fauth%2Fsso%2Fcallback&state=s")
        #expect(
            app.handle(.pageRequested(other)) == [.ignored(.otherRedirect), .showError(.failed), .load(try rp("/b"))])
    }

    @Test("An authorize request without one state opens nothing")
    func noState() throws {
        var app = MachineSteps(try Apps.relyingParty())
        for query in ["", "&state=", "&state=a&state=b"] {
            let url = try #require(URL(string: Apps.authorize.replacingOccurrences(of: "&state=S1", with: query)))
            #expect(app.handle(.pageRequested(url)) == [.ignored(.malformed)])
        }
    }

    @Test("An app that was ended takes the result with the stored state")
    func restored() throws {
        let configuration = try Apps.relyingParty()
        var first = MachineSteps(configuration)
        _ = first.handle(.unauthorized(try rp("/account")))
        let pending = try first.open(.pageRequested(try #require(URL(string: Apps.authorize)))).pending
        let data = try JSONEncoder().encode(pending)

        var second = MachineSteps(
            configuration, restoring: try JSONDecoder().decode(BrowserRequest.self, from: data), isReady: false)
        #expect(second.handle(.linkOpened(try Self.callback("token=t&state=S1"))) == [])
        #expect(second.handle(.webViewReady) == [.load(try rp("/auth/sso/callback?token=t&state=S1"))])
        #expect(second.handle(.pageShown(try rp("/account"))) == [.setPending(nil)])
    }

    /// An app that a callback starts, with a link that waits.
    private static func coldStart(_ page: String?) throws -> (app: MachineSteps, callback: URL) {
        let configuration = try Apps.relyingParty()
        var first = MachineSteps(configuration)
        if let page { _ = first.handle(.unauthorized(try rp(page))) }
        let pending = try first.open(.pageRequested(try #require(URL(string: Apps.authorize)))).pending
        var second = MachineSteps(configuration, restoring: pending, isReady: false)
        #expect(second.handle(.linkOpened(try callback("token=t&state=S1"))) == [])
        #expect(second.handle(.linkOpened(try rp("/b"))) == [])
        let address = try rp("/auth/sso/callback?token=t&state=S1")
        #expect(second.handle(.webViewReady) == [.load(address)])
        return (second, address)
    }

    @Test(
        "After a cold start the end of the start page is not the end of the callback",
        arguments: [nil, "/", "", "/account"])
    func coldStart(page: String?) throws {
        for start in ["/", ""] {
            var (app, callback) = try Self.coldStart(page)
            #expect(app.handle(.pageShown(try rp(start))) == [])
            #expect(app.machine.isSigningIn)
            #expect(app.handle(.pageFailed(callback, status: 400)) == [.showError(.refused), .load(try rp("/b"))])

            (app, callback) = try Self.coldStart(page)
            #expect(app.handle(.pageShown(try rp(start))) == [])
            #expect(app.handle(.pageShown(try rp(page ?? "/"))) == [.setPending(nil), .load(try rp("/b"))])

            (app, callback) = try Self.coldStart(page)
            #expect(app.handle(.pageShown(callback)) == [.setPending(nil), .load(try rp("/b"))])
            #expect(app.handle(.pageFailed(callback, status: 400)) == [])
        }
    }

    @Test("While the callback loads, another page ends nothing and releases no link")
    func otherPage() throws {
        for isStartPageShown in [false, true] {
            var (app, callback) = try Self.coldStart("/account")
            if isStartPageShown { #expect(app.handle(.pageShown(try rp("/"))) == []) }
            #expect(app.handle(.pageShown(try rp("/other"))) == [])
            #expect(app.handle(.pageFailed(try rp("/other"), status: 404)) == [])
            #expect(app.handle(.linkOpened(try rp("/c"))) == [])
            #expect(app.machine.isSigningIn)
            #expect(
                app.handle(.pageShown(callback)) == [
                    .setPending(nil), .load(try rp("/b")), .load(try rp("/c")),
                ])
        }
    }

    @Test("A callback that fails after its page seemed to be shown still has its text", arguments: [400, 401, nil])
    func lateFailure(status: Int?) throws {
        var app = MachineSteps(try Apps.relyingParty())
        _ = try app.open(.pageRequested(try #require(URL(string: Apps.authorize))))
        let callback = try rp("/auth/sso/callback?token=t&state=S1")
        #expect(app.handle(.callback(try Self.callback("token=t&state=S1"), session: nil)) == [.load(callback)])
        #expect(app.handle(.pageShown(try rp("/"))) == [.setPending(nil)])
        let event = status == 401 ? SignInEvent.unauthorized(callback) : .pageFailed(callback, status: status)
        #expect(app.handle(event) == [.showError(status == nil ? .noConnection : .refused)])
        #expect(app.handle(.pageFailed(callback, status: 400)) == [])
    }
}
