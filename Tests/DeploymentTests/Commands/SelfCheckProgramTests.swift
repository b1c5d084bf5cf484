import Foundation
import Testing

@testable import Counterparts
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit

/// `idp check --connect` beside the running program.
@Suite("A check that calls the running program", .deployment)
struct SelfCheckProgramTests {
    private static func check(
        _ environment: [String: String], _ changes: [String: String] = [:], endsWith code: Int32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProgramProcess {
        let program = ProgramProcess(
            "idp", ["check", "--connect"], environment: environment.merging(changes) { $1 },
            folder: try TemporaryFolder())
        #expect(try await program.run() == .code(code), "\(program.output)", sourceLocation: sourceLocation)
        return program
    }

    @Test("it knows the program, and one with another key, and says what waits and how much room there is")
    func running() async throws {
        let (folder, port) = (try TemporaryFolder(), try FreePort.find())
        let environment = SettingsFixture.idp.merging([
            "IDP_SECRET_KEY": TestSecret.new(), "IDP_PUBLIC_URL": "http://localhost:\(port)",
            "IDP_LISTEN": "127.0.0.1:\(port)", "IDP_MAIL_URL": "outbox:\(try folder.folder("outbox"))",
            "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
        ]) { $1 }
        let serving = ProgramProcess("idp", environment: environment, port: port, folder: folder)
        try await serving.start()
        let fine = try await Self.check(environment, endsWith: 0)
        #expect(fine.printed.contains("answers at http://localhost:\(port)"), "\(fine.output)")
        for line in ["oldest waiting email", "oldest waiting sign-out", "last backup", "free disk"] {
            #expect(fine.printed.contains(line), "\(line)")
        }
        #expect(!fine.output.contains(environment["IDP_SECRET_KEY"] ?? "?"))
        let other = try await Self.check(
            environment,
            ["IDP_SECRET_KEY": TestSecret.new(), "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "other.sqlite"))"],
            endsWith: 1)
        #expect(other.log.contains("or has another IDP_SECRET_KEY"), "\(other.log)")
        try await serving.terminate()
        let stopped = try await Self.check(environment, endsWith: 0)
        #expect(stopped.printed.contains("check again once the program runs"), "\(stopped.output)")
    }

    @Test("another server at the public address is a problem, and a proxy without a program behind it is not")
    func others() async throws {
        for (answer, code) in [("404 Not Found", 1), ("200 OK", 1), ("502 Bad Gateway", 0)] as [(String, Int32)] {
            let stub = try BackChannelStub { _ in .bytesThenClose(BackChannelFixture.http(answer, [], Array("{}".utf8)))
            }
            let folder = try TemporaryFolder()
            let program = try await Self.check(
                SettingsFixture.idp,
                [
                    "IDP_PUBLIC_URL": stub.origin, "IDP_LISTEN": "127.0.0.1:0",
                    "IDP_MAIL_URL": "outbox:\(try folder.folder("outbox"))",
                    "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
                ], endsWith: code)
            #expect(stub.requests.first?.head.hasPrefix("GET /auth/check ") == true, "\(program.output)")
            stub.stop()
        }
    }

    @Test("each sign-out address is called up to TLS, and no request is sent there")
    func signOutAddresses() async throws {
        let stub = try BackChannelStub { _ in .bytes(BackChannelFixture.http("200 OK", [], [])) }
        defer { stub.stop() }
        let (folder, closed) = (try TemporaryFolder(), try FreePort.find())
        let file = """
            clients:
              - {id: one, name: One, redirect_uris: ["https://one.example/cb"], secrets: ["\(TestSecret.new())"], access: everyone,
                 logout_uri: "\(stub.origin)/bye"}
              - {id: two, name: Two, redirect_uris: ["https://two.example/cb"], secrets: ["\(TestSecret.new())"], access: everyone,
                 logout_uri: "http://127.0.0.1:\(closed)/bye"}

            """
        let settings = SettingsFixture.idp.filter { !$0.key.hasPrefix("SSO_") }
        let program = try await Self.check(
            settings,
            [
                "IDP_CLIENTS_FILE": try folder.write(file, to: "clients.yaml"), "IDP_LISTEN": "127.0.0.1:0",
                "IDP_MAIL_URL": "outbox:\(try folder.folder("outbox"))",
                "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
            ], endsWith: 0)
        #expect(program.printed.contains("\(stub.origin)/bye can be reached"), "\(program.output)")
        #expect(program.log.contains("two: sign-outs cannot be told at http://127.0.0.1:\(closed)/bye"))
        #expect(stub.requests.isEmpty && stub.connections == 1)
    }
}
