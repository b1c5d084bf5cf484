import CoreMetrics
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import Storage
import Synchronization

/// Serves the metrics at an address of its own, and reads regularly what is not counted as it happens.
package struct MetricsService: Service {
    /// Reads some numbers into the registry. A failure is the caller's to log.
    package typealias Reading = @Sendable (MetricsRegistry) async throws -> Void

    /// How often the readings run. A scrape never waits for the database: it prints what was read last.
    static let interval: Duration = .seconds(15)
    /// A reading that costs more runs once in so many rounds: every five minutes.
    static let seldomRounds = 20
    /// Prometheus' text format.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let listen: ListenAddress
    private let registry: MetricsRegistry
    private let clock: ServiceClock
    private let readings: [Reading]
    private let hasIPv6: Bool
    private let limits: ServerLimits
    private let started: @Sendable (String) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - readings: what is read beside the numbers of the process.
    ///   - limits: so that nobody on the private network takes the files and the memory of the program.
    ///   - started: receives the address in use.
    package init(
        _ metrics: ProgramMetrics, clock: ServiceClock, readings: [Reading] = [],
        limits: ServerLimits = ServerLimits(connections: 16), logger: Logger, hasIPv6: Bool = ListenAddress.hasIPv6,
        started: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (listen, registry, self.clock, self.readings) = (metrics.listen, metrics.registry, clock, readings)
        (self.limits, self.logger, self.hasIPv6, self.started) = (limits, logger, hasIPv6, started)
    }

    /// Serves until the program stops.
    ///
    /// - Throws: ``MetricsServiceError`` when it cannot listen. The readings end then, too, so that the start fails at once.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await cancelWhenGracefulShutdown { await read() } }
            defer { group.cancelAll() }
            do { try await application.run() } catch let error where !(error is CancellationError) {
                throw MetricsServiceError(listen: listen, cause: error)
            }
        }
    }

    /// Tries to listen before anything else does: a program that cannot serve its metrics says so before it serves requests.
    ///
    /// - Throws: ``MetricsServiceError``, after the database was closed.
    static func checkListen(_ metrics: ProgramMetrics, closing database: any Database) async throws {
        do { try await metrics.listen.tryToBind() } catch {
            await database.close()
            throw MetricsServiceError(listen: metrics.listen, cause: error)
        }
    }

    /// Reads the numbers, again and again.
    private func read() async {
        while !Task.isCancelled {
            await readOnce()
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// A reading that runs in the first round, and then every five minutes.
    package static func seldom(_ reading: @escaping Reading) -> Reading {
        let rounds = RoundCount()
        return { if rounds.next().isMultiple(of: seldomRounds) { try await reading($0) } }
    }

    /// One round of all readings. One that fails leaves its numbers as they are.
    package func readOnce() async {
        CommonMetrics.readProcess(registry)
        CommonMetrics.readClock(clock, registry)
        for reading in readings {
            do { try await reading(registry) } catch {
                logger.record(Event(.metricsNotRead, cause: "\(error)"))
            }
        }
    }

    private var application: some ApplicationProtocol {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.get("metrics") { [registry] _, _ in
            Response(
                status: .ok, headers: [.contentType: Self.contentType, .cacheControl: "no-store"],
                body: .init(byteBuffer: .init(string: registry.text)))
        }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let limits = limits
        return Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [RequestDeadline(limits)], idleTimeout: TimeAmount(limits.idle))),
            configuration: .init(
                address: .hostname(listen.bound(hasIPv6: hasIPv6), port: listen.port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            onServerRunning: { [started] channel in
                started(channel.localAddress?.listenText ?? "unknown")
            },
            logger: quiet)
    }
}

/// Why the metrics are not served.
struct MetricsServiceError: Error, CustomStringConvertible {
    /// The address for metrics.
    let listen: ListenAddress
    /// The system's error, which does not contain the address.
    let cause: any Error

    var description: String { "metrics: \(cause)" }
}

/// Counts the rounds of one reading.
private final class RoundCount: Sendable {
    private let rounds = Atomic(0)

    /// 0 for the first.
    func next() -> Int { rounds.wrappingAdd(1, ordering: .relaxed).oldValue }
}
