import Hummingbird
import Logging
import Testing

@testable import IdPApps
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit
@testable import WellKnown

@Suite("The association files over HTTP", .rules)
struct AssociationRoutesTests {
    static let paths = [AppleAppSiteAssociation.path, AssetLinks.path]

    static func router(configured: Bool = true) throws -> Router<TinyServer.Context> {
        let router = Router(context: TinyServer.Context.self)
        let apple = try AppleAppID("ABCDE12345.com.example.app")
        let android = try AndroidApp("com.example.app=" + String(repeating: "AB", count: 32))
        let contents = (
            AppleAppSiteAssociation(appIDs: [apple], paths: AssociationRoutes.claimedPaths)?.json(),
            AssetLinks(apps: [android])?.json()
        )
        let files = AssociationFiles(
            apple: configured ? .apps(try #require(contents.0)) : .none,
            android: configured ? .apps(try #require(contents.1)) : .none,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let routes = AssociationRoutes(files: files)
        for kind in AssociationKind.allCases {
            router.only([.get, .head], at: RouterPath(kind.path)) { request, _ in try routes.respond(kind, request) }
        }
        return router
    }

    @Test(
        "GET gives 200, JSON, five minutes, a strong tag, the length, and neither cookie nor redirect", arguments: paths
    )
    func get(path: String) async throws {
        try await serving(try Self.router()) { probe in
            let response = try await probe.get(path)
            #expect(response.status == 200)
            #expect(response.header("content-type") == "application/json")
            #expect(response.header("cache-control") == "public, max-age=300")
            #expect(response.all("content-length") == ["\(response.body.count)"])
            let tag = try #require(response.header("etag"))
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 66)
            #expect(response.header("set-cookie") == nil)
            #expect(response.header("location") == nil)
        }
    }

    @Test("HEAD gives the same response as GET, without the body", arguments: paths)
    func head(path: String) async throws {
        try await serving(try Self.router()) { probe in
            let get = try await probe.get(path)
            let head = try await probe.send("HEAD", path)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            let withoutDate = { (reply: ProbeReply) in
                reply.headers.filter { $0.name.lowercased() != "date" }.map { "\($0.name): \($0.value)" }
            }
            #expect(withoutDate(head) == withoutDate(get))
        }
    }

    @Test("A client that has the file gets 304", arguments: paths, ["%", "W/%", "\"old\", %", "W/\"a\" ,\t%", "*"])
    func notModified(path: String, form: String) async throws {
        try await serving(try Self.router()) { probe in
            let tag = try #require(try await probe.get(path).header("etag"))
            for method in ["GET", "HEAD"] {
                let response = try await probe.send(
                    method, path, [("If-None-Match", form.replacing("%", with: tag))])
                #expect(response.status == 304)
                #expect(response.header("etag") == tag)
                #expect(response.header("content-length") != "0")
                #expect(response.body.isEmpty)
            }
        }
    }

    @Test("A different or malformed tag gets the file", arguments: paths, ["\"old\"", "", "W/", "\"", ",,"])
    func modified(path: String, tag: String) async throws {
        try await serving(try Self.router()) { probe in
            let response = try await probe.get(path, [("If-None-Match", tag)])
            #expect(response.status == 200)
        }
    }

    @Test("Not configured is 404, never an empty list", arguments: paths, ["GET", "HEAD"])
    func notConfigured(path: String, method: String) async throws {
        try await serving(try Self.router(configured: false)) { probe in
            let response = try await probe.send(method, path)
            #expect(response.status == 404)
        }
    }

    @Test("The Apple file claims the start of a sign-in and the links in emails, and no other path")
    func claims() {
        #expect(AssociationRoutes.claimedPaths == ["/auth/sso/authorize", "/sign-in/link/*"])
    }
}
