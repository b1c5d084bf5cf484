public import ArgumentParser
import Foundation
public import Logging
import SSOShared

/// A program that reads settings and serves. `idp` and `relying-party` start, check and fail in the same way.
public protocol Program: Sendable {
    associatedtype Settings: Sendable
    /// The program as it is called: `idp`.
    static var name: String { get }
    /// What the names of its own settings begin with: `IDP_`.
    static var prefix: String { get }
    /// Settings that may stand on the command line.
    static var settingNames: [String] { get }
    /// Settings that may not.
    static var secretNames: [String] { get }
    /// Names beginning with `SSO_` that the other end reads from the same `.env`.
    static var foreignNames: [String] { get }

    /// Reads every setting; nil when `reader` holds a problem. What could keep ``serve(_:_:)`` from its work although the
    /// settings are fine, such as a database that cannot be opened, is for `reader` to look at later.
    static func read(_ reader: SettingsReader, environment: @escaping (String) -> String?) -> Settings?
    /// Serves until told to stop.
    ///
    /// - Throws: what kept it from starting or going on.
    static func serve(_ settings: Settings, _ log: ProgramLogger) async throws
    /// Calls the servers that the settings name, for `check --connect`: `reader` is shown what answered, and told what did
    /// not. Changes nothing there and sends no email.
    static func connect(_ settings: Settings, _ reader: SettingsReader) async
}

/// The log of a running program.
public struct ProgramLogger: Sendable {
    /// Where everything goes.
    public let logger: Logger
    /// How long the program stays reachable after SIGTERM.
    public let grace: ShutdownGrace

    /// Says that the server listens, and where.
    public func started(_ address: String, publicURL: PublicOrigin) {
        logger.info(
            "listening",
            metadata: [
                "address": "\(address)", "public_url": "\(publicURL)", "version": "\(ProductVersion.text)",
            ])
    }
}

/// The options of `serve` and `check`: any setting as `--name value`.
public struct SettingsOptions<Subject: Program>: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Any setting, such as --\(Subject.name)-listen 127.0.0.1:9090", valueName: "settings"))
    var arguments: [String] = []

    /// No settings at all.
    public init() {}

    /// - Throws: a message for whoever typed something that is no setting.
    public func validate() throws {
        let known = SettingsArguments(known: Subject.settingNames, secrets: Subject.secretNames)
        if let problem = known.problem(in: arguments) { throw ValidationError(problem) }
    }

    /// Prints what is in force, then all that is wrong, the world around included. Changes nothing.
    ///
    /// - Parameter connecting: whether the servers that the settings name are called as well.
    /// - Throws: exit code 1 when ``serve()`` would not start, or a server did not answer as it must.
    public func check(connecting: Bool = false) async throws {
        let reader = reader()
        let (_, _, settings) = read(reader)
        await reader.runChecks()
        if connecting, let settings { await Subject.connect(settings, reader) }
        if connecting, settings == nil { reader.warn("--connect: no server was called, since a setting is wrong.") }
        let width = reader.lines.map(\.name.count).max() ?? 0
        for line in reader.lines {
            print(
                line.name.padding(toLength: width, withPad: " ", startingAt: 0), LogEscape.text(line.shown),
                separator: "  ")
        }
        report(reader)
        guard reader.problems.isEmpty else { throw CommandExit.runtimeError }
        print("All settings are fine.")
    }

    /// Checks the settings, then serves.
    ///
    /// - Throws: exit code 78 for a wrong setting, which no restart mends, 1 when something else keeps it from serving.
    public func serve() async throws {
        defer { ProgramLog.flush() }
        let reader = reader()
        let (logger, grace, settings) = read(reader)
        guard let settings, let grace else {
            await reader.runChecks()
            report(reader, to: logger)
            throw CommandExit.configurationError
        }
        for warning in reader.warnings { logger.warning("setting", metadata: ["warning": "\(warning)"]) }
        for line in reader.lines {
            // Both ends of a shared secret are compared by these: also in a quiet log.
            let level: Logger.Level = line.shown.contains("fingerprint") ? .notice : .info
            logger.log(level: level, "setting", metadata: ["name": "\(line.name)", "value": "\(line.shown)"])
        }
        do {
            try await Subject.serve(settings, ProgramLogger(logger: logger, grace: grace))
        } catch {
            // The address as well: the system's words for one that is taken do not name it.
            let listen = reader.lines.first { $0.name.hasSuffix("_LISTEN") }?.shown
            logger.critical("cannot go on", metadata: ["cause": "\(error)", "listen": "\(listen ?? "-")"])
            // One cause ended it; what else would have, nobody wants to find out start by start.
            let told = reader.warnings.count
            await reader.runChecks()
            report(reader, to: logger, warningsFrom: told)
            throw error is SettingError ? CommandExit.configurationError : CommandExit.runtimeError
        }
        logger.info("stopped")
    }

    private func reader() -> SettingsReader {
        // Whoever reads our log may go away; that must not end the program.
        signal(SIGPIPE, SIG_IGN)
        return SettingsReader(
            SettingsSource(arguments: arguments, environment: ProcessInfo.processInfo.environment, dotEnv: ".env"))
    }

    private func read(_ reader: SettingsReader) -> (Logger, ShutdownGrace?, Subject.Settings?) {
        let logger = ProgramLog.logger(program: Subject.name, settings: reader)
        let grace = ShutdownGrace.read(reader)
        // `env:NAME` of the clients file finds what stands in `.env` as well.
        var asked: [String] = []
        let settings = Subject.read(reader) { name in
            asked.append(name)
            return reader.variable(name)
        }
        let known = Subject.settingNames + asked
        reader.warnOfUnknown(prefix: Subject.prefix, known: known, secrets: Subject.secretNames)
        reader.warnOfUnknown(
            prefix: "SSO_", known: known + Subject.foreignNames, secrets: Subject.secretNames, inFileOnly: true)
        return (logger, grace, reader.problems.isEmpty ? settings : nil)
    }

    private func report(_ reader: SettingsReader, to logger: Logger, warningsFrom told: Int = 0) {
        for warning in reader.warnings.dropFirst(told) {
            logger.warning("setting", metadata: ["warning": "\(warning)"])
        }
        for problem in reader.problems { logger.error("setting", metadata: ["error": "\(problem)"]) }
    }

    private func report(_ reader: SettingsReader) {
        let lines =
            reader.warnings.map { "warning: \($0)" } + reader.problems.map { "error: \($0)" }
        StandardError.write(lines.map { "\(Subject.name): \(LogEscape.text($0))\n" }.joined())
    }
}
