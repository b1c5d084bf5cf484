import Foundation
import Testing

@testable import TestKit

/// script/previous in a repository of its own, with stubs in place of Swift and strip.
@Suite("script/previous", .deployment)
struct PreviousScriptTests {

    @Test("without a release it builds the last commit whose schema has a step less, once")
    func olderSchema() async throws {
        let repository = try await Repository()
        try await repository.commit(steps: ["v001-a", "v002-b"])
        let expected = try await repository.commit(steps: ["v001-a", "v002-b"], note: "later")
        try await repository.commit(steps: ["v001-a", "v002-b", "v003-c"])
        try await repository.commit(steps: ["v001-a", "v002-b", "v003-c"], note: "today")
        let before = try await repository.run("--print")
        #expect(before.code == 0 && before.output.isEmpty)
        for _ in 1...2 {
            let run = try await repository.run()
            #expect(run.code == 0 && run.output == "\(repository.built(expected))\n", "\(run.errors)")
        }
        let built = ["relying-party", "idp"].map { "0.1.0-dev.2 \(expected) \($0)\n" }
        #expect(repository.folder.text(of: "builds") == built.joined())
        for program in ["idp", "relying-party"] {
            #expect(repository.folder.text(of: ".build/previous/\(expected)/\(program)") == "\(program)\n")
        }
        #expect(repository.folder.text(of: ".build/previous/\(expected)/version") == "0.1.0-dev.2\n")
        #expect(try await repository.run("--print").output == "\(repository.built(expected))\n")
        let left = try FileManager.default.contentsOfDirectory(atPath: repository.folder.path(of: ".build/previous"))
        #expect(left == [expected])
    }

    @Test("the last release is the version before, also with an equal schema")
    func release() async throws {
        let repository = try await Repository()
        try await repository.commit(steps: ["v001-a"])
        let expected = try await repository.commit(steps: ["v001-a", "v002-b"])
        try await repository.git("tag", "-a", "v0.1.0", "-m", "0.1.0")
        try await repository.commit(steps: ["v001-a", "v002-b"], note: "today")
        let run = try await repository.run()
        #expect(run.output == "\(repository.built(expected))\n", "\(run.errors)")
        #expect(repository.folder.text(of: "builds").contains("0.1.0 \(expected) idp\n"))
    }

    @Test("what cannot be built is refused, with the reason")
    func refused() async throws {
        let repository = try await Repository()
        try await repository.commit(steps: ["v001-a"])
        try await repository.commit(steps: ["v001-a"], note: "today")
        for (arguments, code, words) in [
            ([], 1, "no commit here has an older schema."), (["nowhere"], 1, "there is no commit 'nowhere'."),
            (["--all"], 64, "unknown argument '--all'"), (["a", "b"], 64, "more than one argument"),
        ] as [([String], Int32, String)] {
            let run = try await repository.run(arguments)
            #expect(run.code == code && run.errors.hasPrefix("script/previous: \(words)"), "\(run.errors)")
        }
        try repository.failBuilds()
        let commit = try await repository.commit(steps: ["v001-a", "v002-b"])
        let run = try await repository.run()
        #expect(run.code != 0 && run.output.isEmpty)
        #expect(try await repository.run("--print").output.isEmpty && !commit.isEmpty)
        try FileManager.default.removeItem(atPath: repository.folder.path(of: ".git"))
        #expect(try await repository.run().errors.contains("this is no git repository"))
    }

    /// A repository with the script and a schema.
    struct Repository {
        let folder: TemporaryFolder

        init() async throws {
            folder = try TemporaryFolder()
            for name in ["bin", "script", "Sources/IdP/Schema"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path(of: name), withIntermediateDirectories: true)
            }
            try FileManager.default.copyItem(
                at: TestVectors.repository.appending(path: "script/previous"),
                to: URL(filePath: folder.path(of: "script/previous")))
            try folder.write("0.1.0\n", to: "VERSION")
            try have(
                "swift",
                """
                for program in "$@"; do :; done
                echo "$SOURCE_VERSION $SOURCE_COMMIT $program" >>'\(folder.path(of: "builds"))'
                mkdir -p .build/debug
                echo "$program" >".build/debug/$program"
                chmod +x ".build/debug/$program"
                """)
            try have("strip", "cp \"$4\" \"$3\"")
            try await git("init", "--quiet", "--initial-branch=main", ".")
        }

        private func have(_ name: String, _ lines: String) throws {
            let path = try folder.write("#!/bin/sh\n\(lines)\n", to: "bin/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        func failBuilds() throws { try have("swift", "exit 1") }

        func built(_ commit: String) -> String { folder.path(of: ".build/previous/\(commit)") }

        private func command(_ words: [String]) async throws -> WellKnownRun {
            try await WellKnownRun.command(
                words, in: folder.path, environment: ["PATH": "\(folder.path(of: "bin")):/usr/bin:/bin"])
        }

        @discardableResult
        func git(_ words: String...) async throws -> String {
            let user = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
            let run = try await command(["/usr/bin/env", "git"] + user + words)
            guard run.code == 0 else { throw ProbeFailure("git \(words): \(run.errors)") }
            return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// - Returns: the first twelve digits of the commit.
        @discardableResult
        func commit(steps: [String], note: String = "") async throws -> String {
            try folder.write(
                steps.map { "Migration(name: \"\($0)\", sql: \(note))\n" }.joined(),
                to: "Sources/IdP/Schema/IdPMigrations.swift")
            try await git("add", "Sources", "script", "VERSION")
            try await git("commit", "--quiet", "--message", "a commit")
            return try await git("rev-parse", "--short=12", "HEAD")
        }

        func run(_ arguments: [String]) async throws -> WellKnownRun {
            try await command([folder.path(of: "script/previous")] + arguments)
        }
        func run(_ arguments: String...) async throws -> WellKnownRun { try await run(arguments) }
    }
}
