import ArgumentParser
import CommandLines
import Foundation
public import Logging
package import SSOShared

/// A program that reads settings and serves HTTP: `idp` or `relying-party`.
package protocol Program: Sendable {
    /// The name of the command: `idp`.
    static var name: String { get }
    /// The prefix of its settings: `IDP_`.
    static var prefix: String { get }
    /// The names of its commands: `serve`, `check`.
    static var commandNames: [String] { get }
    /// All its settings but the common ones.
    static var settings: [SettingDescription] { get }
    /// Names that begin with `SSO_` and that the other program reads from the same `.env`.
    static var foreignNames: [String] { get }
    /// What it was built from, for the log at start.
    static var build: BuildStamp { get }

    /// Reads all settings. nil when `reader` has a problem. Adds checks to `reader` for what may be wrong outside the
    /// settings, such as a database that cannot be opened.
    static func read(_ reader: SettingsReader) -> SettingValues?
    /// Serves until a signal stops the program.
    ///
    /// - Throws: the error that prevented the start or ended the service.
    static func serve(_ settings: SettingValues, _ log: ProgramLogger) async throws
}

extension Program {
    /// A setting as an option of the command line, with its example: `--idp-listen 127.0.0.1:9090`.
    static var exampleOption: String {
        let listen = settings.first { $0.name == prefix + "LISTEN" } ?? CommonSettings.logLevel.description
        return "--\(listen.name.lowercased().replacing("_", with: "-")) \(listen.example)"
    }

    /// Settings that are accepted on the command line.
    package static var settingNames: [String] { settings.filter { !$0.isSecret }.map(\.name) }
    /// Settings that are refused on the command line.
    package static var secretNames: [String] { settings.filter { $0.isSecret || $0.mayHoldSecret }.map(\.name) }
}

/// What `check` does on request, beyond looking at the settings: it calls a server that they name. Records what answered
/// and reports what did not.
package struct ConnectionCheck<Subject: Program>: Sendable {
    let option: String
    let omission: String
    let run: @Sendable (SettingValues, SettingsReader) async -> Void

    /// - Parameters:
    ///   - option: the option that asks for it, such as `--connect`.
    ///   - omission: what did not happen when a setting is wrong, such as `no server was contacted`.
    public init(
        option: String, omission: String, run: @escaping @Sendable (SettingValues, SettingsReader) async -> Void
    ) {
        (self.option, self.omission, self.run) = (option, omission, run)
    }
}

/// The log of a running program.
public struct ProgramLogger: Sendable {
    /// The logger for all events.
    public let logger: Logger
    /// How long the program accepts connections after SIGTERM.
    public let grace: ShutdownGrace
    let build: BuildStamp

    /// Logs the address at which the server listens: the only line of a start.
    ///
    /// - Parameter node: the id of this process among the nodes, where there are any.
    public func started(_ address: String, publicURL: PublicOrigin, node: String?) {
        var event = Event(
            .listening,
            [
                "address": "\(address)", "public_url": "\(publicURL)", "version": "\(build.version)",
                "commit": "\(build.commit)", "date": "\(build.date)",
            ])
        event.further["node"] = node.map { "\($0)" }
        logger.record(event)
        ServiceManager.ofProcess.ready()
    }
}

