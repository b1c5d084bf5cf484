import Foundation
import Testing

@testable import TestKit

/// What script/package and its tests need beside Swift.
enum PackageTools {
    static let areInstalled = ["dpkg-deb", "gpg", "clang", "readelf"].allSatisfy { tool in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
}

/// script/package with small programs in place of ours. They print a help text and completions, and nothing is built.
@Suite("script/package", .enabled(if: PackageTools.areInstalled, "needs dpkg-deb, gpg and a C compiler"))
struct PackageScriptTests {

    @Test("two runs write the same bytes, and SHA256SUMS names every file")
    func reproducible() async throws {
        let folder = try TemporaryFolder()
        let programs = try await Self.programs(in: folder)
        for output in ["first", "second"] {
            let run = try await Self.package(["--programs", programs, "--output", folder.path(of: output)])
            #expect(run.code == 0, "\(run.errors)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "first")).sorted()
        #expect(files.count == 8)
        for file in files {
            let (first, second) = (folder.path(of: "first/\(file)"), folder.path(of: "second/\(file)"))
            #expect(FileManager.default.contentsEqual(atPath: first, andPath: second), "\(file)")
        }
        let sums = try await WellKnownRun.command(
            ["/usr/bin/env", "sha256sum", "--check", "--strict", "SHA256SUMS"], in: folder.path(of: "first"))
        #expect(sums.code == 0 && sums.output.split(separator: "\n").count == 7, "\(sums.output)\(sums.errors)")
        let changed = try await Self.package(
            ["--programs", programs, "--output", folder.path(of: "third")], ["SOURCE_DATE_EPOCH": "1700000000"])
        #expect(changed.code == 0)
        #expect(folder.text(of: "third/SHA256SUMS") != folder.text(of: "first/SHA256SUMS"))
    }

    @Test("a service's package has its unit, settings that only root reads, documents, and what dpkg needs")
    func contents() async throws {
        let made = try await Self.made()
        for name in ["swift-sso-idp", "swift-sso-relying-party"] {
            let program = String(name.dropFirst("swift-sso-".count))
            let list = try await made.list(name)
            for line in [
                "-rw------- root/root ./etc/swift-sso/\(program).env", "-rwxr-xr-x root/root ./usr/bin/\(program)",
                "-rw-r--r-- root/root ./usr/lib/systemd/system/\(name).service",
                "-rw-r--r-- root/root ./usr/share/man/man1/\(program).1.gz",
                "-rw-r--r-- root/root ./usr/share/bash-completion/completions/\(program)",
                "-rw-r--r-- root/root ./usr/share/doc/\(name)/sbom.cdx.json",
                "-rw-r--r-- root/root ./usr/share/doc/\(name)/THIRD-PARTY-NOTICES.gz",
            ] {
                #expect(list.contains(line), "\(name): \(line)")
            }
            #expect(try await made.field(name, "Depends").contains("adduser, libc6 (>= 2."))
            #expect(try await made.control(name, "conffiles") == "/etc/swift-sso/\(program).env\n")
            let unit = try await made.file(name, "usr/lib/systemd/system/\(name).service")
            #expect(unit.contains("ExecStart=/usr/bin/\(program) serve\n") && unit.contains("User=\(name)\n"))
            #expect(!unit.contains("/usr/local") && !unit.contains("DynamicUser") && !unit.contains("clients.yaml"))
            for script in ["postinst", "prerm", "postrm"] {
                let text = try await made.control(name, script)
                #expect(text.contains("package=\(name)\n") && !text.contains("@"), "\(script)")
            }
        }
        #expect(try await !made.list("swift-sso-wellknown").contains { $0.contains("/etc/") || $0.contains("systemd") })
    }

    @Test("the bill of materials and the notices name every package of Package.resolved with its licence")
    func materials() async throws {
        let made = try await Self.made()
        let text = try await made.file("swift-sso-idp", "usr/share/doc/swift-sso-idp/sbom.cdx.json")
        let bill = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let components = try #require(bill["components"] as? [[String: Any]])
        let resolved = try String(contentsOf: Self.root.appending(path: "Package.resolved"), encoding: .utf8)
        let pins = resolved.matches(of: #/"identity" : "(.+)"/#).map { String($0.1) }
        #expect(pins.count > 10 && Set(components.compactMap { $0["name"] as? String }) == Set(pins + ["swift"]))
        #expect(components.allSatisfy { ($0["licenses"] as? [Any])?.count == 1 && $0["version"] is String })
        let notices = try await made.unpacked(
            "swift-sso-idp", "usr/share/doc/swift-sso-idp/THIRD-PARTY-NOTICES.gz")
        for pin in pins { #expect(notices.contains("\n\(pin) "), "\(pin)") }
    }

    @Test("the manual page is what the program says of its commands and options")
    func manual() async throws {
        let page = try await Self.made().unpacked("swift-sso-idp", "usr/share/man/man1/idp.1.gz")
        #expect(page.contains(".SS idp greet\n") && page.contains("\\fB\\-\\-loud WORD\\fR\nHow loud.\n"))
        // A line of a text that begins with a dot is no request to troff.
        #expect(page.contains("\n\\&.env is read.\n"))
    }

    @Test("with a key SHA256SUMS has a signature that gpg accepts, and an unknown key is refused first")
    func signature() async throws {
        let folder = try TemporaryFolder()
        let programs = try await Self.programs(in: folder)
        let home = ["GNUPGHOME": try folder.folder("keys")]
        chmod(folder.path(of: "keys"), 0o700)
        let refused = try await Self.package(
            ["--programs", programs, "--output", folder.path(of: "none"), "--key", "releases@example.com"], home)
        #expect(refused.code == 1 && refused.errors.contains("gpg has no secret key releases@example.com."))
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "none")))

        let making = ["--batch", "--passphrase", "", "--quick-generate-key", "releases@example.com", "ed25519"]
        #expect(try await WellKnownRun.command(["/usr/bin/env", "gpg"] + making, environment: home).code == 0)
        let run = try await Self.package(
            ["--programs", programs, "--output", folder.path(of: "signed"), "--key", "releases@example.com"], home)
        #expect(run.code == 0, "\(run.errors)")
        let verify = [
            "gpg", "--batch", "--verify", folder.path(of: "signed/SHA256SUMS.asc"),
            folder.path(of: "signed/SHA256SUMS"),
        ]
        #expect(try await WellKnownRun.command(["/usr/bin/env"] + verify, environment: home).code == 0)
        _ = try await WellKnownRun.command(["/usr/bin/env", "gpgconf", "--kill", "all"], environment: home)
    }

