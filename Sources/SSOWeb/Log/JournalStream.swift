import Foundation
import Logging

/// Whether standard error goes to the journal of systemd, which then reads a priority at the beginning of each line.
enum JournalStream {
    /// - Parameter value: `JOURNAL_STREAM`, the journal's device and inode as `DEVICE:INODE` (systemd.exec(5)). A child
    ///   whose output was redirected inherits the variable as well, so it only counts when it names this very
    ///   descriptor.
    static func isConnected(to descriptor: Int32, _ value: String?) -> Bool {
        var status = stat()
        guard let value, fstat(descriptor, &status) == 0 else { return false }
        return value == "\(status.st_dev):\(status.st_ino)"
    }

    /// The prefix of a line of this level (sd-daemon(3), syslog(3)).
    static func prefix(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}
