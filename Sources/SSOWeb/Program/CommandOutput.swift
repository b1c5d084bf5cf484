public import ArgumentParser
import Foundation

/// How a command ends. The codes are those of sysexits.h, so that a service manager can tell what a restart may mend.
public enum CommandExit {
    /// Trouble with data or at run time.
    public static let runtimeError = ExitCode(1)
    /// A wrong setting: the next start would fail in the same way (EX_CONFIG).
    public static let configurationError = ExitCode(78)

    /// Writes one line to standard error.
    ///
    /// - Returns: `code`, to be thrown.
    public static func failure(_ program: String, _ words: String, code: ExitCode = runtimeError) -> ExitCode {
        StandardError.write("\(program): \(LogEscape.text(words))\n")
        return code
    }
}

/// What a command prints for people: columns as wide as their widest cell, no lines and no colours.
public enum CommandTable {
    /// The rows under their header, one line each. Characters that a terminal would obey are escaped.
    public static func text(_ header: [String], _ rows: [[String]]) -> String {
        let rows = ([header] + rows).map { $0.map(LogEscape.text) }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

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

/// What a program prints for the person who starts it, apart from its log.
public enum StandardOutput {
    /// Writes at once. What cannot be written is lost: nobody reads it then.
    public static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
