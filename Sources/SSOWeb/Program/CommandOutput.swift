public import ArgumentParser
import CommandLines
import Foundation
import SSOShared
import Storage

/// The exit codes of commands, as in sysexits.h: a service manager can tell whether a restart helps.
public enum CommandExit {
    /// The data or the environment prevented the work.
    public static let runtimeError = ExitCode(1)
    /// The work could not be done now, and the caller should try again (EX_TEMPFAIL).
    public static let temporaryFailure = ExitCode(75)
    /// A setting is wrong, so the next start would fail in the same way (EX_CONFIG).
    public static let configurationError = ExitCode(78)

    /// The code of a program or command that this error has ended.
    public static func code(for error: any Error) -> ExitCode {
        if case .outOfUse? = error as? DatabaseError { return configurationError }
        return error is SettingError ? configurationError : runtimeError
    }

    /// Writes one line to standard error.
    ///
    /// - Returns: the exit code to throw.
    public static func failure(_ program: String, _ message: String, code: ExitCode = runtimeError) -> ExitCode {
        StandardError.write("\(program): \(LogEscape.text(message))\n")
        return code
    }
}

/// Formats a table for a terminal: columns as wide as their widest cell, without lines and colours.
public enum CommandTable {
    /// The header and the rows, one line each. Control characters are escaped.
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

extension SettingsReader {
    /// Prints all problems of a command, and where the settings of the service are if this user may not read them.
    ///
    /// - Returns: the exit code to throw.
    public func refusal(of program: String) -> ExitCode {
        for line in problems + [source.hint].compactMap(\.self) { _ = CommandExit.failure(program, line) }
        return CommandExit.configurationError
    }
}
