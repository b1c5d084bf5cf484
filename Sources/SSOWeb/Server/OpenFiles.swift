import Foundation

/// How many files and connections the process may hold open.
enum OpenFiles {
    /// What the connections, the database, the back channel and mail need together, and half as much again.
    private static let wanted = 4096

    /// Raises the soft limit as far as the hard one lets it. The usual 1024 would be used up by connections alone, and
    /// then the database could open nothing.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
        _ = setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    }
}
