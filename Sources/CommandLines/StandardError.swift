import Foundation

/// Writes messages of commands to standard error. The log of a running program goes through ``LogWriter``.
package enum StandardError {
    /// Writes in one call, so that the lines of two processes do not mix. Ignores errors, such as a full disk or a
    /// closed pipe, at which `FileHandle.write(_:)` would end the process.
    package static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
