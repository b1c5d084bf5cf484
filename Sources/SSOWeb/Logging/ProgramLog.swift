import Foundation
public import Logging

/// Sets up the log of a program. Call once, before the first log line.
public enum ProgramLog {
    /// Makes the logger from `LOG_FORMAT` (`text`, `json`) and `LOG_LEVEL` (`trace` to `critical`).
    ///
    /// - Parameter program: the name in every JSON line.
    public static func logger(program: String, settings reader: SettingsReader) -> Logger {
        let format = reader.value(CommonSettings.logFormat).flatMap(EventLogHandler.Format.init)
        let level = reader.value(CommonSettings.logLevel)
        if let level, level > .notice {
            reader.warn(
                "LOG_LEVEL: \(level) omits the references of error pages and the fingerprints of secrets. notice is the "
                    + "quietest level that includes them.")
        }
        let hasPriorities = JournalStream.isConnected(to: 2, ProcessInfo.processInfo.environment["JOURNAL_STREAM"])
        let handler = EventLogHandler(label: program, format: format ?? .text, hasPriorities: hasPriorities)
        LogWriter.standardError.reportDropped { count in
            handler.line(
                for: LogEvent(
                    level: .warning, message: "\(EventKind.logLinesDropped.id)", metadata: ["count": .number(count)],
                    source: nil, file: #fileID, function: #function, line: #line))
        }
        var logger = Logger(label: program) { _ in handler }
        logger.logLevel = level ?? .info
        return logger
    }

    /// Waits at most a second until all lines are written, for the end of the program.
    public static func flush() { LogWriter.standardError.flush() }
}
