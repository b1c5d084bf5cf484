import Foundation
import Testing

@testable import TestKit
@testable import WellKnownTool

@Suite("wellknown capability enable", .deployment)
struct CapabilityTests {
    private typealias Reply = FakeAppStoreConnect.Reply
    private static let now = Date(timeIntervalSince1970: 1_790_000_000.75)

    private static let found = """
        {"data": [{"type": "bundleIds", "id": "NEAR1", "attributes": {"identifier": "com.example.app.clip"}},
        {"type": "bundleIds", "id": "EXACT2", "attributes": {"identifier": "com.example.app", "name": "Example",
        "platform": "IOS", "seedId": "4J6K8M2N9P"}}], "links": {"self": "x"}}
        """
    private static let none = #"{"data": []}"#
    private static let push = #"{"data": [{"id": "1", "attributes": {"capabilityType": "PUSH_NOTIFICATIONS"}}]}"#
    private static let domains = #"{"data": [{"id": "1", "attributes": {"capabilityType": "ASSOCIATED_DOMAINS"}}]}"#

    private static func errors(_ code: String, _ title: String, _ detail: String) -> String {
        #"{"errors": [{"status": "4xx", "code": "\#(code)", "title": "\#(title)", "detail": "\#(detail)"}]}"#
    }

    private static func enable(
        _ server: FakeAppStoreConnect, _ key: TestSigningKey, bundleID: String = "com.example.app",
        isDryRun: Bool = false
    ) async throws -> AppStoreConnectClient.Result {
        let client = AppStoreConnectClient(
            address: try AppStoreConnectAddress(server.base),
            token: AppStoreConnectToken(keyID: "KEY1234567", issuer: "57246542-96fe", key: try key.load()),
            carrier: try AppStoreConnectWebTransport(isPlaintext: true, caFile: nil), now: { now })
        return try await client.enable(bundleID: bundleID, isDryRun: isDryRun)
    }

