import Foundation
import Glibc

/// Where results and complaints go.
enum StandardOutput {
    /// Writes all of it. A reader that went away is no fault of ours; a full disk is one, and ends the program with 2: half a
    /// report must not look like a clean one.
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var poll = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            } else if errno == EPIPE {
                return
            } else if errno != EINTR {
                complain("cannot write the result: \(String(cString: strerror(errno)))")
                exit(2)
            }
        }
    }

    /// One line on standard error, under the program's name.
    static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("wellknown: \(text)\n".utf8))
    }
}
