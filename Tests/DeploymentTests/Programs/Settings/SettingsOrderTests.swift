import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Where a setting comes from: the command line, the environment, `.env`, the default, in this order.
@Suite("Where settings come from", .deployment)
struct SettingsOrderTests {
    private func listen(
        _ arguments: [String] = [], _ environment: [String: String] = [:], dotEnv: String? = nil
    ) throws -> String? {
        let folder = try TemporaryFolder()
        let path = folder.path(of: ".env")
        if let dotEnv { try folder.write(dotEnv, to: ".env") }
        let source = SettingsSource(arguments: arguments, environment: environment, file: EnvFile(at: path))
        let setting = Setting("IDP_LISTEN", default: "default", example: "line", "Where to listen.") { $0 }
        return SettingsReader(source).value(setting)
    }

    @Test("the first source with a value wins, and each source works alone")
    func order() throws {
        let file = "# a comment\nIDP_LISTEN=file\n"
        #expect(try listen() == "default")
        #expect(try listen(dotEnv: file) == "file")
        #expect(try listen([], ["IDP_LISTEN": "environment"], dotEnv: file) == "environment")
        let both = ["IDP_LISTEN": "environment"]
        #expect(try listen(["--idp-listen", "line"], both, dotEnv: file) == "line")
        #expect(try listen(["--idp-listen=line"], both, dotEnv: file) == "line")
        #expect(try listen(["--log-level", "debug", "--idp-listen", "line"], both) == "line")
    }

    @Test("a value keeps its equals signs, spaces and dashes")
    func values() throws {
        #expect(try listen(["--idp-listen", "a=b c"]) == "a=b c")
        #expect(try listen(["--idp-listen=a=b=c"]) == "a=b=c")
        #expect(try listen([], ["IDP_LISTEN": "-1"]) == "-1")
    }

    @Test("an empty value counts as absent")
    func empty() throws {
        #expect(try listen([], ["IDP_LISTEN": ""]) == "default")
    }

    @Test(
        "invalid options are refused before any setting is read",
        arguments: [
            (["--nothing", "1"], "Unknown option --nothing"), (["--idp-listen"], "needs a value"),
            (["--idp-listen", "--log-level", "info"], "needs a value"), (["--idp-listen", ""], "needs a value"),
            (["--idp-listen="], "needs a value"), (["--idp-secret-key-file="], "needs a value"),
            (["stray"], "\"stray\" is neither a command nor a setting"),
            (["--idp-listen", "a", "--idp-listen", "b"], "twice"), (["--idp-listen=a", "--idp-listen", "b"], "twice"),
            (["--idp-secret-key", "S3CRET"], "--idp-secret-key-file FILE"),
            (["--idp-secret-key=S3CRET"], "--idp-secret-key-file FILE"),
            (["-idp-listen", "a"], "Unknown option"), (["--IDP_LISTEN", "a"], "Did you mean --idp-listen?"),
            (["chek"], "Did you mean check? The commands are serve, check."),
        ])
    func refused(arguments: [String], words: String) throws {
        let known = SettingsArguments(
            known: ["IDP_LISTEN"], secrets: ["IDP_SECRET_KEY"], commands: ["serve", "check"])
        let problem = try #require(known.problem(in: arguments))
        #expect(problem.contains(words), "\(problem)")
        #expect(!problem.contains("S3CRET"))
    }

    @Test("valid options are accepted")
    func taken() {
        let known = SettingsArguments(known: ["IDP_LISTEN"], secrets: ["IDP_SECRET_KEY"])
        #expect(known.problem(in: ["--idp-listen", "a", "--idp-secret-key-file", "f", "--log-level=info"]) == nil)
    }

    @Test("the address of a database is accepted on the command line when it has no password")
    func databaseAddress() {
        let known = SettingsArguments(known: [], secrets: ["IDP_DATABASE_URL"])
        for address in [
            "sqlite:var/idp.sqlite", "postgres://idp@one.internal,two.internal:5433/idp?sslmode=verify-full",
            "host=one.internal dbname=idp user=idp passfile=/etc/swift-sso/pgpass",
        ] {
            #expect(known.problem(in: ["--idp-database-url", address]) == nil, "\(address)")
        }
        for address in [
            "postgres://idp:S3CRET@one.internal/idp", "postgres://one.internal/idp?user=idp&password=S3CRET",
            "host=one.internal dbname=idp password = S3CRET",
        ] {
            let problem = known.problem(in: ["--idp-database-url", address])
            #expect(problem?.contains("--idp-database-url-file FILE") == true && problem?.contains("S3CRET") == false)
        }
    }

    @Test("a URL is accepted on the command line when it has no login")
    func plainAddress() {
        let known = SettingsArguments(known: [], secrets: ["IDP_MAIL_URL", "IDP_SECRET_KEY"])
        for arguments in [["--idp-mail-url", "outbox:var/outbox"], ["--idp-mail-url=smtp://relay.example:587"]] {
            #expect(known.problem(in: arguments) == nil)
        }
        for arguments in [
            ["--idp-mail-url", "smtp://u:S3CRET@h"], ["--idp-mail-url=smtp://u:S3CRET@h"], ["--idp-mail-url"],
        ] {
            #expect(known.problem(in: arguments)?.contains("--idp-mail-url") == true)
            #expect(known.problem(in: arguments)?.contains("S3CRET") == false)
        }
    }

    @Test(
        "a secret on the command line, an unknown option, an empty value: exit 64, and the secret is not repeated",
        arguments: ["idp", "relying-party"], ["serve", "check"])
    func usage(name: String, command: String) async throws {
        let option = name == "idp" ? "--idp-secret-key" : "--rp-secret-key"
        for arguments in [
            [option, SettingsFixture.secret], ["\(option)=\(SettingsFixture.secret)"], ["--no-such", "1"],
            ["--log-level", ""], ["--log-level="],
        ] {
            let program = ProgramProcess(name, [command] + arguments, folder: try TemporaryFolder())
            let exit = try await program.run()
            #expect(exit == .code(64))
            #expect(!program.output.contains(SettingsFixture.secret))
            #expect(program.log.contains(arguments[0].prefix { $0 != "=" }))
        }
    }
}
