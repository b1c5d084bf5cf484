import Hummingbird
import Logging
import NIOCore
import SSOWeb
import ServiceLifecycle

/// The web server of both programs around three small routes, with limits that a test can wait for.
enum TinyServer {
    struct Context: WebRequestContext {
        var coreContext: CoreRequestContextStorage
        let peer: NIOCore.SocketAddress?
        let reference = RequestReference()

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            peer = source.channel.remoteAddress
        }
    }

    static let bigBytes = 16 << 20

    /// Runs it while `body` asks it things: `GET /` says "here", `POST /form` counts a form's bytes, `GET /big` is big.
    static func running(_ limits: ServerLimits = .init(), _ body: (HTTPProbe) async throws -> Void) async throws {
        let router = Router(context: Context.self)
        let pages = try Pages(brand: "Tiny", templates: [:], assets: StaticAssets([:]))
        router.addMiddleware {
            FailureMiddleware(pages: pages)
            RequestGuard()
        }
        router.get("/") { _, _ in "here" }
        router.post("/form") { request, _ in
            "\(try await request.boundedBody(Request.maximumFormBytes).count)"
        }
        router.get("/big") { _, _ in ByteBuffer(repeating: 0x61, count: bigBytes) }
        let (addresses, told) = AsyncStream<String>.makeStream()
        let application = WebServer.application(
            router: router, listen: try ListenAddress("127.0.0.1:0"), limits: limits, logger: LogBook().logger("tiny")
        ) { told.yield($0) }
        let group = ServiceGroup(
            configuration: .init(
                services: [application], logger: Logger(label: "tiny") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { told.finish() }
                try await group.run()
            }
            guard let address = await addresses.first(where: { _ in true }),
                let port = address.split(separator: ":").last.flatMap({ UInt16($0) })
            else { throw ProbeFailure("the server did not start") }
            do {
                try await body(HTTPProbe(port: port))
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
