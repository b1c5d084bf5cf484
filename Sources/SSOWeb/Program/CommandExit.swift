public import ArgumentParser

/// How a command ends. The codes are those of sysexits.h, so that a service manager can tell what a restart may mend.
public enum CommandExit {
    /// Trouble with data or at run time.
    public static let trouble = ExitCode(1)
    /// A wrong setting: the next start would fail in the same way (EX_CONFIG).
    public static let wrongSetting = ExitCode(78)

    /// Writes one line to standard error.
    ///
    /// - Returns: `code`, to be thrown.
    public static func failure(_ program: String, _ words: String, code: ExitCode = trouble) -> ExitCode {
        StandardError.write("\(program): \(LogEscape.text(words))\n")
        return code
    }
}
