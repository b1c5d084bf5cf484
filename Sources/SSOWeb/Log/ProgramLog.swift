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
                    throw SettingFault("\"\(text)\" is no format. Give text or json.")
                }
                return format
            } ?? .text
        let level =
            reader.value("LOG_LEVEL", default: "info") { text in
                guard let level = Logger.Level(rawValue: text) else {
                    throw SettingFault("\"\(text)\" is no level. Give trace, debug, info, notice, warning or error.")
                }
                return level
            } ?? .info
        if level > .notice {
            reader.warn(
                "LOG_LEVEL: \(level) leaves out the references that pages show and the fingerprints of secrets. notice is "
                    + "the quietest level that has them.")
        }
        var logger = Logger(label: program) { EventLogHandler(label: $0, format: format) }
        logger.logLevel = level
        return logger
    }
}
