import Foundation
import Glibc
import Synchronization

/// The folder of the built programs.
enum Programs {
    /// The folder of this test binary: SwiftPM puts every product of one build side by side.
    static let own: String = {
        let binary = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: binary).deletingLastPathComponent().path
    }()
    /// `SSO_TEST_PROGRAMS` names another folder, for example that of a release build.
    private static let named = ProcessInfo.processInfo.environment["SSO_TEST_PROGRAMS"]
    static var folder: String { named ?? own }
    /// Whether the programs are of the same build as the tests.
    static var areOwn: Bool { named == nil }

    /// A program that is not shipped is not in another folder.
    static func path(of name: String) -> String {
        let path = "\(folder)/\(name)"
        return FileManager.default.fileExists(atPath: path) ? path : "\(own)/\(name)"
    }

    /// What a child needs to find the Swift runtime, and nothing else of this environment.
    static let inherited: [String: String] = ProcessInfo.processInfo.environment.filter {
        $0.key == "PATH" || $0.key.hasPrefix("LD_")
    }
}

/// One of our programs as a real process, which can be stopped, killed and started again at the same address.
final class ProgramProcess: Sendable {
    let name: String
    let host: String
    let port: UInt16
    let folder: TemporaryFolder
    private let path: String
    private let arguments: [String]
    private let input: String
    private let environment: Mutex<[String: String]>
    private let child = Mutex<ChildProcess?>(nil)

    /// - Parameter path: the program's file; nil for the one of this build.
    init(
        _ name: String, _ arguments: [String] = ["serve"], environment: [String: String] = [:],
        host: String = "127.0.0.1", port: UInt16 = 0, folder: TemporaryFolder, input: String = "/dev/null",
        path: String? = nil
    ) {
        self.name = name
        self.path = path ?? Programs.path(of: name)
        self.input = input
        self.arguments = arguments
        // The tests stop hundreds of programs; only the tests of the grace wait for it.
        let settings = ["SHUTDOWN_GRACE": "0s"].merging(environment) { $1 }
        self.environment = Mutex(Programs.inherited.merging(settings) { $1 })
        (self.host, self.port, self.folder) = (host, port, folder)
    }

    /// The settings it starts with.
    var settings: [String: String] { environment.withLock { $0 } }
    var pid: pid_t? { child.withLock { $0?.pid } }
    private var label: String { "\(name)-\(port)" }
    /// Everything the program wrote to standard error, over all its starts.
    var log: String { folder.text(of: "\(label).stderr") }
    /// Everything it wrote to standard output.
    var printed: String { folder.text(of: "\(label).stdout") }
    /// Both outputs, to search in everything that was printed.
    var output: String { printed + log }

    /// Waits until its log has `count` lines with these words, and returns them: a running program writes its log after its answer.
    @discardableResult
    func logs(_ words: String, count: Int = 1) async throws -> [Substring] {
        try await eventually("\(label) logs \(words)") {
            let lines = log.split(separator: "\n").filter { $0.contains(words) }
            return lines.count >= count ? lines : nil
        }
    }

    /// Changes a setting for the next start.
    func set(_ setting: String, to value: String?) {
        environment.withLock { $0[setting] = value }
    }

    /// Starts it and does not wait.
    func launch() throws {
        let settings = environment.withLock { $0 }
        try child.withLock {
            $0 = try ChildProcess(
                path, arguments, environment: settings, folder: folder.path,
                standardInput: input, standardOutput: folder.path(of: "\(label).stdout"),
                standardError: folder.path(of: "\(label).stderr"))
        }
    }

    /// Starts it and waits until `/readyz` returns 200. Returns how long that took.
    /// - Throws: `ProbeFailure` with the end of the log when the program ends instead, or is not ready in time.
    @discardableResult
    func start(within limit: Duration = TestTimeout.limit) async throws -> Duration {
        let begin = ContinuousClock.now
        try launch()
        let probe = HTTPProbe(host: host, port: port, timeout: .seconds(2))
        do {
            try await eventually("\(label) is ready", within: limit, every: .milliseconds(3)) { () -> Void? in
                if let exit = child.withLock({ $0?.exit }) { throw ProbeFailure("\(label) ended: \(exit)") }
                guard let reply = try? await probe.get("/readyz"), reply.status == 200 else { return nil }
                return ()
            }
        } catch {
            throw ProbeFailure("\(error)\n\(output.suffix(2_000))")
        }
        return ContinuousClock.now - begin
    }

    /// Runs a command that ends by itself, such as `check`.
    func run(within limit: Duration = TestTimeout.limit) async throws -> ChildProcess.Exit {
        try launch()
        return try await waitForExit(within: limit)
    }

    /// Asks it to stop (SIGTERM) and returns how it ended.
    @discardableResult
    func terminate(within limit: Duration = TestTimeout.limit) async throws -> ChildProcess.Exit {
        send(SIGTERM)
        return try await waitForExit(within: limit)
    }

    /// Ends it immediately (SIGKILL) and waits until it has ended.
    func kill() async throws {
        send(SIGKILL)
        _ = try await waitForExit()
    }

    func send(_ signal: Int32) {
        child.withLock { $0?.send(signal) }
    }

    func waitForExit(within limit: Duration = TestTimeout.limit) async throws -> ChildProcess.Exit {
        guard let child = child.withLock({ $0 }) else { throw ProbeFailure("\(label) was never started") }
        return try await child.waitForExit(within: limit)
    }
}
