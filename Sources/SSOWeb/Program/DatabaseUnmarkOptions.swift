public import ArgumentParser
import Foundation
package import Storage

/// The options of `idp database unmark` and `relying-party database unmark`.
public struct DatabaseUnmarkOptions: ParsableArguments {
    public static let abstract = "Takes back the mark that the database has moved, which database copy leaves."
    public static let discussion = """
        Only where the copy is not used: what happens in one of them is not in the other.

        Example: database unmark --json

        Exit codes: 0 done or no mark, 1 an error of the database, 64 wrong usage, 78 a wrong setting.
        """

    @Flag(help: "Print the result as JSON.") var json = false

    /// Without values.
    public init() {}

    /// Takes the mark back and prints what has changed.
    ///
    /// - Parameter unmark: returns whether there was a mark.
    /// - Throws: the exit code, after one line on standard error.
    package func run(
        program: String, _ location: DatabaseLocation,
        _ unmark: (DatabaseLocation) async throws(DatabaseError) -> Bool
    ) async throws {
        let wasMarked: Bool
        do throws(DatabaseError) { wasMarked = try await unmark(location) } catch {
            throw CommandExit.failure(program, "\(error)", code: CommandExit.code(for: error))
        }
        let words = wasMarked ? "The mark is gone. \(location) can be used again." : "\(location) has no mark."
        print(json ? #"{"changed":\#(wasMarked)}"# : words)
    }
}

extension SettingsFileOption {
    /// Where the settings say the database is.
    ///
    /// - Throws: exit code 78 after all their problems were printed.
    package func location(_ settings: DatabaseSettings, program: String) throws -> DatabaseLocation {
        let reader = reader(of: program)
        let location = reader.value(settings)
        guard let location, reader.problems.isEmpty else { throw reader.refusal(of: program) }
        return location
    }
}
