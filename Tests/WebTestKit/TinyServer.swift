import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOWeb

@testable import TestKit

/// The web server of both programs with four small routes, with limits short enough for a test.
enum TinyServer {
    struct Context: WebRequestContext {
        var coreContext: CoreRequestContextStorage
        let peer: NIOCore.SocketAddress?
        let reference = RequestReference()
        var unservedMethod: HTTPRequest.Method?

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            peer = source.channel.remoteAddress
        }
    }

    static let bigBytes = 16 << 20

    /// Runs it while `body` sends requests: `GET /` returns "here", `POST /form` counts a form's bytes, `GET /slow`
    /// comes in pieces, `GET /big` is big.
    ///
    /// - Parameters:
    ///   - addresses: which peers are proxies.
    ///   - shutdown: whether it is about to stop.
    static func running(
        _ limits: ServerLimits = .init(), addresses: ClientAddress = ClientAddress(trusted: []),
        shutdown: ShutdownState = .init(), _ body: (HTTPProbe) async throws -> Void
    ) async throws {
        let router = Router(context: Context.self)
        let pages = try Pages(brand: Brand(name: "Tiny"), files: [], assets: StaticAssets([:]))
        router.addMiddleware {
            ErrorMiddleware(pages: pages)
            RequestGuard()
        }
        router.get("/") { _, _ in "here" }
        router.post("/form") { request, _ in
            "\(try await request.boundedBody(Request.maximumFormBytes).count)"
        }
        router.get("/slow") { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    // In pieces with a turn of the event loop between them, so that any other event can interrupt.
                    for _ in 1...50 {
                        try await writer.write(ByteBuffer(string: "piece"))
                        await Task.yield()
                    }
                    try await writer.finish(nil)
                })
        }
        router.get("/big") { _, _ in ByteBuffer(repeating: 0x61, count: bigBytes) }
        let logger = CapturedLog().logger("tiny")
        try await serving({ started in
            WebServer.application(
                router: router, listen: try ListenAddress("127.0.0.1:0"), limits: limits, addresses: addresses,
                shutdown: shutdown,
                logger: logger, started: started)
        }) { port in
            try await body(HTTPProbe(port: port))
        }
    }
}
