import Foundation
import Testing

@testable import TestKit

/// What script/package and its tests need beside Swift.
enum PackageTools {
    static let areInstalled =
        ["dpkg-deb", "gpg", "clang", "readelf"].allSatisfy { tool in
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
        } && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/markdown_it")
}

/// script/package with small programs in place of ours. They print a help text and completions, and nothing is built.
@Suite(
    "script/package", .deployment, .dependsOnMachine,
    .enabled(if: PackageTools.areInstalled, "needs dpkg-deb, gpg, a C compiler and python3-markdown-it"))
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

    @Test("a service's package has its unit, a template of its settings, documents, and what dpkg needs")
    func contents() async throws {
        let made = try await Self.made()
        for name in ["swift-sso-idp", "swift-sso-relying-party"] {
            let program = String(name.dropFirst("swift-sso-".count))
            let list = try await made.list(name)
            for line in [
                "-rw-r--r-- root/root ./usr/share/\(name)/\(program).env", "-rwxr-xr-x root/root ./usr/bin/\(program)",
                "-rw-r--r-- root/root ./usr/lib/systemd/system/\(name).service",
                "-rw-r--r-- root/root ./usr/share/man/man1/\(program).1.gz",
                "-rw-r--r-- root/root ./usr/share/bash-completion/completions/\(program)",
                "-rw-r--r-- root/root ./usr/share/doc/\(name)/html/index.html",
                "-rw-r--r-- root/root ./usr/share/doc/\(name)/sbom.cdx.json",
                "-rw-r--r-- root/root ./usr/share/doc/\(name)/THIRD-PARTY-NOTICES.gz",
            ] {
                #expect(list.contains(line), "\(name): \(line)")
            }
            #expect(try await made.field(name, "Depends").contains("adduser, libc6 (>= 2."))
            // dpkg would ask about a file of its own that `idp init` or the operator has written.
            #expect(!list.contains { $0.contains("./etc/") && !$0.hasSuffix("/") })
            let unit = try await made.file(name, "usr/lib/systemd/system/\(name).service")
            #expect(unit.contains("ExecStart=/usr/bin/\(program) serve\n") && unit.contains("User=\(name)\n"))
            #expect(!unit.contains("/usr/local") && !unit.contains("DynamicUser") && !unit.contains("clients.yaml"))
            for script in ["postinst", "prerm", "postrm"] {
                let text = try await made.control(name, script)
                #expect(text.contains("package=\(name)\n") && !text.contains("@"), "\(script)")
            }
        }
        let trial = try await made.list("swift-sso-relying-party")
        #expect(trial.contains("-rwxr-xr-x root/root ./usr/share/swift-sso-relying-party/trial/wiki"))
        for file in ["company.svg", "openid.pl", "shop.svg", "wiki.svg"] {
            #expect(trial.contains("-rw-r--r-- root/root ./usr/share/swift-sso-relying-party/trial/\(file)"))
        }
        let idp = try await made.list("swift-sso-idp")
        for file in ["fr/sign-in.json", "es/language.json"] {
            #expect(idp.contains("-rw-r--r-- root/root ./usr/share/swift-sso-idp/languages/\(file)"))
        }
        let examples = "root/root ./usr/share/doc/swift-sso-idp/examples"
        for script in ["deliver-reply", "send-reply"] {
            #expect(idp.contains("-rwxr-xr-x \(examples)/postfix/\(script)"))
        }
        for file in ["postfix/main.cf", "postfix/master.cf", "patroni/patroni.yml", "patroni/role.sql"] {
            #expect(idp.contains("-rw-r--r-- \(examples)/\(file)"), "\(file)")
        }
        for job in ["backup", "mail-token"] {
            #expect(idp.contains("-rwxr-xr-x root/root ./usr/lib/swift-sso-idp/\(job)"))
            #expect(idp.contains("-rw-r--r-- root/root ./usr/lib/systemd/system/swift-sso-idp-\(job).timer"))
            let unit = try await made.file("swift-sso-idp", "usr/lib/systemd/system/swift-sso-idp-\(job).service")
            #expect(unit.contains("ExecStart=/usr/lib/swift-sso-idp/\(job) ") && unit.contains("User=swift-sso-idp\n"))
            #expect(!unit.contains("/usr/local") && !unit.contains("DynamicUser"))
        }
        #expect(try await made.field("swift-sso-idp", "Suggests") == "curl\n")
        #expect(try await made.field("swift-sso-idp", "Recommends") == "libc-gconv-modules-extra\n")
        // What differs between two builds of one commit.
        let program = made.folder.path(of: "swift-sso-idp/usr/bin/idp")
        let sections = try await WellKnownRun.command(["/usr/bin/readelf", "-S", "-W", program]).output
        #expect(sections.contains(".text") && !sections.contains("build-id") && !sections.contains("swift_modhash"))
        let wellknown = try await made.list("swift-sso-wellknown")
        #expect(!wellknown.contains { $0.contains("/etc/") || $0.contains("/systemd/") })
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

    @Test(
        "a program of another version or commit is refused: a package names the build that is inside",
        arguments: ["0.0.1 (", ", 2001-02-03)", ""])
    func otherBuild(change: String) async throws {
        let folder = try TemporaryFolder()
        let ours = try await Self.build()
        var other = ours
        if change.hasSuffix("(") { other = change + ours.components(separatedBy: "(")[1] }
        if change.hasPrefix(",") { other = ours.components(separatedBy: ",")[0] + change }
        let programs = try await Self.programs(in: folder, build: change.isEmpty ? "" : other)
        let run = try await Self.package(["--programs", programs, "--output", folder.path(of: "out")])
        #expect(run.code == 1 && run.errors.contains("and its package would be 'idp \(ours)'."), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "out")))
        guard !change.isEmpty else { return }
        // A build of other sources is packed under its own name.
        let words = try #require(other.wholeMatch(of: #/(.+) \((.+), (.+)\)/#)).output
        let named = try await Self.package(
            ["--programs", programs, "--output", folder.path(of: "out")],
            ["SOURCE_VERSION": "\(words.1)", "SOURCE_COMMIT": "\(words.2)", "SOURCE_DATE": "\(words.3)"])
        #expect(named.code == 0, "\(named.errors)")
    }

    @Test("a program that needs Swift at run time is refused")
    func dynamicSwift() async throws {
        let folder = try TemporaryFolder()
        let run = try await Self.package(["--programs", Programs.own, "--output", folder.path(of: "out")])
        #expect(run.code == 1 && run.errors.contains("needs Swift at run time"), "\(run.errors)")
    }
}

