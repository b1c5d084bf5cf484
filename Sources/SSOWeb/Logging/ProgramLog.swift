import Foundation
public import Logging

/// Sets up the one log of a program. Call once, before anything logs.
public enum ProgramLog {
    /// - Parameters:
    ///   - program: the name every JSON line carries.
    ///   - reader: asked for `LOG_FORMAT` (`text`, `json`) and `LOG_LEVEL` (`trace` … `critical`).
    public static func logger(program: String, settings reader: SettingsReader) -> Logger {
        let format =
            reader.value("LOG_FORMAT", default: "text") { text in
                guard let format = EventLogHandler.Format(rawValue: text) else {
                    throw SettingError("\"\(text)\" is no format. Give text or json.")
                }
                return format
            } ?? .text
        let level =
            reader.value("LOG_LEVEL", default: "info") { text in
                guard let level = Logger.Level(rawValue: text) else {
                    throw SettingError("\"\(text)\" is no level. Give trace, debug, info, notice, warning or error.")
                }
                return level
            } ?? .info
        if level > .notice {
            reader.warn(
                "LOG_LEVEL: \(level) leaves out the references that pages show and the fingerprints of secrets. notice is "
                    + "the quietest level that has them.")
        }
        let hasPriorities = JournalStream.isConnected(to: 2, ProcessInfo.processInfo.environment["JOURNAL_STREAM"])
        let handler = EventLogHandler(label: program, format: format, hasPriorities: hasPriorities)
        LogWriter.standardError.reportDropped { count in
            handler.line(
                for: LogEvent(
                    level: .warning, message: "log_lines_dropped", metadata: ["count": "\(count)"], source: nil,
                    file: #fileID, function: #function, line: #line))
        }
        var logger = Logger(label: program) { _ in handler }
        logger.logLevel = level
        return logger
    }

    /// Waits until everything logged is written, at most a second: for the end of the program.
    public static func flush() { LogWriter.standardError.flush() }
}
