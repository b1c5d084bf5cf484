public import ArgumentParser
import Foundation
import Logging
import SSOShared
package import Storage

/// How the engines of a program open both ends of a copy.
public struct DatabaseCopyEnds: Sendable {
    package typealias Source =
        @Sendable (DatabaseLocation, _ target: String?, CopyBody) throws(DatabaseError) -> ([CopiedTable], CopiedSource)
    package typealias Target = @Sendable (DatabaseLocation, CopyBody) throws(DatabaseError) -> [CopiedTable]

    let source: Source
    let target: Target

    package init(source: @escaping Source, target: @escaping Target) { (self.source, self.target) = (source, target) }
}

/// The options of `idp database copy` and `relying-party database copy`.
public struct DatabaseCopyOptions: ParsableArguments {
    public static let abstract = "Copies the database to another engine. Nobody is signed out."
    /// - Parameter file: where the program keeps its database unless it is told another place.
    public static func discussion(file: String) -> String {
        """
        Stop all programs on both databases first. The source is marked as moved: programs and commands refuse it and name the \
        target, so that nothing goes on there. --keep-source leaves it as it was, and `database unmark` takes a mark back. A backup, \
        and a source that cannot be written, get no mark. The target is a new one: a file that does not \
        exist, or a database without tables, and also one whose tables are there and empty. All rows are copied in one \
        transaction, read again and compared. After an error or an interruption the target is as it was.

        An address with a password stands in a file: --to file:/etc/swift-sso/database-url. Or keep the password in the \
        file of PGPASSFILE.

        Example:
          database copy --from \(file) --to \\
            file:/etc/swift-sso/database-url

        Exit codes: 0 done, 1 an error of a database, 64 wrong usage, 78 a wrong address.
        """
    }

    @Option(help: ArgumentHelp("The database to read: sqlite:PATH, postgres://… or file:PATH.", valueName: "address"))
    var from: String
    @Option(help: ArgumentHelp("The database to fill: sqlite:PATH, postgres://… or file:PATH.", valueName: "address"))
    var to: String
    @OptionGroup var settingsFile: SettingsFileOption
    @Flag(help: "Leave the source as it is, without the mark that it has moved.") var keepSource = false
    @Flag(help: "Print the tables as JSON.") var json = false

    /// Without values.
    public init() {}

    public func validate() throws {
        for (option, address) in [("--from", from), ("--to", to)] where SettingsArguments.holdsPassword(address) {
            throw ValidationError(
                """
                \(option): holds a password, and every user of this machine can read a command line. Put the address into a \
                file and use \(option) file:PATH.
                """)
        }
        guard from != to else { throw ValidationError("--from and --to name the same database.") }
    }

    /// Copies, prints what was copied, and logs `database_copied`.
    ///
    /// - Throws: the exit code, after one line on standard error for each problem.
    public func run(
        program: String, settings: DatabaseSettings, tables: [String], ends: DatabaseCopyEnds
    ) async throws {
        defer { ProgramLog.flush() }
        let reader = settingsFile.reader(of: program)
        let logger = ProgramLog.logger(program: program, settings: reader)
        let source = settings.location(of: "--from", from, reader)
        let target = settings.location(of: "--to", to, reader)
        guard let source, let target, reader.problems.isEmpty else { throw reader.refusal(of: program) }
        let (copied, became): ([CopiedTable], CopiedSource)
        do throws(DatabaseError) {
            (copied, became) = try await BlockingWork.run { [keepSource] () throws(DatabaseError) in
                try ends.source(source, keepSource ? nil : target.lasting) { from throws(DatabaseError) in
                    try ends.target(target) { to throws(DatabaseError) in
                        try DatabaseCopy(tables: tables).run(from: from, to: to)
                    }
                }
            }
        } catch {
            throw CommandExit.failure(program, "\(error)", code: CommandExit.code(for: error))
        }
        let rows = copied.reduce(0) { $0 + $1.source.rows }
        print(json ? try CopyOutput.json(copied, became, source, target) : CopyOutput.text(copied))
        if !json { print(CopyOutput.text(became, source, target)) }
        logger.record(
            Event(
                .databaseCopied,
                [
                    "from": "\(source)", "to": "\(target)", "tables": .stringConvertible(copied.count),
                    "rows": .stringConvertible(rows),
                ]))
    }
}

/// What the command prints.
enum CopyOutput {
    private struct Report: Encodable {
        struct Side: Encodable {
            let rows: Int
            let hash: String
        }
        struct Table: Encodable {
            let name: String
            let from, to: Side
        }
        let from, to: String
        /// `moved`, `kept` or `not_marked`.
        let source: String
        let tables: [Table]
    }

    static func text(_ source: CopiedSource, _ from: DatabaseLocation, _ to: DatabaseLocation) -> String {
        switch source {
        case .marked:
            "\(from) is marked as moved to \(to.lasting). Nothing uses it any more. Take the mark back: database unmark"
        case .kept: "\(from) is as it was. Do not use it beside \(to)."
        case .unmarked(let reason): "\(from) has no mark that it has moved: \(reason). Do not use it beside \(to)."
        }
    }

    static func text(_ tables: [CopiedTable]) -> String {
        CommandTable.text(
            ["TABLE", "ROWS FROM", "ROWS TO", "HASH FROM", "HASH TO"],
            tables.map { table in
                [
                    table.name, "\(table.source.rows)", "\(table.target.rows)", String(table.source.hash.prefix(16)),
                    String(table.target.hash.prefix(16)),
                ]
            })
    }

    static func json(
        _ tables: [CopiedTable], _ became: CopiedSource, _ source: DatabaseLocation, _ target: DatabaseLocation
    ) throws -> String {
        let state =
            switch became {
            case .marked: "moved"
            case .kept: "kept"
            case .unmarked: "not_marked"
            }
        func side(_ content: CopiedTable.Content) -> Report.Side {
            Report.Side(rows: content.rows, hash: content.hash)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            from: "\(source)", to: "\(target)", source: state,
            tables: tables.map { Report.Table(name: $0.name, from: side($0.source), to: side($0.target)) })
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
