import IdPClients
import ServiceLifecycle

/// Writes once in a minute what waits in memory for the audit log, and once more when the program stops. Each node has its
/// own.
struct AuditWriting: Service {
    let log: AuditLog

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(60))
                await log.writeWaiting()
            }
        }
        await log.writeWaiting()
    }
}
