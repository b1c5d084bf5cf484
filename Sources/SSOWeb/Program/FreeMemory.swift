import Foundation
import ServiceLifecycle

/// Returns memory to the system after a flood of connections.
///
/// The allocator keeps what was freed, and a flood leaves it in small pieces: a process that once had thousands of
/// connections would stay several times as large, until a limit of its container or unit ends it.
struct FreeMemory: Service {
    private static let interval: Duration = .seconds(2)
    /// Connections that were closed within the interval. Fewer leave little behind.
    private static let minimumClosed = 500

    let places: ConnectionPlaces

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var closed = 0
            while (try? await Task.sleep(for: Self.interval)) != nil {
                let now = places.closed
                if now - closed >= Self.minimumClosed { Self.trim() }
                closed = now
            }
        }
    }

    /// `malloc_trim` of glibc, which the Glibc module does not have. Some milliseconds. Another C library does nothing.
    private static func trim() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        typealias Trim = @convention(c) (Int) -> Int32
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
}
