import Storage

/// The metrics of a program's database.
enum DatabaseMetrics {
    static let commits = MetricDescription(
        "sso_database_commits_total", .counter,
        "Commits of this process. With SQLite those that change nothing are none.")
    static let writes = MetricDescription(
        "sso_database_writes_total", .counter, "Writes in these commits: several share one.")
    static let seconds = MetricDescription(
        "sso_database_commit_seconds_total", .counter, "What these commits have taken: disk, network and standby.")
    static let waitingWrites = MetricDescription(
        "sso_database_waiting_writes", .gauge, "Writes that wait for the writer.")
    static let waitingReads = MetricDescription(
        "sso_database_waiting_reads", .gauge, "Reads that wait for a connection; with SQLite also those that run.")
    static let waitsForStandby = MetricDescription(
        "sso_database_synchronous", .gauge, "1 if the last commit has waited for a standby. Of PostgreSQL alone.")

    static let all = [commits, writes, seconds, waitingWrites, waitingReads, waitsForStandby]

    /// Nothing of a database that does not count.
    static func read(_ database: any Database, _ registry: MetricsRegistry) {
        guard let numbers = (database as? any CountingDatabase)?.numbers else { return }
        registry.set(commits, Double(numbers.commits))
        registry.set(writes, Double(numbers.writes))
        registry.set(
            seconds, Double(numbers.time.components.seconds) + Double(numbers.time.components.attoseconds) / 1e18)
        registry.set(waitingWrites, Double(numbers.waitingWrites))
        registry.set(waitingReads, Double(numbers.waitingReads))
        if let waits = numbers.waitsForStandby { registry.set(waitsForStandby, waits ? 1 : 0) }
    }
}
