import Foundation

/// Where commands that end by themselves report. What a running program logs goes through ``LogWriter``.
enum StandardError {
    /// Writes in one piece, so that the lines of two processes on one stream do not mix.
    ///
    /// What cannot be written is lost: a full disk under the log, or a pipe that nobody reads any more, must not end a
    /// program that signs people in. (`FileHandle.write(_:)` would end it.)
    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
