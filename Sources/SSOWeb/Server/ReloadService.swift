public import Logging
public import ServiceLifecycle
import UnixSignals

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