    @Test(
        "wrong input is refused before anything is written, with what is wrong",
        arguments: [
            (["--fast"], 64, "unknown argument '--fast'"), (["--key"], 64, "--key needs a value"),
            (["--maintainer", "somebody"], 64, "--maintainer must be a name and an address"),
            (["--programs", "/nowhere"], 1, "there is no program /nowhere/idp"),
            (["--output", "/usr"], 1, "the folder /usr is not empty"),
        ] as [([String], Int32, String)])
    func refused(arguments: [String], code: Int32, words: String) async throws {
        let run = try await Self.package(arguments)
        #expect(run.code == code && run.errors.contains("script/package: \(words)"), "\(run.errors)")
    }

    @Test("a program that needs Swift at run time is refused")
    func dynamicSwift() async throws {
        let folder = try TemporaryFolder()
        let built = URL(filePath: WellKnownRun.program).deletingLastPathComponent().path()
        let run = try await Self.package(["--programs", built, "--output", folder.path(of: "out")])
        #expect(run.code == 1 && run.errors.contains("needs Swift at run time"), "\(run.errors)")
    }
}

extension PackageScriptTests {
    static let root = DeployTests.folder.deletingLastPathComponent()

    static func package(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> WellKnownRun {
        try await WellKnownRun.command(
            [root.appending(path: "script/package").path()] + arguments, environment: environment)
    }

    /// Builds the stand-in, and copies it to each program's name.
    static func programs(in folder: TemporaryFolder) async throws -> String {
        let source = try folder.write(
            #"""
            #include <stdio.h>
            #include <string.h>
            int main(int count, char **words) {
                if (count > 1 && !strcmp(words[1], "--experimental-dump-help"))
                    puts("{\"command\":{\"commandName\":\"x\",\"abstract\":\"A stand-in.\",\"subcommands\":[{"
                         "\"commandName\":\"greet\",\"discussion\":\"A file\\n.env is read.\",\"arguments\":[{"
                         "\"kind\":\"option\",\"names\":[{\"kind\":\"long\",\"name\":\"loud\"}],"
                         "\"valueName\":\"word\",\"abstract\":\"How loud.\"}]}]}}");
                else
                    puts("# completions");
                return 0;
            }
            """#, to: "program.c")
        let programs = try folder.folder("programs")
        let build = ["/usr/bin/env", "clang", "-o", "\(programs)/idp", source]
        #expect(try await WellKnownRun.command(build).code == 0)
        for name in ["relying-party", "wellknown"] {
            try FileManager.default.copyItem(atPath: "\(programs)/idp", toPath: "\(programs)/\(name)")
        }
        return programs
    }

    static func made() async throws -> MadePackages {
        let folder = try TemporaryFolder()
        let programs = try await programs(in: folder)
        let run = try await package(["--programs", programs, "--output", folder.path(of: "out")])
        #expect(run.code == 0, "\(run.errors)")
        return MadePackages(folder: folder)
    }

    /// The packages of one run.
    struct MadePackages {
        let folder: TemporaryFolder

        private func dpkg(_ option: String, _ name: String, _ more: String...) async throws -> String {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "out"))
            let file = try #require(files.first { $0.hasPrefix(name + "_") })
            let run = try await WellKnownRun.command(
                ["/usr/bin/env", "dpkg-deb", option, folder.path(of: "out/\(file)")] + more)
            #expect(run.code == 0, "\(run.errors)")
            return run.output
        }

        /// Mode, owner and path of each file.
        func list(_ name: String) async throws -> [String] {
            try await dpkg("--contents", name).split(separator: "\n").map { line in
                let words = line.split(separator: " ")
                return "\(words[0]) \(words[1]) \(words[words.count - 1])"
            }
        }

        func field(_ name: String, _ field: String) async throws -> String { try await dpkg("--field", name, field) }
        func control(_ name: String, _ file: String) async throws -> String { try await dpkg("--info", name, file) }

        func file(_ name: String, _ path: String) async throws -> String {
            _ = try await dpkg("--extract", name, folder.path(of: name))
            return folder.text(of: "\(name)/\(path)")
        }

        /// A file that is compressed.
        func unpacked(_ name: String, _ path: String) async throws -> String {
            _ = try await dpkg("--extract", name, folder.path(of: name))
            return try await WellKnownRun.command(["/usr/bin/env", "gzip", "-dc", folder.path(of: "\(name)/\(path)")])
                .output
        }
    }
}