extension PackageScriptTests {
    static let root = DeployTests.folder.deletingLastPathComponent()

    static func package(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> WellKnownRun {
        try await WellKnownRun.command(
            [root.appending(path: "script/package").path()] + arguments, environment: environment)
    }

    /// What `--version` of a program of these sources says after its name.
    static func build() async throws -> String {
        let stamp = try await WellKnownRun.command([root.appending(path: "Plugins/build-stamp").path()])
        let words = stamp.output.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
        try #require(stamp.code == 0 && words.count == 3)
        return "\(words[0]) (\(words[1]), \(words[2]))"
    }

    /// Builds the stand-in, and copies it to each program's name.
    /// - Parameters:
    ///   - build: what `--version` says after the name; nil for the build of these sources.
    ///   - inside: a text that the program contains.
    static func programs(
        in folder: TemporaryFolder, build: String? = nil, inside: String = ""
    ) async throws -> String {
        let ours = try await Self.build()
        let source = try folder.write(
            #"""
            #include <stdio.h>
            #include <string.h>
            const char *inside = INSIDE;
            int main(int count, char **words) {
                const char *slash = strrchr(words[0], '/');
                if (count > 1 && !strcmp(words[1], "--version"))
                    printf("%s %s\n", slash ? slash + 1 : words[0], BUILD);
                else if (count > 1 && !strcmp(words[1], "--experimental-dump-help"))
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
        let texts = ["-DBUILD=\"\(build ?? ours)\"", "-DINSIDE=\"\(inside)\""]
        #expect(
            try await WellKnownRun.command(
                ["/usr/bin/env", "clang"] + texts + ["-o", "\(programs)/idp", source]
            ).code == 0)
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
