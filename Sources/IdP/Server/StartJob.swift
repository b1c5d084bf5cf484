import ServiceLifecycle

/// Work that is done once, beside the first requests.
struct StartJob: Service {
    let work: @Sendable () async -> Void

    init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

    func run() async throws {
        await cancelWhenGracefulShutdown { await work() }
        // A service that returns ends the program.
        try? await gracefulShutdown()
    }
}
