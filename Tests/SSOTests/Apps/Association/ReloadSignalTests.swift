import Glibc
import Testing
import WellKnown

@testable import IdPTestKit
@testable import TestKit

@Suite("SIGHUP to the running IdP", .program)
struct ReloadSignalTests {
    @Test("reads the file again, and does not end the program")
    func reload() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(AssociationFilesTests.aasa, to: "aasa")
        let port = try FreePort.find()
        let idp = ProgramProcess(
            "idp",
            environment: SettingsFixture.idp.merging([
                "IDP_AASA_FILE": path, "IDP_LISTEN": "127.0.0.1:\(port)", "IDP_PUBLIC_URL": "http://localhost:\(port)",
                "SSO_REDIRECT_URIS": "http://localhost:1/cb", "IDP_MAIL_URL": "outbox:\(folder.path(of: "outbox"))",
                "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
            ]) { $1 }, port: port, folder: folder)
        try await idp.start()
        let probe = HTTPProbe(port: port)

        let changed = AssociationFilesTests.aasa.replacing("/shop/", with: "/news/")
        try folder.write(changed, to: "aasa")
        idp.send(SIGHUP)
        try await eventually("the new file is served") {
            try await probe.get(AssociationKind.aasa.path).text == changed ? () : nil
        }

        try folder.write("{", to: "aasa")
        idp.send(SIGHUP)
        try await eventually("the log has the reason why the file was refused") {
            idp.log.contains("association_file_rejected") ? () : nil
        }
        #expect(try await probe.get(AssociationKind.aasa.path).text == changed)
        #expect(try await idp.terminate() == .code(0))
    }

    @Test("the client has no file to read again, logs that and continues to run")
    func client() async throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.find()
        let client = ProgramProcess(
            "relying-party",
            environment: SettingsFixture.client.merging([
                "RP_LISTEN": "127.0.0.1:\(port)", "RP_DATABASE_URL": "sqlite:\(folder.path(of: "rp.sqlite"))",
            ]) { $1 }, port: port, folder: folder)
        try await client.start()
        client.send(SIGHUP)
        try await eventually("the log has the event") { client.log.contains("reload_ignored") ? () : nil }
        #expect(try await HTTPProbe(port: port).get("/healthz").status == 200)
        #expect(try await client.terminate() == .code(0))
    }
}
