import Foundation
import Glibc
import Synchronization

/// One started process: its own environment, only the given values, output in two files.
///
/// posix_spawn with `closefrom` instead of Foundation's `Process`: a listening socket of another test that leaks into
/// a child would keep a port open after its owner has ended.
final class ChildProcess: Sendable {
    enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    /// Shared with the waiting thread, so that the process object can be released and end the child.
    private final class SharedExit: Sendable {
        let exit = Mutex<Exit?>(nil)
    }

    let pid: pid_t
    private let sharedExit = SharedExit()

    /// - Throws: `ProbeFailure` when the program cannot be started.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], folder: String,
        standardInput: String = "/dev/null", standardOutput: String, standardError: String
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let append = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, standardInput, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, standardOutput, append, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, standardError, append, 0o600)
        try GlibcExtensions.closeFrom(3, in: &actions)
        try GlibcExtensions.changeFolder(folder, in: &actions)

        // A blocked SIGTERM is inherited: a child of a thread that blocks signals could never be asked to stop.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var child: pid_t = 0
        let status = withCStrings([executable] + arguments) { argv in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { envp in
                posix_spawn(&child, executable, &actions, &attributes, argv, envp)
            }
        }
        guard status == 0 else { throw ProbeFailure("cannot start \(executable): errno \(status)") }
        pid = child
        Self.watch(child, sharedExit)
    }

    deinit {
        send(SIGKILL)
    }

    /// How it ended, or nil while it runs.
    var exit: Exit? { sharedExit.exit.withLock { $0 } }

    /// Sends a signal to exactly this process. Its id cannot have been reused: the entry is reaped under the
    /// same lock.
    func send(_ signal: Int32) {
        sharedExit.exit.withLock { exit in
            guard exit == nil else { return }
            _ = Glibc.kill(pid, signal)
        }
    }

    /// Waits until it ends.
    /// - Throws: `ProbeFailure` when it still runs after `limit`.
    func waitForExit(within limit: Duration = TestTimeout.limit) async throws -> Exit {
        try await eventually("process \(pid) ends", within: limit, every: .milliseconds(2)) { exit }
    }

    private static func watch(_ child: pid_t, _ sharedExit: SharedExit) {
        let thread = Thread {
            var information = siginfo_t()
            while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
            sharedExit.exit.withLock { exit in
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7f
                exit = signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
            }
        }
        thread.stackSize = 1 << 18
        thread.start()
    }
}

/// Two additions of glibc (2.29 and 2.34) that its headers hide from Swift's importer; found by name at run time.
private enum GlibcExtensions {
    private typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    static func closeFrom(_ lowest: Int32, in actions: inout posix_spawn_file_actions_t) throws {
        let call = try find(
            "posix_spawn_file_actions_addclosefrom_np", as: (@convention(c) (Actions, Int32) -> Int32).self)
        guard call(&actions, lowest) == 0 else { throw ProbeFailure("closefrom refused") }
    }

    static func changeFolder(_ path: String, in actions: inout posix_spawn_file_actions_t) throws {
        let call = try find(
            "posix_spawn_file_actions_addchdir_np", as: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32).self)
        guard call(&actions, path) == 0 else { throw ProbeFailure("chdir refused") }
    }

    private static func find<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let symbol = dlsym(nil, name) else { throw ProbeFailure("this glibc has no \(name)") }
        return unsafeBitCast(symbol, to: type)
    }
}

/// A null-terminated array of C strings, valid during `body`.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}
