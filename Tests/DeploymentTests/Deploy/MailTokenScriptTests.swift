import Foundation
import Testing

@testable import TestKit

/// deploy/mail-token with a stand-in for the OAuth server, and the units that run it.
@Suite("deploy/mail-token", .deployment)
struct MailTokenScriptTests {
    /// An OAuth server that gives one answer, and the request and the token as files.
    private struct Scene {
        let folder: TemporaryFolder
        let server: BackChannelStub

        /// - Parameter missing: bytes at the end that the server does not send.
        init(_ status: String, _ answer: String, missing: Int = 0) throws {
            folder = try TemporaryFolder()
            server = try BackChannelStub { _ in
                let bytes = BackChannelFixture.http(status, ["Connection: close"], Array(answer.utf8))
                return .bytesThenClose(Array(bytes.dropLast(missing)))
            }
            try folder.write(
                """
                url = "\(server.origin)/token"
                data = "grant_type=client_credentials"
                data-urlencode = "client_secret=a&b=c"

                """, to: "request")
            try folder.write("former\n", to: "token")
        }

        func run(_ arguments: [String]? = nil) async throws -> WellKnownRun {
            try await WellKnownRun.command(
                [DeployTests.folder.appending(path: "mail-token").path()]
                    + (arguments ?? ["request", "token"].map(folder.path(of:))))
        }
    }

    @Test(
        "it sends the request once, and the file is the access token of the answer, for its owner alone",
        arguments: [
            #"{"token_type":"Bearer","expires_in":3599,"access_token":"eyJ0.a_b-c","scope":"x"}"#,
            "{\n  \"access_token\" : \"eyJ0.a_b-c\",\n  \"refresh_token\": \"other\"\n}\n",
        ])
    func token(answer: String) async throws {
        let scene = try Scene("200 OK", answer)
        let run = try await scene.run()
        #expect(run.code == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
        #expect(scene.folder.text(of: "token") == "eyJ0.a_b-c\n")
        let mode = try FileManager.default.attributesOfItem(atPath: scene.folder.path(of: "token"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let requests = scene.server.requests
        #expect(requests.count == 1)
        let body = String(decoding: try #require(requests.first).body, as: UTF8.self)
        #expect(body == "grant_type=client_credentials&client_secret=a%26b%3Dc")
    }

    @Test(
        "after an error the last token stays, and the reason of the server is printed",
        arguments: [
            ("401 Unauthorized", #"{"error":"invalid_client"}"#, "invalid_client"),
            ("200 OK", #"{"error":"consent_required"}"#, "the answer has no access_token"),
            ("200 OK", "<html>", "the answer has no access_token"),
        ])
    func refused(status: String, answer: String, words: String) async throws {
        let scene = try Scene(status, answer)
        let run = try await scene.run()
        #expect(run.code == 1 && run.errors.contains(words), "\(run.errors)")
        #expect(scene.folder.text(of: "token") == "former\n")
    }

    @Test(
        "an error has only the words of the server: never a byte of a token, also where the answer was cut short",
        arguments: [("200 OK", 9), ("200 OK", 60), ("200 OK", 0), ("401 Unauthorized", 0), ("401 Unauthorized", 9)])
    func secrecy(status: String, missing: Int) async throws {
        let answer =
            #"{"error":"denied","error_description":"No consent.","access_token":"eyJ0.S3CRET","id_token":"eyJ0.S3CRET"}"#
        let scene = try Scene(status, answer, missing: missing)
        let run = try await scene.run()
        let isWhole = status == "200 OK" && missing == 0
        #expect(run.code == (isWhole ? 0 : 1))
        for text in [run.output, run.errors] { #expect(!text.contains("eyJ0") && !text.contains("S3CRET"), "\(text)") }
        if status != "200 OK", missing == 0 { #expect(run.errors.contains("denied No consent.\n"), "\(run.errors)") }
        #expect(scene.folder.text(of: "token") == (isWhole ? "eyJ0.S3CRET\n" : "former\n"))
    }

    @Test("wrong usage sends nothing", arguments: [[], ["/etc/x.conf"], ["/etc/x.conf", "/run/token", "more"]])
    func usage(arguments: [String]) async throws {
        let scene = try Scene("200 OK", "{}")
        let run = try await scene.run(arguments)
        #expect(run.code == 64 && run.errors.hasPrefix("Usage: mail-token REQUEST FILE"))
        #expect(scene.server.requests.isEmpty)
    }

    @Test("the unit runs it as the user of the service, with the request as a credential, three times an hour")
    func units() throws {
        let unit = "mail-token.service"
        #expect(
            try SystemdUnitTests.values("ExecStart", in: unit) == [
                "/usr/local/lib/swift-sso-idp/mail-token %d/request %t/swift-sso-idp-mail/token"
            ])
        let expected = [
            "Type": "oneshot", "User": "swift-sso-idp", "UMask": "0077", "RuntimeDirectory": "swift-sso-idp-mail",
            "RuntimeDirectoryPreserve": "yes", "LoadCredential": "request:/etc/swift-sso/secrets/mail-token.conf",
        ]
        for (name, value) in expected { #expect(try SystemdUnitTests.values(name, in: unit) == [value]) }
        #expect(try SystemdUnitTests.values("OnActiveSec", in: "mail-token.timer") == ["0"])
        #expect(try SystemdUnitTests.values("OnUnitActiveSec", in: "mail-token.timer") == ["20min"])
    }
}