/// The options of `serve` and `check`: any setting as `--name value`.
package struct SettingsOptions<Subject: Program>: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Any setting, such as \(Subject.exampleOption)", valueName: "settings"))
    var arguments: [String] = []
    @OptionGroup var settingsFile: SettingsFileOption
    @Flag(help: "Print all settings, with defaults and examples.") var helpSettings = false

    /// No settings.
    public init() {}

    /// - Throws: a message about the first argument that is not a setting.
    public func validate() throws {
        guard !helpSettings else {
            throw CleanExit.message(SettingDescription.help(Subject.settings, of: Subject.name))
        }
        let known = SettingsArguments(
            known: Subject.settingNames, secrets: Subject.secretNames, commands: Subject.commandNames)
        if let problem = known.problem(in: arguments) { throw ValidationError(problem) }
    }

    /// Prints the effective settings, then all warnings and problems, including those outside the settings, and last how
    /// many there are. Changes nothing.
    ///
    /// - Parameter connections: what to try beyond the settings.
    /// - Throws: exit code 1 when ``serve()`` would not start, or when a server does not answer correctly.
    public func check(_ connections: [ConnectionCheck<Subject>] = []) async throws {
        let reader = reader()
        reader.record("settings from", reader.source.description)
        let (_, _, settings) = read(reader)
        await reader.runChecks()
        for connection in connections {
            if let settings {
                await connection.run(settings, reader)
            } else {
                reader.warn("\(connection.option): \(connection.omission) because a setting is wrong.")
            }
        }
        // Without a buffer, so that the order holds when both outputs go to one place.
        StandardOutput.write("\(Subject.name) \(Subject.build.text)\n\n" + reader.table)
        report(reader)
        StandardOutput.write(reader.summary + "\n")
        guard reader.problems.isEmpty else { throw CommandExit.runtimeError }
    }

    /// Checks the settings, then serves.
    ///
    /// - Throws: exit code 78 for a wrong setting, which a restart cannot fix, and 1 for any other error. Also an address that this
    ///   machine does not have ends with 1: at boot it may come late, and a service manager tries again.
    public func serve() async throws {
        EarlySignals.handle()
        defer { ProgramLog.flush() }
        let reader = reader()
        let (logger, grace, settings) = read(reader)
        guard let settings, let grace else {
            await reader.runChecks()
            report(reader, to: logger)
            ServiceManager.ofProcess.failed(reader.problems)
            throw CommandExit.configurationError
        }
        if reader.source.isOfService, geteuid() == 0 {
            reader.warn(
                "serves as root with the settings of the installed service. Use: systemctl start swift-sso-\(Subject.name)"
            )
        }
        for warning in reader.warnings { logger.record(Event(.settingWarning, ["message": "\(warning)"])) }
        for line in reader.lines {
            // At notice, so that a quiet log has them: operators compare the fingerprints of both programs.
            let level: Logger.Level = line.shown.contains("fingerprint") ? .notice : .info
            logger.record(Event(.setting, ["name": "\(line.name)", "value": "\(line.shown)"], level: level))
        }
        do {
            try await Subject.serve(settings, ProgramLogger(logger: logger, grace: grace, build: Subject.build))
        } catch {
            let (listen, cause) = failure(error, reader)
            logger.record(Event(.startupFailed, cause: cause, ["listen": "\(listen ?? "-")"]))
            // Report all remaining problems now, not one per restart, and none twice.
            let reported = reader.warnings.count
            await reader.runChecks()
            report(reader, to: logger, warningsFrom: reported, without: cause)
            ServiceManager.ofProcess.failed([cause] + reader.problems.filter { !$0.contains(cause) })
            throw CommandExit.code(for: error)
        }
        logger.record(Event(.stopped))
    }

    /// The address that the program was to listen at, and what ended it, in the words of `check` where that looks at the same.
    private func failure(_ error: any Error, _ reader: SettingsReader) -> (listen: String?, cause: String) {
        let metrics = error as? MetricsServiceError
        let name = Subject.prefix + (metrics == nil ? "LISTEN" : "METRICS_LISTEN")
        let shown = reader.lines.first { $0.name == name }?.shown
        let address = metrics?.listen ?? shown.flatMap { try? ListenAddress($0) }
        // The system's error does not contain the address.
        let problem = address.flatMap { ListenProblem(metrics?.cause ?? error, at: $0) }
        return (address?.description, problem.map { "\(name): \($0)" } ?? "\(error)")
    }

    private func reader() -> SettingsReader {
        // A closed log pipe must not end the program.
        signal(SIGPIPE, SIG_IGN)
        return SettingsReader(settingsFile.source(of: Subject.name, arguments: arguments))
    }

    private func read(_ reader: SettingsReader) -> (Logger, ShutdownGrace?, SettingValues?) {
        let logger = ProgramLog.logger(program: Subject.name, settings: reader)
        let grace = ShutdownGrace.read(reader)
        let settings = Subject.read(reader)
        // The names that `env:NAME` in the clients file uses are known, too.
        let known = Subject.settingNames + reader.askedVariables
        reader.warnOfUnknown(prefix: Subject.prefix, known: known, secrets: Subject.secretNames)
        reader.warnOfUnknown(
            prefix: "SSO_", known: known + Subject.foreignNames, secrets: Subject.secretNames, inFileOnly: true)
        if let warning = OpenFiles.warning() { reader.warn(warning) }
        return (logger, grace, reader.problems.isEmpty ? settings : nil)
    }

    /// - Parameter cause: what the log has already.
    private func report(
        _ reader: SettingsReader, to logger: Logger, warningsFrom reported: Int = 0, without cause: String? = nil
    ) {
        let isNew: (String) -> Bool = { line in cause.map { !line.contains($0) } ?? true }
        for warning in reader.warnings.dropFirst(reported) where isNew(warning) {
            logger.record(Event(.settingWarning, ["message": "\(warning)"]))
        }
        for problem in reader.problems where isNew(problem) {
            logger.record(Event(.settingInvalid, ["message": "\(problem)"]))
        }
    }

    private func report(_ reader: SettingsReader) {
        let lines =
            reader.warnings.map { "warning: \($0)" } + reader.problems.map { "error: \($0)" }
            + (reader.problems.isEmpty ? [] : [reader.source.hint].compactMap(\.self))
        StandardError.write(lines.map { "\(Subject.name): \(LogEscape.text($0))\n" }.joined())
    }
}
