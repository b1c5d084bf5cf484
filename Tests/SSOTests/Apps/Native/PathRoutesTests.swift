import Foundation
import Hummingbird
import Testing

@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

/// The path configuration and the routes are made of the same constants. Here every route of the routers is asked for its
/// rule: a route that is new, or that moves, fails until this file says how apps open it.
@Suite("How apps open every route", .program)
struct PathRoutesTests {
    typealias Table = [String: PathConfiguration.Destination]

    /// Not only pages: what is no page stays in the web view, where nothing leads to it.
    private static let common: Table = [
        "/favicon.ico": .webView, "/healthz": .webView, "/readyz": .webView, "/configurations/ios_v1.json": .webView,
        "/configurations/android_v1.json": .webView, "/reset_app": .reset,
    ]

    private static let idp: Table = [
        "/": .webView, "/name": .webView, "/name/later": .webView, "/sign-out": .webView, "/signed-out": .webView,
        "/sign-in": .modal, "/sign-in/account": .modal, "/sign-in/cancel": .modal, "/sign-in/browser": .modal,
        "/sign-in/browser/{key}": .modal,
        "/sign-in/code": .modal, "/sign-in/link": .modal, "/sign-in/link/{key}": .modal, "/sign-in/reply": .modal,
        "/invitation": .modal, "/invitation/{key}": .modal, "/sign-in/invited": .modal,
        "/sign-in/events": .modal, "/sign-in/with/{provider}": .modal, "/sign-in/known-address": .modal,
        "/auth/sso/authorize": .webView, "/auth/sso/complete": .webView, "/auth/sso/verify": .browserSession,
        "/auth/sso/sign-out": .webView, "/auth/sso/session": .browserSession, "/auth/sso/ping": .browserSession,
        "/sessions": .webView, "/sessions/sign-in": .webView, "/sessions/end": .webView,
        "/sessions/end-others": .webView, "/activity": .webView,
        "/sign-in/operator": .modal, "/sign-in/operator/{key}": .modal,
        "/sign-in/passkey": .modal, "/sign-in/passkey/options": .modal, "/passkeys": .webView,
        "/app-keys": .webView, "/app-keys/sign-in": .webView, "/app-keys/add": .webView, "/app-keys/remove": .webView,
        "/address": .webView, "/address/ask": .webView, "/address/code": .webView, "/address/changed": .webView,
        "/address/stop": .webView, "/address/stop/{key}": .webView, "/address/stopped": .webView, "/data": .webView,
        "/picture": .webView, "/picture/file": .webView, "/picture/remove": .webView, "/erase": .webView,
        "/erase/ask": .webView, "/erase/done": .webView,
        "/auth/check": .browserSession, "/gate/{client}/check": .webView, "/gate/{client}/start": .webView,
        "/gate/{client}/callback": .webView,
        "/gate/{client}/sign-out": .webView, "/gate-sign-in": .webView, "/gate-sign-in/complete": .webView,
        "/passkeys/sign-in": .webView, "/passkeys/add": .webView, "/passkeys/offer": .webView,
        "/passkeys/rename": .webView, "/passkeys/remove": .webView, "/.well-known/passkey-endpoints": .webView,
        "/auth/mail/inbound": .browserSession,
        "/auth/native/{name}": .browserSession, "/auth/native/complete": .browserSession,
        "/hotwire_native/sign_in": .webView, "/devices/end": .webView,
        "/identities/link": .webView, "/identities/unlink": .webView, "/identities/confirm": .webView,
        "/auth/{provider}/callback": .browserSession, "/auth/{provider}/notifications": .browserSession,
        "/api/v1/sign-in": .webView, "/api/v1/sign-in/code": .webView, "/api/v1/session": .webView,
        "/api/v1/session/check": .webView, "/api/v1/me": .webView, "/api/v1/devices": .webView,
        "/api/v1/devices/{id}": .webView, "/api/v1/identities": .webView, "/api/v1/identities/tickets": .webView,
        "/.well-known/apple-app-site-association": .webView, "/.well-known/assetlinks.json": .webView,
        "/.well-known/openid-configuration": .webView, "/.well-known/oauth-authorization-server": .webView,
        "/oidc/authorize": .webView, "/oidc/complete": .webView, "/oidc/logout": .webView, "/oidc/sign-out": .webView,
        "/oidc/jwks": .webView, "/oidc/token": .webView, "/oidc/userinfo": .webView, "/oidc/revoke": .webView,
        "/oidc/introspect": .webView,
        "/dev/{word}/mailbox": .webView, "/dev/{word}/mailbox/{name}": .webView, "/dev/{word}/links": .webView,
    ]

    private static let relyingParty: Table = [
        "/": .webView, "/account": .webView, "/sign-out": .webView, "/api/session": .webView,
        "/api/v1/session/check": .webView, "/auth/sso/start": .webView, "/auth/sso/callback": .webView,
        "/auth/sso/logout": .browserSession,
    ]

    private static func check(_ paths: Set<String>, _ table: Table, _ configuration: PathConfiguration) throws {
        let table = table.merging(common) { $1 }
        #expect(paths.subtracting(table.keys).sorted() == [], "add to the table how apps open these")
        #expect(Set(table.keys).subtracting(paths).sorted() == [], "no such route")
        for platform in PathConfiguration.Platform.allCases {
            let reader = try PathConfigurationReader(configuration.json(for: platform))
            for (path, destination) in table {
                let example = path.replacing(#/\{[a-z]+\}/#, with: "a-b_C.1")
                for query in ["", "?flow=AAAAAAAAAAAAAAAAAAAAAA"] {
                    #expect(reader.destination(of: example + query) == destination, "\(platform): \(path)\(query)")
                }
            }
            // Assets are parts of pages.
            #expect(reader.destination(of: "/assets/base-0123456789abcdef.css") == .webView)
        }
    }

    @Test("of the IdP")
    func identityProvider() async throws {
        let declared = try await ProgramPaths.declared()
        // An app's web view has no admin pages: AdminGateTests.
        let paths = declared.paths.filter { $0 != "/admin" && !$0.hasPrefix("/admin/") }
        try Self.check(paths, Self.idp, declared.configuration)
    }

    @Test("of the relying party")
    func relyingParty() async throws {
        try Self.check(await ProgramPaths.relyingParty(), Self.relyingParty, .relyingParty)
    }

    @Test("in each app a path of the other program leads to where the other program's session is")
    func across() async throws {
        let configuration = try await ProgramPaths.declared().configuration
        for platform in PathConfiguration.Platform.allCases {
            let idp = try PathConfigurationReader(configuration.json(for: platform))
            #expect(idp.destination(of: SSOPath.callback) == .systemBrowser)
            #expect(idp.destination(of: SSOPath.start) == .systemBrowser)
            let party = try PathConfigurationReader(PathConfiguration.relyingParty.json(for: platform))
            #expect(party.destination(of: SSOPath.authorize) == .browserSession)
            #expect(party.destination(of: SSOPath.complete) == .browserSession)
        }
    }
}
