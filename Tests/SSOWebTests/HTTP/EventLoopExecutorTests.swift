import Dispatch
import Hummingbird
import NIOPosix
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The thread of a request", .rules)
struct EventLoopExecutorTests {
    @Test("a request runs on its connection's event loop, also after it has waited for another thread")
    func sameLoop() async throws {
        let router = Router(context: TinyServer.Context.self)
        router.get("/") { _, _ in
            let before = MultiThreadedEventLoopGroup.currentEventLoop
            await withCheckedContinuation { caller in DispatchQueue.global().async { caller.resume() } }
            let after = MultiThreadedEventLoopGroup.currentEventLoop
            return before != nil && before === after ? "the same" : "another"
        }
        try await serving(router) { probe in
            for _ in 1...4 {
                let reply = try await probe.get("/")
                #expect(reply.text == "the same")
            }
        }
    }
}
