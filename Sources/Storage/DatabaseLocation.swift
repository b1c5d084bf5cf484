/// Where a database is, and which engine it needs. `sqlite:PATH` in the settings.
public enum DatabaseLocation: Sendable, CustomStringConvertible {
    /// A file, relative to the working folder unless its path begins with a slash.
    case sqlite(path: String)

    /// How messages name it: the path of the file.
    public var place: String {
        switch self {
        case .sqlite(let path): path
        }
    }

    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        }
    }
}
