import Hummingbird
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle

@testable import TestKit

/// Runs a service that listens in this process, on a port that the system picks, while `body` uses it, and shuts it down.
///
/// - Parameter build: makes the service; its argument is to be called with the address in use.
func serving(
    _ build: (@escaping @Sendable (String) -> Void) throws -> any Service,
    _ body: (UInt16) async throws -> Void
) async throws {
    let (addresses, told) = AsyncStream<String>.makeStream()
    let application = try build { told.yield($0) }
    let group = ServiceGroup(
        configuration: .init(
            services: [application], logger: Logger(label: "test", factory: SwiftLogNoOpLogHandler.init)))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { told.finish() }
            try await group.run()
        }
        guard let address = await addresses.first(where: { _ in true }),
            let port = address.split(separator: ":").last.flatMap({ UInt16($0) })
        else { throw ProbeFailure("the application did not start") }
        do {
            try await body(port)
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}

/// Serves a router as the programs do, while `body` sends it requests.
func serving<Context: WebRequestContext>(_ router: Router<Context>, _ body: (HTTPProbe) async throws -> Void)
    async throws
where Context.Source == ApplicationRequestContextSource {
    try await serving({ started in
        WebServer.application(
            router: router, listen: try ListenAddress("127.0.0.1:0"), shutdown: ShutdownState(),
            logger: CapturedLog().logger("router"), started: started)
    }) { port in
        try await body(HTTPProbe(port: port))
    }
}
