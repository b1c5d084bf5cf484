import Foundation
import SSOShared
import Testing

@testable import TestKit

/// Plugins/build-stamp in repositories made for it.
@Suite("The version of a build", .deployment)
struct BuildStampTests {
    @Test("VERSION is the newest version of CHANGELOG.md, and the release that the programs name")
    func release() throws {
        let version = try Sources.text("VERSION")
        #expect(version.wholeMatch(of: #/[0-9]+\.[0-9]+\.[0-9]+\n/#) != nil)
        #expect(version == ProductVersion.text + "\n")
        let newest = try Sources.text("CHANGELOG.md").firstMatch(of: #/\n## ([0-9.]+)\n/#)?.1
        #expect(newest.map(String.init) == ProductVersion.text)
    }

    @Test("a release has the version of its tag, and commits after it are counted")
    func tags() async throws {
        let sources = try await Sources.repository(release: "0.3.0")
        try await sources.git("tag", "--annotate", "--message", "Release", "v0.2.0")
        #expect(try await sources.stamp().version == "0.2.0")
        for _ in 1...2 { try await sources.commit() }
        let stamp = try await sources.stamp()
        #expect(stamp.version == "0.2.0+2" && stamp.date == "2026-11-22")
        #expect(stamp.commit.wholeMatch(of: #/[0-9a-f]{12}/#) != nil)
        try await sources.git("tag", "--annotate", "--message", "Release", "v0.3.0-rc.1")
        #expect(try await sources.stamp().version == "0.3.0-rc.1")
    }

    @Test("without a tag, the commits before the first release are counted")
    func untagged() async throws {
        let sources = try await Sources.repository(release: "0.1.0")
        #expect(try await sources.stamp().version == "0.1.0-dev.1")
        try await sources.commit()
        try await sources.git("tag", "--annotate", "--message", "Not a version", "nightly")
        #expect(try await sources.stamp().version == "0.1.0-dev.2")
    }

    @Test("changes that are not committed are a plus sign after the commit")
    func changed() async throws {
        let sources = try await Sources.repository(release: "0.1.0")
        #expect(try await !sources.stamp().commit.hasSuffix("+"))
        try sources.write(release: "0.1.1")
        #expect(try await sources.stamp().commit.hasSuffix("+"))
    }

    @Test("without a repository it is the version of the file, or what the build was told")
    func archive() async throws {
        let sources = try Sources(release: "0.4.0")
        #expect(try await sources.stamp() == BuildStamp(version: "0.4.0", commit: "unknown", date: "unknown"))
        let told = [
            "SOURCE_VERSION": "0.4.0+7", "SOURCE_COMMIT": "fcf43fb9c1d2", "SOURCE_DATE": "2026-11-22\"; exit",
        ]
        let stamp = try await sources.stamp(told)
        #expect(stamp == BuildStamp(version: "0.4.0+7", commit: "fcf43fb9c1d2", date: "2026-11-22exit"))
    }

    /// The script, and the file that it reads.
    private struct Sources {
        private static let root = DeployTests.folder.deletingLastPathComponent()
        private let folder: TemporaryFolder

        init(release: String) throws {
            folder = try TemporaryFolder()
            _ = try folder.folder("Plugins")
            try FileManager.default.copyItem(
                atPath: Self.root.appending(path: "Plugins/build-stamp").path(),
                toPath: folder.path(of: "Plugins/build-stamp"))
            try write(release: release)
        }

        /// In a repository, with one commit.
        static func repository(release: String) async throws -> Sources {
            let sources = try Sources(release: release)
            try await sources.git("init", "--quiet")
            try await sources.git("add", ".")
            try await sources.commit()
            return sources
        }

        static func text(_ file: String) throws -> String {
            try String(contentsOf: root.appending(path: file), encoding: .utf8)
        }

        func write(release: String) throws {
            try folder.write(release + "\n", to: "VERSION")
        }

        func commit() async throws { try await git("commit", "--quiet", "--allow-empty", "--message", "Change") }

        func git(_ words: String...) async throws {
            let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
            let run = try await WellKnownRun.command(
                ["/usr/bin/env", "git", "-C", folder.path] + identity + words,
                environment: [
                    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_COMMITTER_DATE": "2026-11-22T12:00:00Z", "GIT_AUTHOR_DATE": "2026-11-22T12:00:00Z",
                ])
            #expect(run.code == 0, "\(words): \(run.errors)")
        }

        func stamp(_ told: [String: String] = [:]) async throws -> BuildStamp {
            let run = try await WellKnownRun.command([folder.path(of: "Plugins/build-stamp")], environment: told)
            #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
            let words = run.output.split(whereSeparator: \.isWhitespace).map(String.init)
            try #require(words.count == 3, "\(run.output)")
            return BuildStamp(version: words[0], commit: words[1], date: words[2])
        }
    }
}
