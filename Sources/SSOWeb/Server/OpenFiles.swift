import Foundation

/// How many files and connections the process may hold open.
enum OpenFiles {
    /// More than the connections, the database, the back channel and mail need together.
    private static let wanted = 16_384

    /// Raises the soft limit as far as the hard one lets it. The usual 1024 would be used up by connections alone, and
    /// then the database could open nothing.
    ///
    /// - Returns: the limit in force.
    @discardableResult static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            _ = setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(min(limit.rlim_cur, rlim_t(wanted)))
    }

    /// At most half of the open files are connections: a listener that runs out of descriptors (EMFILE) accepts nothing
    /// for a second at a time.
    static func connections(atMost wish: Int) -> Int { max(16, min(wish, raiseLimit() / 2)) }
}
