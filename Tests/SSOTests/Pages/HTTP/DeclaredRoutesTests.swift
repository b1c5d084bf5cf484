import HTTPTypes
import Testing

@testable import IdPFlow
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// What a route is decides how its requests are guarded. These claims read the list that the features declare.
@Suite("The declared routes of the IdP", .program)
struct DeclaredRoutesTests {
    /// A path as the router prints it, with an example in place of each variable part.
    private static func example(_ path: String) -> String {
        path.replacing(#/:[a-z]+/#, with: "a-b_C.1").replacing(#/\{[a-z]+\}/#, with: "a-b_C.1")
    }

    @Test("are all paths of its router but the assets, the icon and the two for its operator")
    func all() async throws {
        let declared = try await ProgramPaths.declared()
        let routes = Set(declared.routes.map { Self.example($0.path) }.filter { !$0.hasPrefix("/assets/") })
        #expect(Set(declared.paths.map(Self.example)) == routes.union(["/favicon.ico", "/healthz", "/readyz"]))
        #expect(Set(declared.routes.map(\.path)).count == declared.routes.count, "one path is declared once")
    }

    @Test("accept the methods of their kind, and a HEAD nowhere that a GET changes something")
    func methods() async throws {
        try await SuccessfulPost.open { place in
            let served = try await place.deployment.servedByIdP()
            for route in try await ProgramPaths.declared().routes where !route.path.hasPrefix("/dev/") {
                // A proxy asks about a request of any method by the same method. For a visitor no method is that of an
                // admin page: AdminGateTests.
                guard !route.path.hasPrefix("/assets/"), route.path != "/gate/:client/check", route.kind != .admin
                else { continue }
                let allowed = try await served.allowed(at: Self.example(route.path)) ?? []
                #expect(Set(allowed) == Set(route.methods.map(\.rawValue)), "\(route.path)")
                #expect(Set(route.methods).isSubset(of: HTTPRequest.Method.served), "\(route.path)")
                let changes: Set<Route.Kind> = [.visit, .events, .signedPost, .endpoint]
                #expect(!changes.contains(route.kind) || !allowed.contains("HEAD"), "\(route.path)")
            }
        }
    }

    @Test("that are forms refuse a POST without the token of the session's own pages")
    func formToken() async throws {
        try await SuccessfulPost.open { place in
            // Those of admin pages are in AdminChangeTests.
            let forms = try await ProgramPaths.declared().routes.filter { $0.checksFormToken && $0.kind != .admin }
                .map { Self.example($0.path) }
            #expect(forms.count > 10)
            for path in forms {
                let post = try #require(SuccessfulPost.atIdP.first { $0.path == path }, "\(path) has no row")
                let reply = try await Browser.$pathWithoutToken.withValue(post.sentTo) {
                    try await post.reply(at: place)
                }
                #expect(reply.status == 403, "\(path): \(reply.text)")
            }
        }
    }

    @Test("that are visits are for users who go there: as a part of a page or a prefetch they are refused")
    func visits() async throws {
        try await SuccessfulPost.open { place in
            let served = try await place.deployment.servedByIdP()
            let visits = try await ProgramPaths.declared().routes.filter { $0.kind == .visit }
            #expect(visits.count > 5)
            for path in visits.map({
                Self.example($0.path).replacing("/auth/a-b_C.1/callback", with: "/auth/work/callback")
            }) {
                for headers in [
                    [("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")],
                    [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")],
                    [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"), ("Sec-Purpose", "prefetch")],
                ] {
                    let reply = try await served.probe.send("GET", path, headers)
                    #expect(reply.status == 400, "\(path): \(reply.text)")
                    #expect(reply.header("set-cookie") == nil, "\(path)")
                }
            }
        }
    }

    @Test("whose URL contains a token keep it out of the Referer, error pages included")
    func referrer() async throws {
        try await SuccessfulPost.open { place in
            let served = try await place.deployment.servedByIdP()
            let routes = try await ProgramPaths.declared().routes.filter { $0.methods.contains(.get) }
            #expect(routes.filter(\.hasToken).count == 9)
            for route in routes where !route.path.hasPrefix("/dev/") && !route.path.hasPrefix("/assets/") {
                let reply = try await served.probe.get(Self.example(route.path))
                let policy = route.hasToken ? "no-referrer" : "same-origin"
                // A page may be stricter than its kind asks for.
                #expect([policy, "no-referrer"].contains(reply.header("referrer-policy") ?? ""), "\(route.path)")
            }
        }
    }

    @Test("that show no page of their own ignore the parameter that chooses a language, and so does what is no route")
    func language() async throws {
        try await SuccessfulPost.open { place in
            let served = try await place.deployment.servedByIdP()
            let routes = try await ProgramPaths.declared().routes.filter { route in
                let isPage = [.page, .form].contains(route.kind) && route.methods.contains(.get) && !route.hasToken
                return !isPage && !route.path.hasPrefix("/dev/")
            }
            #expect(routes.count { $0.methods.contains(.get) } > 10)
            for path in routes.map({ Self.example($0.path) }) + [
                "/healthz", "/readyz", "/version", "/favicon.ico", "/nowhere", "/api/nothing", "/oidc/nothing",
                "/.well-known/nothing", "/sign-in/", "/sign-in/nothing", "/\(String(repeating: "a", count: 8192))",
            ] {
                let plain = try await served.probe.get(path)
                let reply = try await served.probe.get(path + "?set_language=de")
                #expect(reply.status == plain.status, "\(path)")
                for name in ["content-type", "content-language"] {
                    #expect(reply.all(name) == plain.all(name), "\(path)")
                }
                // Each visit begins a flow of its own, whose id is in the query.
                #expect(
                    reply.header("location")?.split(separator: "?").first
                        == plain.header("location")?.split(separator: "?").first, "\(path)")
                #expect(!reply.all("set-cookie").contains { $0.hasPrefix("language=") }, "\(path)")
            }
            // Where there is a page, it counts.
            let page = try await served.probe.get("/sign-in?set_language=de")
            #expect(page.status == 302 && page.all("set-cookie").contains { $0.hasPrefix("language=de") })
        }
    }

    @Test("for programs answer errors in JSON, also where nothing is below /api/")
    func json() async throws {
        try await SuccessfulPost.open { place in
            let served = try await place.deployment.servedByIdP()
            let kinds: Set<Route.Kind> = [.signedPost, .endpoint, .api]
            let routes = try await ProgramPaths.declared().routes.filter { kinds.contains($0.kind) }
            for path in routes.map({ Self.example($0.path) }) + ["/api/v1/nothing", "/api/none"] {
                let reply = try await served.probe.send("PUT", path)
                #expect([404, 405].contains(reply.status), "\(path)")
                #expect(reply.header("content-type")?.hasPrefix("application/json") == true, "\(path)")
            }
            #expect(
                try await served.probe.send("PUT", "/sign-in").header("content-type")?.hasPrefix("text/html") == true)
        }
    }
}