    @Test("The capability is added to the App ID with exactly that identifier, with a token in Apple's format")
    func enables() async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { asked, _ in
            if asked.method == "POST" { return Reply(status: 201, body: #"{"data": {}}"#) }
            return Reply(body: asked.target.hasSuffix("/bundleIdCapabilities") ? Self.push : Self.found)
        }
        let result = try await Self.enable(server, key)
        #expect(result.outcome == .enabled)
        #expect(result.prefix == "4J6K8M2N9P")
        let asked = server.asked
        #expect(asked.map(\.method) == ["GET", "GET", "POST"])
        #expect(
            asked.map(\.target) == [
                "/v1/bundleIds?filter%5Bidentifier%5D=com.example.app&limit=200",
                "/v1/bundleIds/EXACT2/bundleIdCapabilities", "/v1/bundleIdCapabilities",
            ])
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data((asked.last?.body ?? "").utf8)) as? NSDictionary)
        #expect(
            body == [
                "data": [
                    "type": "bundleIdCapabilities", "attributes": ["capabilityType": "ASSOCIATED_DOMAINS"],
                    "relationships": ["bundleId": ["data": ["type": "bundleIds", "id": "EXACT2"]]],
                ]
            ])
        for token in asked.map(\.token) {
            let (header, claims) = try TestSigningKey.contents(token)
            #expect(header as NSDictionary == ["alg": "ES256", "kid": "KEY1234567", "typ": "JWT"])
            #expect(
                claims as NSDictionary == [
                    "iss": "57246542-96fe", "aud": "appstoreconnect-v1", "iat": 1_790_000_000, "exp": 1_790_000_600,
                ])
            #expect(try await key.hasSigned(token))
            #expect(try await key.hasSigned(token.replacingOccurrences(of: ".", with: ".e")) == false)
        }
    }

    @Test("An enabled capability is success without a POST request")
    func already() async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { _, number in Reply(body: number == 0 ? Self.found : Self.domains) }
        #expect(try await Self.enable(server, key).outcome == .wasEnabled)
        #expect(server.asked.map(\.method) == ["GET", "GET"])
    }

    @Test("A dry run sends no changes")
    func dryRun() async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { _, number in Reply(body: number == 0 ? Self.found : Self.none) }
        #expect(try await Self.enable(server, key, isDryRun: true).outcome == .wouldBeEnabled)
        #expect(server.asked.map(\.method) == ["GET", "GET"])
    }

    @Test("A conflict is success if the App ID then has the capability, and an error otherwise")
    func conflict() async throws {
        let key = try await TestSigningKey()
        for (after, isFine) in [(Self.domains, true), (Self.none, false)] {
            let server = try FakeAppStoreConnect { asked, number in
                if asked.method == "POST" {
                    return Reply(status: 409, body: Self.errors("ENTITY_ERROR", "A conflict.", "It differs."))
                }
                return Reply(body: number == 0 ? Self.found : number == 1 ? Self.none : after)
            }
            if isFine {
                #expect(try await Self.enable(server, key).outcome == .wasEnabled)
            } else {
                await #expect(
                    throws: AppStoreConnectError.refused(status: 409, "A conflict. It differs. [ENTITY_ERROR]")
                ) {
                    try await Self.enable(server, key)
                }
            }
        }
    }

    @Test("A prefix of other identifiers is not found, and the error names the others")
    func exactness() async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { _, _ in Reply(body: Self.found) }
        await #expect(
            throws: AppStoreConnectError.noSuchBundleID(
                "com.example", near: ["com.example.app.clip", "com.example.app"])
        ) {
            try await Self.enable(server, key, bundleID: "com.example")
        }
    }

    @Test("The next page is requested only from the same server")
    func pages() async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { asked, number in
            let next = #"{"data": [], "links": {"next": "http://\#(asked.host)/v1/bundleIds?cursor=2"}}"#
            return Reply(body: number == 0 ? next : number == 1 ? Self.found : Self.domains)
        }
        #expect(try await Self.enable(server, key).outcome == .wasEnabled)
        #expect(server.asked.count == 3)
        let other = try FakeAppStoreConnect { _, _ in
            Reply(body: #"{"data": [], "links": {"next": "http://127.0.0.1:9/v1/bundleIds"}}"#)
        }
        await #expect(throws: AppStoreConnectError.unexpected(status: 200, "its next page is on another server")) {
            try await Self.enable(other, key)
        }
        #expect(other.asked.count == 1)
    }

    @Test("The search stops after twenty pages")
    func endlessPages() async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { asked, _ in
            Reply(body: #"{"data": [], "links": {"next": "http://\#(asked.host)/v1/bundleIds?cursor=2"}}"#)
        }
        await #expect(throws: AppStoreConnectError.noSuchBundleID("com.example.app", near: [])) {
            try await Self.enable(server, key)
        }
        #expect(server.asked.count == 20)
    }

    @Test(
        "Error messages describe the cause",
        arguments: [
            (401, errors("NOT_AUTHORIZED", "Unauthenticated.", "Provide a token."), "does not accept the key (401)"),
            (403, errors("FORBIDDEN_ERROR", "Forbidden.", "No."), "role Admin"),
            (404, errors("NOT_FOUND", "Not found.", "No such path."), "Not found. No such path. [NOT_FOUND]"),
            (429, errors("RATE_LIMIT_EXCEEDED", "Too many.", "Wait."), "allows this key 3500 an hour"),
            (500, errors("UNEXPECTED_ERROR", "Oops.", "Oops."), "a fault of its own (500)"),
            (502, "<html>", "none of Apple's error messages"), (302, "", "is not followed"),
            (200, "{}", "another form"), (200, "", "another form"),
        ])
    func refusals(status: Int, body: String, words: String) async throws {
        let key = try await TestSigningKey()
        let server = try FakeAppStoreConnect { _, _ in
            Reply(
                status: status,
                headers: ["X-Rate-Limit: user-hour-lim:3500;user-hour-rem:0;", "Location: http://127.0.0.1:1/"],
                body: body)
        }
        do throws(any Error) {
            _ = try await Self.enable(server, key)
            Issue.record("it went through")
        } catch { #expect("\(error)".contains(words)) }
        #expect(server.asked.count == 1)
    }

    @Test(
        "The token is sent only over https or to loopback",
        arguments: [
            ("https://api.appstoreconnect.apple.com", true), ("https://proxy.example:8443/", true),
            ("http://127.0.0.1:8080", true), ("http://localhost:1", true), ("http://[::1]:1", true),
            ("http://api.appstoreconnect.apple.com", false), ("http://127.0.0.1.example.com", false),
            ("ftp://127.0.0.1", false), ("https://u:p@example.com", false), ("https://example.com/path", false),
            ("https://example.com?x", false), ("example.com", false), ("", false), ("https://", false),
        ])
    func addresses(text: String, isFine: Bool) {
        let address = try? AppStoreConnectAddress(text)
        #expect((address != nil) == isFine)
    }

    @Test("A key of another kind is rejected with the reason, and no key is printed")
    func keys() async throws {
        let key = try await TestSigningKey()
        #expect("\(try key.load())" == "<redacted>")
        let other = key.folder.path(of: "other.p8")
        try await key.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384", "-out", other)
        let sealed = key.folder.path(of: "sealed.p8")
        try await key.run("pkcs8", "-topk8", "-in", key.file, "-out", sealed, "-passout", "pass:x")
        for (file, words) in [(other, "P-256"), (sealed, "passphrase")] {
            let pem = Array(try Data(contentsOf: URL(filePath: file)))
            #expect { try AppStoreConnectKey(pem: pem) } throws: { "\($0)".contains(words) }
        }
        #expect { try AppStoreConnectKey(pem: Array("x".utf8)) } throws: { "\($0)".contains("not a PEM") }
    }

    @Test("A key file that others can read is reported")
    func mode() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "key")
        for (mode, isOpen) in [(0o600, false), (0o640, true), (0o604, true), (0o400, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect(AppStoreConnectKey.isOpenToOthers(file) == isOpen)
        }
    }

    @Test("The output recommends to create the profile again")
    func advice() {
        let result = AppStoreConnectClient.Result(
            outcome: .enabled, identifier: "com.example.app", name: "Example", prefix: "4J6K8M2N9P")
        #expect(CapabilityEnableCommand.text(result).contains("create them again"))
        #expect(CapabilityEnableCommand.text(result).contains("4J6K8M2N9P.com.example.app"))
        #expect(CapabilityEnableCommand.json(result).contains("\"profiles_must_be_recreated\" : true"))
    }
}
