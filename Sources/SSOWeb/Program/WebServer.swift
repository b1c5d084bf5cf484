import Foundation
public import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import UnixSignals

/// The HTTP server of a program, with all limits set explicitly.
public enum WebServer {
    /// - Parameters:
    ///   - addresses: the trusted proxies. Every other peer is held to its share of the connections.
    ///   - shutdown: whether the program is shutting down.
    ///   - started: receives the address in use, which the system chooses for port 0.
    public static func application<Context: WebRequestContext>(
        router: Router<Context>, listen: ListenAddress, limits: ServerLimits = .init(),
        addresses: ClientAddress = ClientAddress(trusted: []), shutdown: ShutdownState, logger: Logger,
        services: [any Service] = [],
        started: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Application<RoutedMethods<Context>> where Context.Source == ApplicationRequestContextSource {
        let connections = OpenFiles.connections(atMost: limits.connections)
        let places = ConnectionPlaces(
            limit: connections, bytes: limits.heldBytes, addresses: addresses)
        return Application(
            responder: RoutedMethods(router: router.buildResponder()),
            server: .init { responder in
                EventLoopHTTP1Channel(
                    base: HTTP1Channel(
                        responder: responder,
                        configuration: .init(
                            additionalChannelHandlers: handlers(limits, places, shutdown, logger),
                            idleTimeout: TimeAmount(limits.idle),
                            // Four times the usual sizes of RequestLimits, so that RequestGuard can answer most large heads. A check
                            // of the gate with 40 KiB of cookies is one without a session, and not a bare 431.
                            httpDecoderConfiguration: .init(
                                maxHeaderFieldSize: 64 * 1024, maxHeaderListSize: 64 * 1024, maxHeaderFieldCount: 256)))
                )
            },
            configuration: .init(
                address: .hostname(listen.bound(), port: listen.port),
                // A burst of connections waits in the system's queue. With a full queue clients retry after one second, then two
                // and four.
                backlog: 4096, availableConnectionsDelegate: ConnectionGate(places: places)),
            services: (services + [FreeMemory(places: places)] + watchdog).map(NamedService.init),
            onServerRunning: { channel in
                acceptMore(of: connections, on: channel)
                shutdown.listens(on: channel)
                started(channel.localAddress?.listenText ?? "unknown")
            },
            logger: logger)
    }

    private static var watchdog: [any Service] {
        let manager = ServiceManager.ofProcess
        return manager.watchdogInterval.map { [Watchdog(manager: manager, interval: $0)] } ?? []
    }

    /// Makes the listener accept many connections in one turn of its event loop.
    ///
    /// The usual number is four. A turn answers every connection that has sent something, so thousands of busy connections leave
    /// ten turns a second, and new visitors would wait in a full queue for many seconds.
    private static func acceptMore(of connections: Int, on listener: any Channel) {
        // Fails for a listener that is closing.
        _ = listener.setOption(.maxMessagesPerRead, value: acceptedAtOnce(of: connections))
    }

    /// At most a quarter of all connections: so many may be accepted beyond the limit, and files are left for them.
    static func acceptedAtOnce(of connections: Int) -> UInt { UInt(min(256, max(4, connections / 4))) }

    /// The handlers of one connection.
    private static func handlers(
        _ limits: ServerLimits, _ places: ConnectionPlaces, _ shutdown: ShutdownState, _ logger: Logger
    ) -> [any RemovableChannelHandler] {
        let held = HeldBytes(places)
        return [
            RequestValidationInstaller(shutdown, held, logger), KeepAliveHandler(shutdown), RequestDeadline(limits),
            ConnectionPlace(places, held),
        ]
    }

    /// Runs until SIGTERM or SIGINT, finishes the requests in flight and returns.
    ///
    /// - Parameters:
    ///   - shutdown: begins with the first signal.
    ///   - grace: how long the listener stays open after SIGTERM while every response ends its connection. A proxy sees
    ///     `/readyz` fail and stops using its connections before they are closed. SIGINT and a second SIGTERM close the
    ///     listener at once.
    ///   - hasOthers: whether other nodes serve on the same database.
    /// - Throws: the error that prevented the start or ended the service, such as an address in use.
    public static func run(
        _ application: some Service, shutdown: ShutdownState, grace: ShutdownGrace,
        besideOthers hasOthers: @escaping @Sendable () -> Bool = { false }, logger: Logger
    ) async throws {
        let limits = ServerLimits()
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: application, serviceName: "server")], logger: quiet)
        configuration.maximumGracefulShutdownDuration = limits.drain
        let group = ServiceGroup(configuration: configuration)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let watch = Task {
            for await signal in signals {
                let isFirst = !shutdown.isUnderWay
                shutdown.begin()
                ServiceManager.ofProcess.stopping()
                let duration = grace.duration(besideOthers: hasOthers())
                guard isFirst else {
                    await group.triggerGracefulShutdown()
                    continue
                }
                let hasGrace = signal == .sigterm && duration > .zero
                if hasGrace {
                    logger.record(Event(.stopping, ["grace_milliseconds": .number(duration.milliseconds)]))
                }
                Task { await stop(group, after: hasGrace ? duration : .zero, grace, shutdown) }
            }
        }
        defer { watch.cancel() }
        do {
            try await group.run()
        } catch is CancellationError {
            logger.record(Event(.drainTimeout, ["limit_seconds": .number(limits.drain.secondsRoundedUp)]))
        }
    }

    /// Waits, and then closes the listener when the requests that have arrived are answered.
    private static func stop(
        _ group: ServiceGroup, after wait: Duration, _ grace: ShutdownGrace, _ shutdown: ShutdownState
    ) async {
        if wait > .zero { try? await Task.sleep(for: wait) }
        await shutdown.holdBackNewConnections()
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        try? await loop.scheduleTask(in: TimeAmount(grace.lastRequests)) {}.futureResult.get()
        await group.triggerGracefulShutdown()
    }
}

