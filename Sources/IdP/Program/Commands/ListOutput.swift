import SSOWeb

/// How commands print lists: with a heading, or as a JSON array.
enum ListOutput {
    /// - Parameters:
    ///   - none: what an empty list has none of, such as `users`. It is said on standard error, so that nobody waits for more.
    static func print(_ header: [String], _ rows: [[String]], none: String) {
        Swift.print(CommandTable.text(header, rows))
        if rows.isEmpty { note("no \(none).") }
    }

    static func print(json objects: [String]) { Swift.print(json(objects)) }

    /// A JSON array with a line for each object.
    static func json(_ objects: [String]) -> String { "[\(objects.joined(separator: ",\n "))]" }

    /// One line on standard error beside what is printed, for a command that succeeds.
    static func note(_ words: String) { _ = CommandExit.failure(IdPProgram.name, words) }

    static func warn(_ words: String) { note("warning: \(words)") }
}
