package import Logging
package import SSOShared
package import ServiceLifecycle
package import Storage

/// What a program reaches beyond its own memory, as values.
package struct ProgramServices: Sendable {
    package let database: any Database
    package let clock: ServiceClock
    package let randomness: any Randomness
    package let logger: Logger
    /// Whether the program is about to stop.
    package let shutdown = ShutdownState()
    /// Nil where nobody reads metrics.
    package let metrics: ProgramMetrics?
    /// Pages in place of the built-in ones, for tests.
    package let pages: Pages?
    private var node: ProgramNode?

    /// Services of a process that shares its database with no other.
    package init(
        database: any Database, clock: ServiceClock, randomness: any Randomness = SystemRandomness(), logger: Logger,
        metrics: ProgramMetrics? = nil, pages: Pages? = nil
    ) {
        (self.database, self.clock, self.randomness, self.logger) = (database, clock, randomness, logger)
        (self.metrics, self.pages) = (metrics, pages)
    }

    /// The real services, after the process has joined the others on its database.
    ///
    /// - Throws: ``SettingError`` when another process on it has other settings, and ``MetricsServiceError``.
    package static func joining(
        _ database: any Database, as description: NodeDescription, _ logger: Logger, metrics: ProgramMetrics?
    ) async throws -> ProgramServices {
        if let metrics { try await MetricsService.checkListen(metrics, closing: database) }
        let node = try await ProgramNode.join(database, as: description, logger)
        var services = ProgramServices(
            database: database, clock: node?.clock ?? .system(), logger: logger, metrics: metrics)
        services.node = node
        return services
    }

    /// Whether this process does what one of all nodes does, such as deleting expired rows.
    package var isChosen: @Sendable () -> Bool { { [node] in node?.isChosen ?? true } }
    /// The id of this process among the nodes; nil where there are none.
    package var nodeID: String? { node?.id }
    /// Whether other nodes serve on the database.
    package var hasOthers: @Sendable () -> Bool { { [node] in node?.hasOthers ?? false } }

    /// What runs beside the requests: the metrics where somebody reads them, and this node among the others.
    ///
    /// - Parameter readings: the program's own numbers.
    package func jobs(reading readings: [MetricsService.Reading] = []) -> [any Service] {
        let service = metrics.map { metrics -> any Service in
            MetricsService(
                metrics, clock: clock, readings: readings + CommonMetrics.readings(database, shutdown), logger: logger
            ) { [logger] in logger.record(Event(.metricsListening, ["address": "\($0)"])) }
        }
        return [service, node].compactMap(\.self)
    }

    /// Deletes what is due once a minute, in one of all nodes.
    ///
    /// - Parameter newest: as in ``PurgeService``.
    package func purging(
        newest: @escaping @Sendable () async throws -> Timestamp?, _ purges: [PurgeService.Purge]
    ) -> PurgeService {
        let purges = purges.map { [isChosen] purge -> PurgeService.Purge in
            { limit in isChosen() ? try await purge(limit) : 0 }
        }
        return PurgeService(every: .minutes(1), clock: clock, logger: logger, newest: newest, purges)
    }
}
