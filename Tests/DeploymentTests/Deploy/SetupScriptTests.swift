import Foundation
import Testing

@testable import TestKit

/// script/setup on a machine made of stubs: it installs nothing and fetches nothing.
@Suite("script/setup", .deployment)
struct SetupScriptTests {
    static let swift = """
        #!/bin/sh
        case $1 in --version) echo "Swift version 6.3.1 (swift-6.3.1-RELEASE)" ;; esac
        """

    /// What SwiftPM prints when it cannot fetch.
    static let failingResolve = """

        [ "$1" = package ] || exit 0
        for name in swift-log swift-nio hummingbird Yams; do
            echo "Fetching https://github.com/apple/$name"
        done
        echo "error: Git command 'git -C /root/.cache/Yams config' failed: fatal: cannot change to '/root/.cache/Yams'" >&2
        exit 1
        """

    @Test("a complete machine is ready, and nothing is printed or installed")
    func ready() async throws {
        let machine = try Machine()
        try machine.have("dpkg-query", "#!/bin/sh\necho installed")
        try machine.have("pkg-config", "#!/bin/sh")
        let run = try await machine.setup()
        #expect(run.code == 0 && run.errors.isEmpty)
        // The linker's folder is looked at itself, and this machine may lack it.
        #expect(machine.installed.allSatisfy { $0.hasPrefix("libstdc++-") })
    }

