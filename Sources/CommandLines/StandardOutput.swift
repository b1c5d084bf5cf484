// The system's `stdout` is a variable that nothing changes.
@preconcurrency import Glibc
import Synchronization

/// Writes results of commands to standard output, apart from the log.
package enum StandardOutput {
    /// Writes at once, behind what `print` was given before. What is lost is seen by ``isBroken``, and at the end of the program.
    package static func write(_ text: String) {
        print(text, terminator: "")
        flush()
    }

    private static func flush() {
        guard fflush(stdout) != 0 else { return }
        let reason = ": \(String(cString: strerror(errno)))"
        failure.withLock { $0.reason = reason }
    }

    /// Whether something was lost, also because nobody reads on.
    package static var isBroken: Bool { ferror(stdout) != 0 }

    /// Ends the program with `code` and a line on standard error if its output cannot be written, such as on a full disk: half a
    /// list looks like a whole one. A reader that has gone, such as `head`, has what it wanted.
    package static func failsWhenLost(of program: String, with code: Int32) {
        failure.withLock { $0 = (program, code, "") }
        atexit {
            StandardOutput.flush()
            guard StandardOutput.isBroken, !StandardOutput.isUnread else { return }
            let (program, code, reason) = StandardOutput.failure.withLock { $0 }
            StandardError.write(
                "\(program): the output could not be written\(reason). What the command did is done all the same.\n")
            _exit(code)
        }
    }

    private static let failure = Mutex((program: "", code: Int32(1), reason: ""))

    /// Whether the other end of a pipe is closed.
    private static var isUnread: Bool {
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR) != 0
    }
}
