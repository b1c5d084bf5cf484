import Foundation
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import UnixSignals

/// The HTTP server of a program, with the limits of contract 7 set on purpose.
public enum WebServer {
    /// - Parameters:
    ///   - addresses: which peers are proxies, for the share of connections that each other peer has.
    ///   - shutdown: whether the program is about to stop.
    ///   - started: told the address in use: with port 0 the system chose it.
    public static func application<Context: RequestContext>(
        router: Router<Context>, listen: ListenAddress, limits: ServerLimits = .init(),
        addresses: ClientAddress = ClientAddress(trusted: []), shutdown: ShutdownState, logger: Logger,
        services: [any Service] = [],
        started: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Application<RouterResponder<Context>> where Context.Source == ApplicationRequestContextSource {
        let places = ConnectionPlaces(limit: OpenFiles.connections(atMost: limits.connections), addresses: addresses)
        return Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: handlers(limits, places, shutdown, logger),
                    idleTimeout: TimeAmount(limits.idle),
                    // Twice our own limits: what lies between is refused by the router, what lies beyond here.
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 128))),
            configuration: .init(
                address: .hostname(listen.host, port: listen.port),
                // A burst waits in the system's queue; a full queue makes a new client try again only after a second.
                backlog: 1024, availableConnectionsDelegate: ConnectionGate(places: places)),
            services: services,
            onServerRunning: { channel in started(channel.localAddress.map { "\($0)" } ?? "unknown") },
            logger: logger)
    }

    /// Those of one connection.
    private static func handlers(
        _ limits: ServerLimits, _ places: ConnectionPlaces, _ shutdown: ShutdownState, _ logger: Logger
    ) -> [any RemovableChannelHandler] {
        [
            RequestValidationInstaller(shutdown, logger), KeepAliveHandler(shutdown), RequestDeadline(limits),
            ConnectionPlace(places),
        ]
    }

    /// Runs until SIGTERM or SIGINT, finishes what is in flight, returns.
    ///
    /// - Parameters:
    ///   - shutdown: set when the first signal comes.
    ///   - grace: after SIGTERM the listener stays open for so long, while every answer ends its connection. A proxy
    ///     sees `/readyz` fail and stops using its kept connections before they are closed under its requests. SIGINT,
    ///     which comes from a terminal, and a second SIGTERM close the listener at once.
    /// - Throws: what kept the server from starting or going on, such as an address in use.
    public static func run(
        _ application: some Service, limits: ServerLimits = .init(), shutdown: ShutdownState, grace: ShutdownGrace,
        logger: Logger
    ) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
        configuration.maximumGracefulShutdownDuration = limits.drain
        let group = ServiceGroup(configuration: configuration)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let watch = Task {
            for await signal in signals {
                let isFirst = !shutdown.isUnderWay
                shutdown.begin()
                guard isFirst, signal == .sigterm, grace.duration > .zero else {
                    await group.triggerGracefulShutdown()
                    continue
                }
                logger.info("stopping", metadata: ["grace": "\(grace.duration)"])
                Task {
                    try? await Task.sleep(for: grace.duration)
                    await group.triggerGracefulShutdown()
                }
            }
        }
        defer { watch.cancel() }
        do {
            try await group.run()
        } catch is CancellationError {
            logger.warning("stopped with requests still in flight after the drain time")
        }
    }
}

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

/// Does something each time the process gets SIGHUP: by custom "read your files again".
public struct ReloadService: Service {
    private let reload: @Sendable () -> Void

    /// - Parameter reload: runs off the event loops, never twice at once.
    public init(_ reload: @escaping @Sendable () -> Void) { self.reload = reload }

    /// For a program that reads no file again: SIGHUP must not end it, as it would by default.
    public init(logger: Logger) {
        self.init { logger.notice("SIGHUP: no file to read again; settings are read at the start only") }
    }

    /// Runs until the program stops.
    public func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { reload() }
    }
}
