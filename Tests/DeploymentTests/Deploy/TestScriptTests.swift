import Foundation
import Testing

@testable import TestKit

/// script/test in a folder of its own, with stubs in place of Swift, the other scripts and sudo.
@Suite("script/test")
struct TestScriptTests {
    static let passing = """
        ✔ Test "a rule holds" passed after 0.001 seconds.
        ✔ Test run with 1 test in 1 suite passed after 0.001 seconds.
        """

    static let mixed = """
        ✔ Test "a rule holds" passed after 0.001 seconds.
        ✘ Test "a code works once" with 3 test cases recorded an issue with n → 2 at C.swift:1:9: Expectation failed: 2 == 1
        ➜ Test "a full disk" skipped: "mounting needs root"
        ➜ Suite "Replies through Postfix" skipped: "needs root and the packages postfix and opendkim"
        ✔ Test "a rule that is skipped holds, and none failed: it passed" passed after 0.002 seconds.
        ✘ Test run with 5 tests in 3 suites failed after 0.010 seconds with 1 issue.
        """

    @Test("a run in which all is well names no test, and ends with 0")
    func green() async throws {
        let run = try await Checkout(tests: Self.passing, status: 0).run()
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("-- fuzz: ") && !run.output.contains("Failed") && !run.output.contains("Skipped"))
    }

    @Test("later stages run after a failure, and the last lines name each failed and skipped test with its reason")
    func failure() async throws {
        let run = try await Checkout(tests: Self.mixed, status: 1, format: 1).run()
        #expect(run.code == 1)
        #expect(run.output.contains("== arrows") && run.output.contains("-- fuzz: "))
        let end = try #require(run.output.range(of: "Failed tests:\n")).lowerBound
        #expect(
            run.output[end...] == """
                Failed tests:
                  Test "a code works once" with 3 test cases recorded an issue with n → 2 at C.swift:1:9: Expectation failed: 2 == 1
                  Test "a code works once" with 3 test cases recorded an issue with n → 2 at C.swift:1:9: Expectation failed: 2 == 1 (on PostgreSQL)
                Skipped tests:
                  "a full disk": "mounting needs root"
                  "Replies through Postfix": "needs root and the packages postfix and opendkim"
                FAILED: format, tests, tests on PostgreSQL

                """)
    }

    private static func issue(_ test: String?) -> String {
        let id = test.map { ",\"testID\":\"SSOTests.CodeTests\\/\($0)\\/C.swift:1:6\"" } ?? ""
        return #"{"kind":"event","payload":{"kind":"issueRecorded","issue":{"isKnown":false}\#(id)},"version":0}"#
    }

    private static let ended = #"{"kind":"event","payload":{"kind":"runEnded"},"version":0}"#

    @Test("a test that fails beside the others and passes alone is named at the end, and the run is green")
    func again() async throws {
        let checkout = try Checkout(
            tests: Self.mixed, status: 1, events: [Self.issue("once(n:)"), Self.issue("once(n:)"), Self.ended],
            again: Self.passing)
        let run = try await checkout.run()
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("Failed beside the others, and passed alone:\n  Test \"a code works once\""))
        #expect(!run.output.contains("Failed tests"))
        let filter = #"^(SSOTests\.CodeTests/once\(n\:\))"#
        #expect(checkout.calls.contains("alone width=1 database= \(filter)"))
        #expect(checkout.calls.contains("alone width=1 database=postgres \(filter)"))
    }

    @Test("a test that fails alone as well has failed, and nothing runs again where that would hide a fault")
    func notAgain() async throws {
        let once = Self.issue("once(n:)")
        let six = (0..<6).map { Self.issue("once\($0)()") }
        for (name, events, again, status, word) in [
            ("fails again", [once, Self.ended], Self.mixed, 1, []),
            ("at night", [once, Self.ended], Self.passing, 0, ["nightly"]),
            ("a crash", [once], Self.passing, 0, []),
            ("no test's", [Self.issue(nil), Self.ended], Self.passing, 0, []),
            ("too many", six + [Self.ended], Self.passing, 0, []),
            (
                "finds nothing", [once, Self.ended], "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.",
                0, []
            ),
        ] as [(String, [String], String, Int, [String])] {
            let checkout = try Checkout(
                tests: Self.mixed, status: 1, events: events, again: again, againStatus: status)
            let run = try await checkout.run(word)
            #expect(run.code == 1 && run.output.contains("Failed tests:"), "\(name): \(run)")
            let ranAlone = checkout.calls.contains { $0.hasPrefix("alone") }
            #expect(ranAlone == ["fails again", "finds nothing"].contains(name), "\(name)")
        }
    }

    @Test("tests that end without naming a failure, such as by a crash, show their last lines")
    func crash() async throws {
        let run = try await Checkout(tests: "Fatal error: index out of range", status: 1).run()
        #expect(run.code == 1)
        #expect(
            run.output.hasSuffix(
                "ended without naming one that failed. Their last lines:\nFatal error: index out of range\nFAILED: tests, tests on PostgreSQL\n"
            ))
    }

    @Test("a failed build runs no tests and says so")
    func build() async throws {
        let run = try await Checkout(tests: Self.passing, status: 0, build: 1).run()
        #expect(run.code == 1 && run.output.hasSuffix("FAILED: build\n"))
        #expect(!run.output.contains("== tests") && !run.output.contains("== fuzz"))
    }

    @Test("a user who may use sudo without a password runs the tests that need root by it, and they are not skipped")
    func root() async throws {
        let checkout = try Checkout(tests: Self.mixed, status: 0, userID: 1_000)
        #expect(try await checkout.run().output.contains("\"a full disk\": \"mounting needs root\""))
        try checkout.haveSudo(
            """
            ✔ Test "a full disk" passed after 0.100 seconds.
            ✔ Suite "Replies through Postfix" passed after 0.100 seconds.
            """)
        let run = try await checkout.run()
        #expect(run.output.contains("== tests as root") && !run.output.contains("Skipped tests"))
    }

    @Test(
        "a word for some of the tests builds these and no other, and nightly is long",
        arguments: [
            ("wellknown", "TestKit,WellKnownTests", "", ["swift-ssoPackageTests", "wellknown"]),
            ("memory", "TestKit,WebTestKit,Counterparts,IdPTestKit,SSOTests", "", ["swift-ssoPackageTests"]),
            ("nightly", "", "nightly", []), ("deployments", "", "", []),
        ] as [(String, String, String, [String])])
    func some(word: String, targets: String, length: String, products: [String]) async throws {
        let checkout = try Checkout(tests: Self.passing, status: 0)
        #expect(try await checkout.run(word).code == 0)
        let builds = products.isEmpty ? ["build --build-tests"] : products.map { "build --product \($0)" }
        let expected = builds.map { "targets=\(targets) length=\(length) \($0)" }
        #expect(checkout.calls.prefix(builds.count).map { $0.components(separatedBy: " --explicit")[0] } == expected)
    }

    @Test("nightly fails when a request asks more of malloc than its bound, and no other run counts it")
    func allocations() async throws {
        let nightly = try await Checkout(tests: Self.passing, status: 0, bench: 1).run("nightly")
        #expect(nightly.code == 1 && nightly.output.hasSuffix("FAILED: allocations\n"))
        let usual = try await Checkout(tests: Self.passing, status: 0, bench: 1).run()
        #expect(usual.code == 0 && !usual.output.contains("allocations"))
    }

    @Test("nightly builds the version before for the tests of an upgrade, and the other runs take it where it is built")
    func versionBefore() async throws {
        let failing = try Checkout(tests: Self.passing, status: 0, previous: 1)
        let nightly = try await failing.run("nightly")
        #expect(nightly.code == 1 && nightly.output.hasSuffix("FAILED: version before\n"))
        #expect(failing.calls.contains("tests previous="))
        let usual = try await failing.run()
        #expect(usual.code == 0 && failing.calls.last == "tests previous=/printed")
        let building = try Checkout(tests: Self.passing, status: 0)
        #expect(try await building.run("nightly").code == 0 && building.calls.contains("tests previous=/built"))
    }

    @Test("an unknown word is refused with the usage, and --help prints it", arguments: ["rule", "nightli"])
    func words(word: String) async throws {
        let checkout = try Checkout(tests: Self.passing, status: 0)
        let refused = try await checkout.run(word)
        #expect(
            refused.code == 64 && refused.errors.hasPrefix("script/test: unknown word '\(word)'\nUsage: script/test"))
        let help = try await checkout.run("--help")
        #expect(help.code == 0 && help.output.hasPrefix("Usage: script/test"))
    }

    /// A copy of the script, whose stages are stubs.
    struct Checkout {
        private let folder: TemporaryFolder

        /// - Parameters:
        ///   - tests: what the tests print.
        ///   - status: with which status they exit; `build`, `format`, `bench` and `previous` likewise.
        ///   - events: the lines of their event stream.
        ///   - again: what the test program prints that runs some of them alone, and `againStatus` its status.
        init(
            tests: String, status: Int, events: [String] = [], again: String = "", againStatus: Int = 0, build: Int = 0,
            format: Int = 0, bench: Int = 0, previous: Int = 0, userID: Int = 0
        ) throws {
            folder = try TemporaryFolder()
            for name in ["bin", "script", ".build", ".build/debug"] { _ = try folder.folder(name) }
            for tool in [
                "awk", "bash", "cat", "dirname", "env", "grep", "jq", "mktemp", "paste", "rm", "sed", "tail", "tee",
                "touch", "wc",
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path(of: "bin/\(tool)"), withDestinationPath: "/usr/bin/\(tool)")
            }
            try FileManager.default.copyItem(
                at: DeployTests.folder.deletingLastPathComponent().appending(path: "script/test"),
                to: URL(filePath: folder.path(of: "script/test")))
            try folder.write(tests + "\n", to: "tests")
            try folder.write(events.map { $0 + "\n" }.joined(), to: "events")
            try folder.write(again + "\n", to: "again")
            try have(
                ".build/debug/swift-ssoPackageTests.xctest",
                """
                width=$SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH
                echo "alone width=$width database=$SSO_TEST_DATABASE ${*: -1}" >> calls
                cat again; exit \(againStatus)
                """)
            try have("script/setup", "exit 0")
            try have("script/arrows", "exit 0")
            try have("script/bench", "[ \"$*\" = allocations ] && exit \(bench)")
            try have("script/try-package", "exit 0")
            let built = previous == 0 ? "echo /built" : "exit \(previous)"
            try have("script/previous", "if [ \"$*\" = --print ]; then echo /printed; else \(built); fi")
            try have(".build/debug/WellKnownBench", "exit 0")
            try have("bin/id", "echo \(userID)")
            try have(
                "bin/swift",
                """
                case "$*" in
                    build*) echo "targets=$SSO_TEST_TARGETS length=$SSO_TEST_LENGTH $*" >> calls ;;
                    test*) echo "tests previous=$SSO_TEST_PREVIOUS" >> calls ;;
                esac
                case "$*" in
                    format*) exit \(format) ;;
                    *--show-bin-path*) echo .build/debug ;;
                    build*) exit \(build) ;;
                    test*) cat events > "${@: -1}"; cat tests; exit \(status) ;;
                esac
                """)
        }

        /// Permits sudo, by which the tests print these lines.
        func haveSudo(_ lines: String) throws {
            try folder.write(lines + "\n", to: "root")
            try have("bin/sudo", "case \"$*\" in *swift-ssoPackageTests*) cat root ;; esac")
        }

        private func have(_ name: String, _ lines: String) throws {
            let path = try folder.write("#!/bin/bash\n\(lines)\n", to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        /// What was built, with the settings of the tests.
        var calls: [String] { folder.text(of: "calls").split(separator: "\n").map(String.init) }

        func run(_ arguments: String...) async throws -> WellKnownRun { try await run(arguments) }

        func run(_ arguments: [String]) async throws -> WellKnownRun {
            try await WellKnownRun.command(
                ["/usr/bin/bash", folder.path(of: "script/test")] + arguments,
                environment: ["PATH": folder.path(of: "bin"), "TMPDIR": folder.path])
        }
    }
}
