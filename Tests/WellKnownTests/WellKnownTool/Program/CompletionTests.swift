import CommandLines
import Foundation
import SSOShared
import Testing
import ThisBuild

@testable import TestKit
@testable import WellKnownTool

/// Shells complete the program's arguments, and every command has a help text.
@Suite("wellknown as a program: help and completions", .deployment)
struct CompletionTests {
    static let commands = WellKnownProgram.commandNames

    @Test("The script for each shell contains every command", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) async throws {
        let run = try await WellKnownRun.run(["--generate-completion-script", shell])
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        for command in Self.commands {
            #expect(run.output.contains(try Regex("\\b\(command)\\b")), "\(command)")
        }
        #expect(run.output.contains("fail-on"))
        guard shell == "bash" else { return }
        let folder = try TemporaryFolder()
        let path = try folder.write(run.output, to: "wellknown.bash")
        let check = try await WellKnownRun.command(["/bin/bash", "-n", path])
        #expect(check.code == 0, "\(check.errors)")
        // Runs the script as a shell does for `wellknown li<TAB>`.
        let ask = """
            . "\(path)"; COMP_WORDS=(wellknown li); COMP_CWORD=1; COMP_LINE='wellknown li'; COMP_POINT=12
            function_name=$(complete -p wellknown | sed 's/.*-F \\([^ ]*\\).*/\\1/'); "$function_name" wellknown li wellknown
            echo "${COMPREPLY[@]}"
            """
        let reply = try await WellKnownRun.command(["/bin/bash", "-c", ask])
        #expect(reply.output.contains("lint"), "\(reply.output)\(reply.errors)")
    }

    private static func has(_ shell: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
    }

    @Test("fish completes a command with its script", .enabled(if: has("fish"), "fish is not installed"))
    func fish() async throws {
        let script = try await WellKnownRun.run(["--generate-completion-script", "fish"])
        let folder = try TemporaryFolder()
        let path = try folder.write(script.output, to: "wellknown.fish")
        let run = try await WellKnownRun.command(
            ["/usr/bin/fish", "--no-config", "-c", "source \(path); complete -C 'wellknown li'"],
            environment: ["HOME": folder.path])
        #expect(run.code == 0 && run.output.contains("lint"), "\(run.output)\(run.errors)")
    }

    @Test("zsh loads its script without an error", .enabled(if: has("zsh"), "zsh is not installed"))
    func zsh() async throws {
        let script = try await WellKnownRun.run(["--generate-completion-script", "zsh"])
        let folder = try TemporaryFolder()
        let path = try folder.write(script.output, to: "_wellknown")
        let ask = "autoload -Uz compinit; compinit -D; source \(path); whence -w _wellknown"
        let run = try await WellKnownRun.command(
            ["/usr/bin/zsh", "-f", "-c", ask], environment: ["HOME": folder.path])
        #expect(run.output.contains("_wellknown: function"), "\(run.output)\(run.errors)")
    }

    @Test("Every command's help has an example, and is at most 80 columns wide", arguments: commands)
    func examples(command: String) async throws {
        let run = try await WellKnownRun.run([command, "--help"], environment: ["COLUMNS": "80"])
        #expect(run.code == 0)
        let nested = run.output.contains("SUBCOMMANDS:")
        #expect(nested || run.output.contains("Example"), "\(run.output)")
        #expect(run.output.contains("wellknown \(command)") && !run.output.contains(/[^\n]{81}/))
    }

    @Test("--version prints one line with the version, the commit and the date of the build")
    func version() async throws {
        let run = try await WellKnownRun.run(["--version"])
        #expect(
            run.output.wholeMatch(of: #/wellknown \S+ \([0-9a-f]{12}\+?, \d{4}-\d\d-\d\d\)\n/#) != nil, "\(run.output)")
        // Programs of a release may have been built before a file of the tests changed.
        if Programs.areOwn { #expect(run.output == "wellknown \(ThisBuild.stamp.text)\n") }
    }
}
