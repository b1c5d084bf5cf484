import Foundation
import Testing

@testable import SSOWeb

@Suite("The .env file")
struct DotEnvFileTests {
    private func file(_ text: String) throws -> DotEnvFile {
        let folder = try TemporaryFolder()
        return DotEnvFile(path: try folder.write(text, to: ".env"))
    }

    @Test("settings, remarks, blank lines and values with = and # in them are fine")
    func fine() throws {
        let found = try file(
            "# remark\r\n\r\n  IDP_LISTEN = 127.0.0.1:1 \r\nIDP_MAIL_FROM=A <a@b.example>\nIDP_X=a=b#c\n")
        #expect(found.problems.isEmpty)
        #expect(found.names.map(\.name) == ["IDP_LISTEN", "IDP_MAIL_FROM", "IDP_X"])
        #expect(found.names.map(\.line) == [3, 4, 5])
        #expect(DotEnvFile(path: "/nowhere/.env").problems.isEmpty)
    }

    @Test(
        "a line that would be dropped or taken otherwise is named, with its number, and its value is not repeated",
        arguments: [
            ("export IDP_LISTEN=S3CRET", "export"), ("S3CRET", "no ="), ("=S3CRET", "no name"),
            ("a b=S3CRET", "no name"),
            ("9X=S3CRET", "no name"), ("IDP_LISTEN=\"S3CRET\"", "quotes"), ("IDP_LISTEN='S3CRET", "quotes"),
            ("IDP_A=1\nIDP_A=S3CRET", "already"),
        ])
    func bad(text: String, words: String) throws {
        let problem = try #require(try file("# x\n" + text).problems.first)
        #expect(problem.contains(words))
        #expect(problem.contains(", line \(text.contains("\n") ? 3 : 2):"))
        #expect(!problem.contains("S3CRET"))
    }

    @Test("a file that is no text is said to be none")
    func noText() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: ".env")
        try Data([0x41, 0xff]).write(to: URL(filePath: path))
        #expect(DotEnvFile(path: path).problems.first?.contains("UTF-8") == true)
    }

    @Test("a name with the program's prefix that it does not read is warned of, with the nearest that it does")
    func unknown() {
        let known = ["IDP_LISTEN", "IDP_SECRET_KEY", "SSO_CLIENT_ID"]
        let names = ["IDP_LISTN", "IDP_SECRET_KEY_FILE", "RP_LISTEN", "SSO_X", "PATH", "IDP_LISTEN", "IDP_ZZZZZZZZ"]
        let warnings = UnknownSettings.warnings(names.map { ($0, "environment") }, known: known)
        #expect(
            warnings == [
                "IDP_LISTN (environment): is no setting of this program. Did you mean IDP_LISTEN?",
                "IDP_ZZZZZZZZ (environment): is no setting of this program.",
            ])
    }

    @Test("check lists it all, and exits 1", arguments: ["check", "serve"])
    func program(command: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("export IDP_LISTEN=127.0.0.1:1\nIDP_LISTN=x\n", to: ".env")
        let program = ProgramProcess("idp", [command], environment: SettingsFixture.idp, folder: folder)
        #expect(try await program.run() == .code(1))
        #expect(program.log.contains(".env, line 1: leave out \"export\""))
        #expect(program.log.contains("IDP_LISTN (.env, line 2)"))
    }
}
