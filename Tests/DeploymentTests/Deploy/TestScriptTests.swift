import Foundation
import Testing

@testable import TestKit

/// script/test in a folder of its own, with stubs in place of Swift, the other scripts and sudo.
@Suite("script/test", .deployment)
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
        let run = try await Checkout(tests: Self.passing, status: 0).run("all")
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("-- fuzz: ") && !run.output.contains("Failed") && !run.output.contains("Skipped"))
    }

    @Test("later stages run after a failure, and the last lines name each failed and skipped test with its reason")
    func failure() async throws {
        let run = try await Checkout(tests: Self.mixed, status: 1, format: 1).run("all")
        #expect(run.code == 1)
        #expect(run.output.contains("== arrows") && run.output.contains("-- fuzz: "))
        let end = try #require(run.output.range(of: "Failed tests:\n")).lowerBound
        #expect(
            run.output[end...] == """
                Failed tests:
                  Test "a code works once" with 3 test cases recorded an issue with n → 2 at C.swift:1:9: Expectation failed: 2 == 1
                  Test "a code works once" with 3 test cases recorded an issue with n → 2 at C.swift:1:9: Expectation failed: 2 == 1
                  Test "a code works once" with 3 test cases recorded an issue with n → 2 at C.swift:1:9: Expectation failed: 2 == 1 (on PostgreSQL)
                Skipped tests:
                  "a full disk": "mounting needs root"
                  "Replies through Postfix": "needs root and the packages postfix and opendkim"
                  "a full disk": "mounting needs root"
                  "Replies through Postfix": "needs root and the packages postfix and opendkim"
                FAILED: format, tests, tests on PostgreSQL

                """)
    }

    private static let nothing = "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds."

    private static func issue(_ test: String?) -> String {
        let id = test.map { ",\"testID\":\"SSOTests.\($0)\"" } ?? ""
        return #"{"kind":"event","payload":{"kind":"issueRecorded","issue":{"isKnown":false}\#(id)},"version":0}"#
    }

    private static let ended = #"{"kind":"event","payload":{"kind":"runEnded"},"version":0}"#

    @Test("a test of the machine that passes alone is named at the end, and the run is green")
    func again() async throws {
        let id = #"BrowserTests\/shown()\/B.swift:1:6"#
        let checkout = try Checkout(
            tests: Self.mixed, status: 1, events: [Self.issue(id), Self.issue(id), Self.ended], again: Self.passing)
        let run = try await checkout.run("smoke")
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("Failed, and passed when they ran again:\n  Test \"a code works once\""))
        #expect(!run.output.contains("Failed tests"))
        #expect(checkout.again == [#"width=1 database= ^(SSOTests\.BrowserTests/shown\(\))"#])
        #expect(checkout.secondTries == ["SSOTests.BrowserTests/shown()"])
    }

    @Test("any other runs five times more, with all of its target and as many at once: one more failure is red")
    func company() async throws {
        let id = #"CodeTests\/once(n:)\/C.swift:1:6"#
        let checkout = try Checkout(
            tests: Self.mixed, status: 1, events: [Self.issue(id), Self.ended], again: Self.passing)
        #expect(try await checkout.run("memory").code == 0)
        #expect(checkout.again == Array(repeating: #"width=16 database= ^SSOTests\."#, count: 5))
        let race = try Checkout(
            tests: Self.mixed, status: 1, events: [Self.issue(id), Self.ended], again: Self.passing, failingAt: 4)
        let run = try await race.run("memory")
        #expect(run.code == 1 && run.output.contains("Failed tests:") && race.again.count == 4)
        #expect(race.secondTries.isEmpty)
    }

    @Test("a name that had a second try before is red until its line is taken out")
    func twice() async throws {
        let id = #"BrowserTests\/shown()\/B.swift:1:6"#
        let checkout = try Checkout(
            tests: Self.mixed, status: 1, events: [Self.issue(id), Self.ended], again: Self.passing)
        #expect(try await checkout.run("smoke").code == 0)
        let second = try await checkout.run("smoke")
        #expect(second.code == 1)
        #expect(second.errors.contains("SSOTests.BrowserTests/shown() had a second try before"))
        #expect(checkout.secondTries.count == 1)
    }

    @Test("a test that fails alone as well has failed, and nothing runs again where that would hide a fault")
    func notAgain() async throws {
        let once = Self.issue(#"BrowserTests\/shown()\/B.swift:1:6"#)
        let six = (0..<6).map { Self.issue("BrowserTests\\/shown\($0)()\\/B.swift:1:6") }
        for (name, events, again, failingAt, word) in [
            ("fails again", [once, Self.ended], Self.mixed, 1, "smoke"),
            ("at night", [once, Self.ended], Self.passing, 0, "nightly"),
            ("a crash", [once], Self.passing, 0, "smoke"),
            ("no test's", [Self.issue(nil), Self.ended], Self.passing, 0, "smoke"),
            ("too many", six + [Self.ended], Self.passing, 0, "smoke"),
            ("finds nothing", [once, Self.ended], Self.nothing, 0, "smoke"),
        ] as [(String, [String], String, Int, String)] {
            let checkout = try Checkout(
                tests: Self.mixed, status: 1, events: events, again: again, failingAt: failingAt)
            let run = try await checkout.run(word)
            #expect(run.code == 1 && run.output.contains("Failed tests:"), "\(name): \(run)")
            #expect(!checkout.again.isEmpty == ["fails again", "finds nothing"].contains(name), "\(name)")
        }
    }

    @Test("tests that end without naming a failure, such as by a crash, show their last lines")
    func crash() async throws {
        let run = try await Checkout(tests: "Fatal error: index out of range", status: 1).run("rest")
        #expect(run.code == 1)
        #expect(
            run.output.hasSuffix(
                "ended without naming one that failed. Their last lines:\nFatal error: index out of range\nFAILED: tests, tests on PostgreSQL\n"
            ))
    }

    @Test("a failed build runs no tests and says so")
    func build() async throws {
        let run = try await Checkout(tests: Self.passing, status: 0, build: 1).run("all")
        #expect(run.code == 1 && run.output.hasSuffix("FAILED: build\n"))
        #expect(!run.output.contains("== tests") && !run.output.contains("== fuzz"))
    }

    @Test("a user who may use sudo without a password runs the tests that need root by it, and they are not skipped")
    func root() async throws {
        let checkout = try Checkout(tests: Self.mixed, status: 0, userID: 1_000)
        #expect(try await checkout.run("all").output.contains("\"a full disk\": \"mounting needs root\""))
        try checkout.haveSudo(
            """
            ✔ Test "a full disk" passed after 0.100 seconds.
            ✔ Suite "Replies through Postfix" passed after 0.100 seconds.
            """)
        let run = try await checkout.run("all")
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains("== tests as root") && !run.output.contains("Skipped tests"))
        try checkout.haveSudo(Self.nothing)
        let without = try await checkout.run("all")
        #expect(without.code == 1 && without.errors.contains("No test has run."))
        #expect(without.output.hasSuffix("FAILED: tests as root\n"), "\(without)")
    }

    @Test("a filter that finds no test is red")
    func noTest() async throws {
        let run = try await Checkout(tests: Self.nothing, status: 0).run("--filter", "Nothing")
        #expect(run.code == 1 && run.output.hasSuffix("FAILED: tests\n"), "\(run)")
        #expect(run.errors.contains("No test has run."))
    }

    private static let all = ["--build-tests"]
    private static let tests = ["--product swift-ssoPackageTests"]

    @Test(
        "a word for some of the tests builds these and no other, and nightly is long",
        arguments: [
            ("", "targets of rules program smoke", "", all),
            ("wellknown", "WellKnownTests,WellKnownToolTests,TestKit", "", ["--product wellknown"] + tests),
            ("memory", "targets of program", "", tests), ("rules", "targets of rules", "", tests),
            ("nightly", "", "nightly", all), ("journeys", "targets of journey", "", all),
        ] as [(String, String, String, [String])])
    func some(word: String, targets: String, length: String, builds: [String]) async throws {
        let checkout = try Checkout(tests: Self.passing, status: 0)
        #expect(try await checkout.run(word.isEmpty ? [] : [word]).code == 0)
        let expected = builds.map { "targets=\(targets) length=\(length) build \($0)" }
        #expect(checkout.calls.prefix(builds.count).map { $0.components(separatedBy: " --explicit")[0] } == expected)
    }

    @Test("what `all` runs is what `script/test` and `rest` run, each size once")
    func sizes() async throws {
        func filters(_ words: String...) async throws -> [String] {
            let checkout = try Checkout(tests: Self.passing, status: 0)
            _ = try await checkout.run(words)
            return checkout.filters
        }
        let all = try await filters("all")
        #expect(
            all == [
                "filter rules program rules program smoke deployment journey",
                "filter smoke deployment journey rules program smoke deployment journey", "postgres",
            ])
        #expect(
            try await filters() == [
                "filter rules program rules program smoke", "filter smoke deployment journey rules program smoke",
            ])
        #expect(try await filters("rest") == ["filter smoke deployment journey deployment journey", "postgres"])
    }

    @Test("a suite without a size is red, and --list needs no build")
    func list() async throws {
        let run = try await Checkout(tests: Self.passing, status: 0, check: 1).run()
        #expect(run.code == 1 && run.output.hasSuffix("FAILED: sizes\n"))
        let checkout = try Checkout(tests: Self.passing, status: 0)
        #expect(try await checkout.run("--list").output == "list of suites\n" && checkout.calls.isEmpty)
    }

    @Test("nightly fails when a login costs more than its bound, and no other run of the tests counts it")
    func budget() async throws {
        let nightly = try await Checkout(tests: Self.passing, status: 0, bench: 1).run("nightly")
        #expect(nightly.code == 1 && nightly.output.hasSuffix("FAILED: budget\n"))
        let usual = try await Checkout(tests: Self.passing, status: 0, bench: 1).run("all")
        #expect(usual.code == 0 && !usual.output.contains("budget"))
    }

    @Test("nightly builds the version before for the tests of an upgrade, and the other runs take it where it is built")
    func versionBefore() async throws {
        let failing = try Checkout(tests: Self.passing, status: 0, previous: 1)
        let nightly = try await failing.run("nightly")
        #expect(nightly.code == 1 && nightly.output.hasSuffix("FAILED: version before\n"))
        #expect(failing.calls.contains("tests previous="))
        let usual = try await failing.run("rest")
        #expect(usual.code == 0 && failing.calls.contains("tests previous=/printed"))
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
        ///   - again: what the test program prints that runs some of them again. It fails at run `failingAt`.
        init(
            tests: String, status: Int, events: [String] = [], again: String = "", failingAt: Int = 0, build: Int = 0,
            check: Int = 0, format: Int = 0, bench: Int = 0, previous: Int = 0, userID: Int = 0
        ) throws {
            folder = try TemporaryFolder()
            for name in ["bin", "script", "script/test.d", "Tests", ".build", ".build/debug"] {
                _ = try folder.folder(name)
            }
            for tool in [
                "awk", "bash", "cat", "cut", "dirname", "env", "grep", "head", "jq", "mktemp", "paste", "rm", "sed",
                "sort", "tail", "tee", "touch", "wc",
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
                echo "width=$width database=$SSO_TEST_DATABASE ${*: -1}" >> again.calls
                cat again; [ "$(wc -l < again.calls)" != \(failingAt) ]
                """)
            try have("script/setup", "exit 0")
            try have("script/arrows", "exit 0")
            try have("bin/git", "echo 0123456")
            try have("script/test.d/slowest", "exit 0")
            try have(
                "script/test.d/suites",
                """
                case $1 in
                    filter | postgres) echo "$*" >> filters; echo '^(SSOTests)\\.' ;;
                    targets) echo "$1 of ${*:2}" ;;
                    machine) echo SSOTests.BrowserTests ;;
                    root) echo '^(SSOTests\\.RootTests/)' ;;
                    list) echo "list of suites" ;;
                    check) exit \(check) ;;
                esac
                """)
            try have("script/bench", "[ \"$*\" = budget ] && exit \(bench)")
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
            try have("bin/sudo", "case \"$*\" in *swift-ssoPackageTests*RootTests*) cat root ;; esac")
        }

        private func have(_ name: String, _ lines: String) throws {
            let path = try folder.write("#!/bin/bash\n\(lines)\n", to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        /// What was built, with the settings of the tests.
        var calls: [String] { folder.text(of: "calls").split(separator: "\n").map(String.init) }

        /// The runs of the test program after a failure.
        var again: [String] { folder.text(of: "again.calls").split(separator: "\n").map(String.init) }
        /// What filters were asked for, one for each run of the tests.
        var filters: [String] { folder.text(of: "filters").split(separator: "\n").map(String.init) }
        /// The names in the file of second tries.
        var secondTries: [String] {
            folder.text(of: "Tests/second-tries.txt").split(separator: "\n").map {
                String($0.prefix { $0 != " " })
            }
        }

        func run(_ arguments: String...) async throws -> WellKnownRun { try await run(arguments) }

        func run(_ arguments: [String]) async throws -> WellKnownRun {
            try await WellKnownRun.command(
                ["/usr/bin/bash", folder.path(of: "script/test")] + arguments,
                environment: ["PATH": folder.path(of: "bin"), "TMPDIR": folder.path])
        }
    }
}
