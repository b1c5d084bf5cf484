import Foundation

/// Where a database is, and which engine it needs. `sqlite:PATH` or `postgres://…` in the settings.
public enum DatabaseLocation: Sendable, CustomStringConvertible {
    /// A file, relative to the working folder unless its path begins with a slash.
    case sqlite(path: String)
    /// A database of a PostgreSQL server.
    case postgres(PostgresAddress)

    /// How messages name it: the path of the file, or the address without its password.
    public var place: String {
        switch self {
        case .sqlite(let path): path
        case .postgres(let address): "\(address)"
        }
    }

    /// Whether the database is on this machine: looking at it costs no connection.
    public var isFile: Bool {
        switch self {
        case .sqlite: true
        case .postgres: false
        }
    }

    /// As a setting names it from any working folder: with the whole path of a file, without a password.
    package var lasting: String {
        guard case .sqlite(let path) = self, !path.hasPrefix("/") else { return description }
        return "sqlite:\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let address): "\(address)"
        }
    }
}
