package import Storage

extension CommonMetrics {
    /// What both programs read in each round: their database, and whether they can serve.
    package static func readings(_ database: any Database, _ shutdown: ShutdownState) -> [MetricsService.Reading] {
        [
            { DatabaseMetrics.read(database, $0) },
            { $0.set(ready, await HealthRoutes.readiness(database, shutdown) == .ready ? 1 : 0) },
        ]
    }
}