/// A service that the log knows by the name of its type. Without it, the log of the group has the whole value, with settings and
/// keys.
struct NamedService: Service, CustomStringConvertible {
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}

/// The limit of open files, which also limits connections.
enum OpenFiles {
    /// Enough for the connections, the database, the back channel and mail.
    private static let wanted = 16_384
    /// What a program has open without connections, and for its database: its libraries end the process where they cannot open a
    /// file.
    private static let reserve = 48
    /// With fewer there is hardly a place for a visitor.
    private static let fewest = 256

    /// Raises the soft limit as far as the hard limit permits. With the usual 1024 the connections alone could use all
    /// descriptors, and the database could not open a file.
    ///
    /// - Returns: the effective limit.
    private static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            _ = setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(min(limit.rlim_cur, rlim_t(wanted)))
    }

    /// At most half of the open files beyond the reserve may be connections. A listener without descriptors (EMFILE) pauses for a
    /// second.
    static func connections(atMost wish: Int, of limit: Int = raiseLimit()) -> Int {
        max(8, min(wish, (limit - reserve) / 2))
    }

    /// What this limit means for visitors, and the way out; nil where there are enough.
    static func warning(of limit: Int = raiseLimit()) -> String? {
        guard limit < fewest else { return nil }
        return """
            open files: at most \(limit) are allowed here, so that only \(connections(atMost: .max, of: limit)) connections are \
            answered at once. Raise the limit, for example LimitNOFILE=\(wanted) in the unit, or ulimit -n \(wanted) in a shell.
            """
    }
}

/// What signals do before anything serves: SIGTERM and SIGINT end the process with 0, and SIGHUP has nothing to reload yet.
/// ``WebServer`` and ``ReloadService`` replace that. A service manager waits for no start that it stops.
enum EarlySignals {
    static func handle() {
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
        signal(SIGHUP, SIG_IGN)
    }
}

/// Reloads files when the process receives SIGHUP.
public struct ReloadService: Service {
    private let reload: @Sendable () async -> Void

    /// - Parameter reload: runs outside the event loops, one call at a time.
    public init(_ reload: @escaping @Sendable () async -> Void) { self.reload = reload }

    /// For a program without files to reload. The default action of SIGHUP would end it.
    public init(logger: Logger) {
        self.init {
            logger.record(Event(.reloadIgnored, ["message": "no file to reload; settings need a restart"]))
        }
    }

    /// Runs until the program stops.
    public func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { await reload() }
    }
}
