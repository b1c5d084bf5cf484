/// `sqlite:PATH`: where a program keeps its rows.
public struct DatabaseLocation: Sendable, CustomStringConvertible {
    /// The file, relative to the working folder unless it begins with a slash.
    public let path: String
    public var description: String { "sqlite:\(path)" }

    /// - Throws: ``SettingFault`` for anything but `sqlite:` and a path.
    public init(_ text: String) throws {
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) else {
            throw SettingFault("\"\(text.prefix { $0 != ":" }):…\" is no database this version knows. Give sqlite:PATH")
        }
        let path = String(text.dropFirst(7))
        // SQLite has its own ideas of these: no file, or an address of one.
        guard path != ":memory:", !path.hasPrefix("file:"), !path.hasPrefix("//") else {
            throw SettingFault("\"\(text)\" names no file. Give sqlite:PATH, with one slash at most at its start.")
        }
        self.path = path
    }
}
