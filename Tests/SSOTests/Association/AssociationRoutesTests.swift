import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import IdPApps
@testable import TestSupport
@testable import WellKnown

@Suite("The association files over HTTP")
struct AssociationRoutesTests {
    static let paths = [AppleAppSiteAssociation.path, AssetLinks.path]

    static func application(configured: Bool = true) throws -> some ApplicationProtocol {
        let router = Router()
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
        AssociationRoutes(files: files).add(to: router)
        return Application(router: router)
    }

    @Test(
        "GET gives 200, JSON, five minutes, a strong tag, the length, and neither cookie nor redirect", arguments: paths
    )
    func get(path: String) async throws {
        try await Self.application().test(.live) { client in
            let response = try await client.ask(path, .get)
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/json")
            #expect(response.headers[.cacheControl] == "public, max-age=300")
            #expect(response.headers[values: .contentLength] == ["\(response.body.readableBytes)"])
            let tag = try #require(response.headers[.eTag])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 66)
            #expect(response.headers[.setCookie] == nil)
            #expect(response.headers[.location] == nil)
        }
    }

    @Test("HEAD gives the same response as GET, without the body", arguments: paths)
    func head(path: String) async throws {
        try await Self.application().test(.router) { client in
            let get = try await client.ask(path, .get)
            let head = try await client.ask(path, .head)
            #expect(head.status == .ok)
            #expect(head.body.readableBytes == 0)
            #expect(head.headers == get.headers)
        }
    }

    @Test("A client that has the file gets 304", arguments: paths, ["%", "W/%", "\"old\", %", "W/\"a\" ,\t%", "*"])
    func notModified(path: String, form: String) async throws {
        try await Self.application().test(.live) { client in
            let tag = try #require(try await client.ask(path, .get).headers[.eTag])
            for method in [HTTPRequest.Method.get, .head] {
                let response = try await client.ask(
                    path, method, headers: [.ifNoneMatch: form.replacing("%", with: tag)])
                #expect(response.status == .notModified)
                #expect(response.headers[.eTag] == tag)
                #expect(response.headers[.contentLength] != "0")
                #expect(response.body.readableBytes == 0)
            }
        }
    }

    @Test("A different or malformed tag gets the file", arguments: paths, ["\"old\"", "", "W/", "\"", ",,"])
    func modified(path: String, tag: String) async throws {
        try await Self.application().test(.router) { client in
            let response = try await client.ask(path, .get, headers: [.ifNoneMatch: tag])
            #expect(response.status == .ok)
        }
    }

    @Test("Not configured is 404, never an empty list", arguments: paths, [HTTPRequest.Method.get, .head])
    func notConfigured(path: String, method: HTTPRequest.Method) async throws {
        try await Self.application(configured: false).test(.router) { client in
            let response = try await client.ask(path, method)
            #expect(response.status == .notFound)
        }
    }

    @Test("The Apple file claims the start of a sign-in and the links in emails, and no other path")
    func claims() {
        #expect(AssociationRoutes.claimedPaths == ["/auth/sso/authorize", "/sign-in/link/*"])
    }
}

extension TestClientProtocol {
    fileprivate func ask(
        _ path: String, _ method: HTTPRequest.Method, headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await executeRequest(uri: path, method: method, headers: headers, body: nil)
    }
}
