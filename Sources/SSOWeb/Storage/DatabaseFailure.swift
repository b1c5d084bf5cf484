/// What can go wrong below a store. Nothing in these texts comes from a bound value.
public enum DatabaseFailure: Error, Equatable, CustomStringConvertible {
    /// The storage cannot answer now: busy past the timeout, disk full, I/O error, file vanished, too many waiting.
    /// Nothing was written. The answer to the outside is 503: never a verdict about a token or a code.
    case unavailable(String)
    /// A unique or foreign key, a CHECK or NOT NULL said no. The statement had no effect.
    case conflict(String)
    /// A mistake in our own SQL or in how it is called.
    case misuse(String)
    /// At start only: the database is not one to work with. One line that names the path and the way out.
    case refused(String)

    public var description: String {
        switch self {
        case .unavailable(let reason): "database unavailable: \(reason)"
        case .conflict(let reason): "database conflict: \(reason)"
        case .misuse(let reason): "database misuse: \(reason)"
        case .refused(let reason): reason
        }
    }
}
