import SSOShared
import SSOWeb
import Testing
import ThisBuild

@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

extension Journeys.Operators {
    @Suite("The command line", .journey)
    struct CommandLine {
        @Test(
            "check accepts good settings, shows fingerprints, never a secret", arguments: ["idp", "relying-party"])
        func good(name: String) async throws {
            let pair = try ProcessDeployment()
            let program = try Self.program(name, ["check"], of: pair)
            #expect(try await program.run() == .code(0))
            for secret in pair.secrets { #expect(!program.output.contains(secret)) }
            #expect(program.output.contains("SSO_SHARED_SECRET"))
        }

        @Test("both ends print the same fingerprint for the secret they share")
        func sameFingerprint() async throws {
            let pair = try ProcessDeployment()
            try await pair.start()
            try await pair.stop()
            let fingerprint = try SharedSecret.parse(pair.client.secret, setting: "secret").fingerprint
            #expect(pair.idp.output.contains(fingerprint))
            #expect(pair.client.process.output.contains(fingerprint))
        }

        /// A service manager restarts on 1 and not on 78 (EX_CONFIG).
        @Test(
            "check and serve list all problems at once; check ends with 1, serve with 78",
            arguments: [("check", 1), ("serve", 78)] as [(String, Int32)])
        func bad(command: String, code: Int32) async throws {
            let pair = try ProcessDeployment(settings: [
                "IDP_MAIL_FROM": "nobody", "IDP_SECRET_KEY": "short", "IDP_LISTEN": "nowhere",
            ])
            let idp = try Self.program("idp", [command], of: pair, without: ["SSO_SHARED_SECRET"])
            #expect(try await idp.run() == .code(code))
            for setting in ["IDP_MAIL_FROM", "IDP_SECRET_KEY", "SSO_SHARED_SECRET"] {
                #expect(idp.output.contains(setting), "\(setting) is not named")
            }
            let client = try Self.program(
                "relying-party", [command], of: pair, without: ["SSO_CLIENT_ID", "SSO_SHARED_SECRET", "RP_SECRET_KEY"])
            #expect(try await client.run() == .code(code))
            for setting in ["SSO_CLIENT_ID", "SSO_SHARED_SECRET", "RP_SECRET_KEY"] {
                #expect(client.output.contains(setting), "\(setting) is not named")
            }
        }

        @Test(
            "wrong usage ends with 64", arguments: ["idp", "relying-party"], ["--no-such-option", "no-such-command"])
        func usage(name: String, argument: String) async throws {
            let pair = try ProcessDeployment()
            #expect(try await Self.program(name, [argument], of: pair).run() == .code(64))
        }

        @Test(
            "--version prints version, commit and date of the build in one line, and the log of a start has them",
            arguments: ["idp", "relying-party"])
        func version(name: String) async throws {
            let pair = try ProcessDeployment()
            let program = try Self.program(name, ["--version"], of: pair)
            #expect(try await program.run() == .code(0))
            // Programs of a release may have been built before a file of the tests changed.
            if Programs.areOwn { #expect(program.printed == "\(name) \(ThisBuild.stamp.text)\n") }
            let form =
                #/[a-z-]+ (\d+\.\d+\.\d+(?:-dev\.\d+|\+\d+)?) \(([0-9a-f]{12}\+?|unknown), (\d{4}-\d\d-\d\d|unknown)\)\n/#
            let printed = try #require(try form.wholeMatch(in: program.printed), "\(program.printed)")
            #expect(program.log.isEmpty)
            let serving = try Self.program(name, ["serve"], of: pair)
            try await serving.start()
            #expect(try await serving.terminate() == .code(0))
            let start = serving.log.split(separator: "\n").first { $0.contains(" listening address=") }
            for words in ["version=\(printed.1)", "commit=\(printed.2)", "date=\(printed.3)"] {
                #expect(start?.contains(words) == true, "\(serving.log)")
            }
            #expect(start?.contains(" address=\(serving.host):\(serving.port) ") == true, "\(serving.log)")
            // One event is one line: not also "Server started and listening".
            #expect(serving.log.split(separator: "\n").count { $0.contains("listening") } == 1, "\(serving.log)")
        }

        @Test(
            "every command has a help text, and the program lists it",
            arguments: [
                ["serve"], ["check"], ["user"], ["user", "list"], ["user", "show"], ["user", "disable"],
                ["user", "enable"], ["user", "sign-out"], ["user", "sessions"], ["user", "end-session"], ["sign-outs"],
                ["sign-outs", "list"], ["sign-outs", "retry"], ["backup"], ["restore"], ["keys"], ["keys", "list"],
            ])
        func help(command: [String]) async throws {
            let pair = try ProcessDeployment()
            let program = try Self.program("idp", command + ["--help"], of: pair)
            #expect(try await program.run() == .code(0))
            #expect(program.printed.contains("OVERVIEW: ") && program.printed.contains("USAGE: idp "))
            let root = try Self.program("idp", ["--help"], of: pair)
            #expect(try await root.run() == .code(0))
            #expect(command.count == 2 || root.printed.contains("  \(command[0]) "))
        }

        @Test("an unknown command is named, with the known ones", arguments: ["idp", "relying-party"])
        func unknownCommand(name: String) async throws {
            let pair = try ProcessDeployment()
            let program = try Self.program(name, ["status"], of: pair)
            #expect(try await program.run() == .code(64))
            let commands =
                name == "idp"
                ? "serve, check, init, user, mail, backup, restore, database, audit, client, group, sign-outs, keys, passkeys, trace"
                : "serve, check, database"
            #expect(program.log.contains("\"status\" is neither a command nor a setting"), "\(program.log)")
            #expect(program.log.contains("The commands are \(commands)."), "\(program.log)")
        }

        @Test(
            "a command that consists of others ends without one of them with 64, and its usage on standard error",
            arguments: [
                ("idp", "user", "list"), ("idp", "mail", "deliver"), ("idp", "database", "status"),
                ("idp", "client", "add"), ("idp", "group", "join"), ("idp", "sign-outs", "retry"),
                ("idp", "keys", "rotate"), ("relying-party", "database", "copy"),
            ])
        func withoutSubcommand(name: String, command: String, subcommand: String) async throws {
            let pair = try ProcessDeployment()
            let program = try Self.program(name, [command], of: pair)
            #expect(try await program.run() == .code(64))
            #expect(program.printed.isEmpty, "\(program.printed)")
            #expect(program.log.contains("USAGE: \(name) \(command) <subcommand>"), "\(program.log)")
            #expect(program.log.contains("  \(subcommand)"), "\(program.log)")
            let help = try Self.program(name, [command, "--help"], of: pair)
            #expect(try await help.run() == .code(0))
            #expect(help.printed.contains("USAGE: \(name) \(command) <subcommand>") && help.log.isEmpty)
        }

        @Test(
            "--help-settings of serve and check explains every setting with default and example, and --help names it",
            arguments: ["idp", "relying-party"], ["serve", "check"])
        func settingsInHelp(name: String, command: String) async throws {
            let pair = try ProcessDeployment()
            let help = try Self.program(name, [command, "--help"], of: pair)
            #expect(try await help.run() == .code(0))
            #expect(help.printed.contains("--help-settings") && help.printed.split(separator: "\n").count < 40)
            #expect(help.printed.contains("Example: \(name) \(command) --"))
            let program = try Self.program(name, [command, "--help-settings"], of: pair)
            #expect(try await program.run() == .code(0))
            let settings = name == "idp" ? IdPSettings.table : RelyingPartySettings.table
            let words = program.printed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for setting in settings + CommonSettings.all {
                for part in [setting.name, setting.fallback, setting.explanation, "Example: \(setting.example)"] {
                    #expect(words.contains(part), "\(part)")
                }
            }
            #expect(words.contains("docs/settings.md"))
            #expect(program.printed.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }

        @Test("serve is what happens without a command")
        func serveIsTheDefault() async throws {
            let pair = try ProcessDeployment()
            let program = try Self.program("idp", [], of: pair)
            try await program.start()
            #expect(try await program.terminate() == .code(0))
        }

        @Test("a port that is taken ends the start with 1 and one clear line")
        func portTaken() async throws {
            let pair = try ProcessDeployment()
            try await pair.idp.start()
            let second = try Self.program("idp", ["serve"], of: pair)
            #expect(try await second.run() == .code(1))
            #expect(second.output.contains("\(pair.idp.port)"))
            try await pair.idp.terminate()
        }

        /// The program with the deployment's settings and other arguments, its output in a folder of its own.
        private static func program(
            _ name: String, _ arguments: [String], of pair: ProcessDeployment, without missing: [String] = []
        ) throws -> ProgramProcess {
            let original = name == "idp" ? pair.idp : pair.client.process
            var settings = original.settings
            for setting in missing { settings[setting] = nil }
            return ProgramProcess(
                name, arguments, environment: settings, host: original.host, port: original.port,
                folder: try TemporaryFolder())
        }
    }
}
