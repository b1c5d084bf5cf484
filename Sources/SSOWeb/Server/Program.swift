public import ArgumentParser
import Foundation
public import Logging

/// A program that reads settings and serves. `idp` and `relying-party` start, check and fail in the same way.
public protocol Program: Sendable {
    associatedtype Settings: Sendable
    static var name: String { get }
    /// Settings that may stand on the command line.
    static var settingNames: [String] { get }
    /// Settings that may not.
    static var secretNames: [String] { get }

    /// Reads every setting; nil when `reader` holds a problem.
    static func read(_ reader: SettingsReader, environment: @escaping (String) -> String?) -> Settings?
    /// What would keep ``serve(_:_:)`` from its work although the settings are fine, such as a database that cannot be
    /// opened. Changes nothing.
    static func inspect(_ settings: Settings, _ reader: SettingsReader) async
    /// Serves until told to stop.
    static func serve(_ settings: Settings, _ log: ProgramLogger) async throws
}

/// The log of a running program.
public struct ProgramLogger: Sendable {
    public let logger: Logger

    /// Says that the server listens, and where.
    public func started(_ address: String, publicURL: PublicOrigin) {
        logger.info("listening", metadata: ["address": "\(address)", "public_url": "\(publicURL)"])
    }
}

/// The options of `serve` and `check`: any setting as `--name value`.
public struct SettingsOptions<Subject: Program>: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Any setting, such as --\(Subject.name)-listen 127.0.0.1:9090", valueName: "settings"))
    var arguments: [String] = []

    public init() {}

    public func validate() throws {
        let known = SettingsArguments(known: Subject.settingNames, secrets: Subject.secretNames)
        if let fault = known.fault(in: arguments) { throw ValidationError(fault) }
    }

    /// Prints what is in force, then all that is wrong. Exits 0 or 1.
    public func check() async throws {
        let reader = try await reader()
        let (_, settings) = read(reader)
        if let settings { await Subject.inspect(settings, reader) }
        let width = reader.lines.map(\.name.count).max() ?? 0
        for line in reader.lines {
            print(line.name.padding(toLength: width, withPad: " ", startingAt: 0), line.shown, separator: "  ")
        }
        report(reader)
        guard reader.problems.isEmpty else { throw ExitCode(1) }
        print("All settings are fine.")
    }

    /// Checks as ``check()`` does, then serves. Exits 1 when something keeps it from that.
    public func serve() async throws {
        let reader = try await reader()
        let (logger, settings) = read(reader)
        guard let settings else {
            report(reader)
            throw ExitCode(1)
        }
        for warning in reader.warnings { logger.warning("setting", metadata: ["warning": "\(warning)"]) }
        for line in reader.lines where line.shown.contains("fingerprint") {
            logger.info("setting", metadata: ["name": "\(line.name)", "value": "\(line.shown)"])
        }
        do {
            try await Subject.serve(settings, ProgramLogger(logger: logger))
        } catch {
            // The address as well: the system's words for one that is taken do not name it.
            let listen = reader.lines.first { $0.name.hasSuffix("_LISTEN") }?.shown
            logger.critical("cannot go on", metadata: ["cause": "\(error)", "listen": "\(listen ?? "-")"])
            throw ExitCode(1)
        }
        logger.info("stopped")
    }

    private func reader() async throws -> SettingsReader {
        // Whoever reads our log may go away; that must not end the program.
        signal(SIGPIPE, SIG_IGN)
        do {
            let environment = ProcessInfo.processInfo.environment
            let reader = SettingsReader(
                try await SettingsSource(arguments: arguments, environment: environment, dotEnv: ".env"))
            lookAround(reader, environment)
            return reader
        } catch {
            StandardError.write("\(Subject.name): .env: \(error)\n")
            throw ExitCode(1)
        }
    }

    /// What stands in the environment or in `.env` and will not be read.
    private func lookAround(_ reader: SettingsReader, _ environment: [String: String]) {
        let file = DotEnvFile(path: ".env")
        file.problems.forEach(reader.problem)
        let names =
            environment.keys.sorted().map { (name: $0, place: "environment") }
            + file.names.map { (name: $0.name, place: ".env, line \($0.line)") }
        UnknownSettings.warnings(names, known: Subject.settingNames + Subject.secretNames).forEach(reader.warn)
    }

    private func read(_ reader: SettingsReader) -> (Logger, Subject.Settings?) {
        let logger = ProgramLog.logger(program: Subject.name, settings: reader)
        let environment = ProcessInfo.processInfo.environment
        // `env:NAME` of the clients file finds what stands in `.env` as well.
        let settings = Subject.read(reader) { environment[$0] ?? reader.text($0) }
        return (logger, reader.problems.isEmpty ? settings : nil)
    }

    private func report(_ reader: SettingsReader) {
        let lines =
            reader.warnings.map { "warning: \($0)" } + reader.problems.map { "error: \($0)" }
        StandardError.write(lines.map { "\(Subject.name): \($0)\n" }.joined())
    }
}