    @Test(
        "an option that it does not know is refused before anything is looked at, with the usage",
        arguments: [["--tests"], ["--test", "--bench"], ["--test-all", "--test"], ["test"]])
    func options(arguments: [String]) async throws {
        let machine = try Machine()
        let run = try await machine.setup(arguments)
        #expect(run.code == 64 && machine.installed.isEmpty)
        #expect(
            run.errors.hasPrefix(
                "script/setup: unknown option '\(arguments.joined(separator: " "))'\nUsage: script/setup"))
        let help = try await machine.setup("--help")
        #expect(help.code == 0 && help.output.hasPrefix("Usage: script/setup") && machine.installed.isEmpty)
    }

    @Test("script/demo helps, and refuses an argument, before it builds anything")
    func demoOptions() async throws {
        let script = DeployTests.folder.deletingLastPathComponent().appending(path: "script/demo").path()
        let help = try await WellKnownRun.command([script, "--help"])
        #expect(help.code == 0 && help.output.hasPrefix("Usage: script/demo") && help.errors.isEmpty)
        let refused = try await WellKnownRun.command([script, "--port", "80"])
        #expect(refused.code == 64 && refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("script/demo: unknown argument '--port 80'\nUsage: script/demo"))
    }

    @Test("without Swift it names the download page")
    func noSwift() async throws {
        let machine = try Machine()
        try machine.lose("swift")
        let run = try await machine.setup()
        #expect(run.code == 1)
        #expect(run.errors.hasPrefix("No 'swift' on the PATH."))
    }

    @Test("a Swift that cannot load a library is shown with the loader's message, and not as an unknown version")
    func brokenSwift() async throws {
        let machine = try Machine()
        let words = "swift: error while loading shared libraries: libncurses.so.6: cannot open shared object file"
        try machine.have("swift", "#!/bin/sh\necho '\(words)' >&2\nexit 127")
        let run = try await machine.setup()
        #expect(run.code == 1)
        #expect(run.errors.contains("  \(words)\n") && !run.errors.contains("unknown"))
        #expect(run.lines.last?.hasPrefix("Install the packages that") == true && run.lines.count == 3)
    }

    @Test(
        "a Swift that is too old, or no Swift at all, is reported",
        arguments: ["Swift version 6.1.2 (x)", "Apache Swift 1"])
    func otherSwift(version: String) async throws {
        let machine = try Machine()
        try machine.have("swift", "#!/bin/sh\necho '\(version)'")
        let run = try await machine.setup()
        #expect(run.code == 1)
        #expect(run.errors.contains(version.contains("6.1.2") ? "is 6.1.2." : "  Apache Swift 1\n"))
    }

    @Test("without a network the output of apt becomes the reason and the next step")
    func offlinePackages() async throws {
        let machine = try Machine()
        try machine.have(
            "apt-get",
            """
            #!/bin/sh
            for suite in bookworm bookworm-updates bookworm-security; do
                echo "Err:1 http://deb.debian.org/debian $suite InRelease"
                echo "W: Failed to fetch http://deb.debian.org/debian/$suite  Temporary failure resolving 'deb.debian.org'"
            done
            for name in binutils openssl pkg-config; do echo "E: Unable to locate package $name"; done
            case $* in *install*) exit 100 ;; esac
            """)
        let run = try await machine.setup()
        #expect(run.code == 1 && run.lines.count <= 5)
        #expect(run.errors.hasPrefix("apt-get could not install: "))
        #expect(run.errors.contains("Temporary failure resolving 'deb.debian.org'"))
        #expect(!run.errors.contains("Unable to locate") && !run.errors.contains("Err:"))
        #expect(run.lines.last?.hasPrefix("Check the connection to the package servers") == true)
    }

    @Test("another failure of apt is shown as it is")
    func otherPackageFailure() async throws {
        let machine = try Machine()
        try machine.have(
            "apt-get", "#!/bin/sh\necho 'Reading lists'\necho 'E: You do not have enough space'\nexit 100")
        let run = try await machine.setup()
        #expect(run.code == 1 && run.lines.dropFirst().first == "  E: You do not have enough space")
    }

    @Test("without a network git's message becomes the reason, which SwiftPM drops, and the next step follows")
    func offlineSources() async throws {
        let machine = try Machine()
        try machine.have("dpkg-query", "#!/bin/sh\necho installed")
        try machine.have("swift", Self.swift + Self.failingResolve)
        let words = "fatal: unable to access 'https://github.com/apple/swift-log/': Could not resolve host: github.com"
        try machine.have("git", "#!/bin/sh\necho \"\(words)\" >&2\nexit 128")
        let run = try await machine.setup()
        #expect(run.code == 1 && run.lines.count == 3)
        #expect(run.errors.hasPrefix("The Swift packages of Package.swift could not be fetched:\n  \(words)\n"))
        #expect(run.lines.last?.hasPrefix("Check the connection to github.com") == true)
    }

    @Test("with a network SwiftPM's error is the reason")
    func otherSourceFailure() async throws {
        let machine = try Machine()
        try machine.have("dpkg-query", "#!/bin/sh\necho installed")
        try machine.have("swift", Self.swift + Self.failingResolve)
        try machine.have("git", "#!/bin/sh\necho 0123 HEAD")
        let run = try await machine.setup()
        #expect(run.code == 1 && run.lines.count == 3)
        #expect(run.lines.dropFirst().first?.hasPrefix("  error: Git command") == true)
    }

    @Test("a package that only the tests need is skipped and named where the distribution lacks it")
    func lackingPackages() async throws {
        let machine = try Machine()
        // This distribution has no caddy.
        try machine.have("apt-cache", "#!/bin/sh\n[ \"$1 $2\" != 'show caddy' ]")
        let run = try await machine.setup("--test-all")
        #expect(run.code == 0)
        #expect(machine.installed.contains("faketime") && machine.installed.contains("sqlite3"))
        #expect(!machine.installed.contains("caddy"))
        #expect(run.errors.contains("so the tests that need it are skipped: caddy\n"))
        // The others depend on this machine.
        let others = ["chromium", "postfix", "prometheus"]
        #expect(
            run.lines.filter { line in line.contains("skipped: ") && !others.contains(where: line.contains) }.count
                == 1,
            "\(run.errors)")
    }

    @Test("the languages of the samples are installed for the tests, unless they are there in another way")
    func languages() async throws {
        let machine = try Machine()
        try machine.have("node", "#!/bin/sh")
        #expect(try await machine.setup("--test-all").code == 0)
        #expect(machine.installed.isSuperset(of: ["ruby", "php-cli", "php-curl", "golang-go", "jq"]))
        #expect(!machine.installed.contains("nodejs"))
    }

    @Test(
        "the mail server for the tests is installed without a configuration, stopped, and does not start at the next boot"
    )
    func mailServer() async throws {
        let machine = try Machine()
        try machine.have(
            "debconf-set-selections", "#!/bin/sh\n[ \"$(grep -c .)\" = 1 ] && echo set >> '\(machine.calls)'")
        for name in ["invoke-rc.d", "systemctl"] {
            try machine.have(name, "#!/bin/sh\necho \"$*\" >> '\(machine.calls)'")
        }
        let run = try await machine.setupAlone("--test-all")
        #expect(run.code == 0 && machine.installed.isSuperset(of: ["postfix", "opendkim"]), "\(run)")
        let calls = machine.recorded
        #expect(calls.first == "set")
        for service in ["postfix", "opendkim"] {
            // Without a running systemd, as in a container, it may have no script of the old kind either.
            #expect(
                calls.contains("disable --quiet \(service).service")
                    || calls.contains("disable --now --quiet \(service).service"), "\(calls)")
        }
    }

    @Test("another mail server stays, and Postfix is not installed")
    func otherMailServer() async throws {
        let machine = try Machine()
        try machine.have("sendmail", "#!/bin/sh")
        let run = try await machine.setupAlone("--test-all")
        #expect(run.code == 0 && !machine.installed.contains("postfix") && machine.installed.contains("opendkim"))
        #expect(run.errors.contains("Another mail server is installed here"))
    }

    @Test("without PyPI the pages are not checked with axe-core, which is said with the reason, and in CI is a failure")
    func offlineAxe() async throws {
        let machine = try Machine()
        let words = "ERROR: Could not connect to pypi.org"
        try machine.have("python3", "#!/bin/sh\n[ \"$1\" = -m ] || { echo '\(words)' >&2; exit 1; }")
        let run = try await machine.setup("--test-all")
        #expect(run.code == 0 && !machine.installed.contains("python3-pip"))
        #expect(run.errors.contains("so the pages are not checked with it:\n  \(words)\n"))
        let strict = try await machine.setup("--test-all", environment: ["CI": "true"])
        #expect(strict.code == 1 && strict.errors.contains("could not be fetched from PyPI:\n  \(words)\n"))
        #expect(try await machine.setup().errors.isEmpty, "a build does not need it")
    }

    @Test("script/test needs a browser and a mail server in Python, and no partner's language")
    func smallSetup() async throws {
        let machine = try Machine()
        #expect(try await machine.setup("--test").code == 0)
        #expect(machine.installed.contains("python3-aiosmtpd"))
        #expect(machine.installed.isDisjoint(with: ["golang-go", "php-cli", "haproxy", "postfix", "python3-pip"]))
    }

    @Test("building installs the linker, and no package that only the tests need")
    func buildPackages() async throws {
        let machine = try Machine()
        #expect(try await machine.setup().code == 0)
        #expect(machine.installed.contains("binutils") && machine.installed.contains("libcurl4-openssl-dev"))
        #expect(!machine.installed.contains("sqlite3") && !machine.installed.contains("faketime"))
        #expect(!machine.installed.contains("python3-markdown-it"))
        // The packages have the documents as HTML.
        #expect(try await machine.setup("--package").code == 0)
        #expect(machine.installed.contains("python3-markdown-it") && !machine.installed.contains("faketime"))
    }

    @Test("without root and sudo it names what is missing")
    func noRights() async throws {
        let machine = try Machine()
        try machine.have("id", "#!/bin/sh\necho 1000")
        let run = try await machine.setup()
        #expect(run.code == 1 && machine.installed.isEmpty)
        #expect(run.errors.contains("there is no sudo") && run.errors.contains("libssl-dev"))
    }

    /// A PATH with a few real tools and stubs: root on a Debian without packages.
    final class Machine: Sendable {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            _ = try folder.folder("bin")
            for tool in ["dirname", "env", "find", "grep", "head", "sed", "sort", "tail", "timeout", "uname"] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path(of: "bin/\(tool)"), withDestinationPath: "/usr/bin/\(tool)")
            }
            try have("id", "#!/bin/sh\necho 0")
            try have("swift", SetupScriptTests.swift)
            try have("dpkg-query", "#!/bin/sh\nexit 1")
            try have("apt-cache", "#!/bin/sh\nexit 0")
            try have("debconf-set-selections", "#!/bin/sh\nexit 0")
            // Services are those of this machine.
            for name in ["systemctl", "invoke-rc.d", "update-rc.d"] { try have(name, "#!/bin/sh\nexit 0") }
            try have("apt-get", "#!/bin/sh\necho \"$@\" >> '\(folder.path(of: "apt-get"))'")
        }

        func have(_ name: String, _ script: String) throws {
            let path = try folder.write(script + "\n", to: "bin/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        func lose(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.path(of: "bin/\(name)")) }

        /// The packages that apt-get was asked to install.
        var installed: Set<String> {
            let calls = folder.text(of: "apt-get").split(separator: "\n").filter { $0.hasPrefix("install ") }
            return Set(calls.flatMap { $0.split(separator: " ").map(String.init) }.filter { !$0.hasPrefix("-") })
                .subtracting(["install"])
        }

        /// A file for the calls of further stubs.
        var calls: String { folder.path(of: "calls") }
        var recorded: [String] { folder.text(of: "calls").split(separator: "\n").map(String.init) }

        /// As ``setup(_:environment:)``, where this machine's own /usr/sbin has no programs either.
        func setupAlone(_ arguments: String...) async throws -> WellKnownRun {
            let original = DeployTests.folder.deletingLastPathComponent().appending(path: "script/setup")
            let text = try String(contentsOf: original, encoding: .utf8)
            _ = try folder.folder("script")
            let script = try folder.write(text.replacing("/usr/sbin/", with: "/nonexistent/"), to: "script/setup")
            return try await WellKnownRun.command(
                ["/bin/sh", script] + arguments, environment: ["PATH": folder.path(of: "bin")])
        }

        func setup(_ arguments: String..., environment: [String: String] = [:]) async throws -> WellKnownRun {
            try await setup(arguments, environment: environment)
        }

        func setup(_ arguments: [String], environment: [String: String] = [:]) async throws -> WellKnownRun {
            let script = DeployTests.folder.deletingLastPathComponent().appending(path: "script/setup").path()
            return try await WellKnownRun.command(
                ["/bin/sh", script] + arguments,
                environment: environment.merging(["PATH": folder.path(of: "bin")]) { $1 })
        }
    }
}

extension WellKnownRun {
    /// The lines on standard error.
    fileprivate var lines: [String] { errors.split(separator: "\n").map(String.init) }
}
