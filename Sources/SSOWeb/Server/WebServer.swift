public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import UnixSignals

/// The HTTP server of a program, with the limits of contract 7 set on purpose.
public enum WebServer {
    /// - Parameters:
    ///   - broken: answers what is no request.
    ///   - started: told the address in use: with port 0 the system chose it.
    public static func application<Context: RequestContext>(
        router: Router<Context>, broken: BrokenRequests, listen: ListenAddress, limits: ServerLimits = .init(),
        logger: Logger,
        services: [any Service] = [],
        started: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Application<RouterResponder<Context>> where Context.Source == ApplicationRequestContextSource {
        Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: handlers(limits, broken),
                    idleTimeout: TimeAmount(limits.idle),
                    // Twice our own limits: what lies between is refused by the router, what lies beyond here.
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 32 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 128))),
            configuration: .init(
                address: .hostname(listen.host, port: listen.port),
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
            services: services,
            onServerRunning: { channel in started(channel.localAddress.map { "\($0)" } ?? "unknown") },
            logger: logger)
    }

    /// Those of one connection.
    private static func handlers(_ limits: ServerLimits, _ broken: BrokenRequests) -> [any RemovableChannelHandler] {
        let framing = Framing()
        return [StrictHeadInstaller(framing), FramingAnswer(framing, broken), RequestDeadline(limits)]
    }

    /// Runs until SIGTERM or SIGINT: stops accepting, finishes what is in flight, returns.
    ///
    /// - Throws: what kept the server from starting or going on, such as an address in use.
    public static func run(
        _ application: some Service, limits: ServerLimits = .init(), logger: Logger
    ) async throws {
        OpenFiles.raiseLimit()
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        configuration.maximumGracefulShutdownDuration = limits.drain
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            logger.warning("stopped with requests still in flight after the drain time")
        }
    }
}
