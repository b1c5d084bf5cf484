import Hummingbird
import Logging
import ServiceLifecycle
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The names of services", .rules)
struct NamedServiceTests {
    private struct Keeper: Service {
        let secret = "s3cret"

        func run() async throws {}
    }

    @Test("the server knows a service by its type, and nothing that it holds: the names are in the log")
    func names() throws {
        let application = WebServer.application(
            router: Router(context: TinyServer.Context.self), listen: try ListenAddress("127.0.0.1:0"),
            shutdown: ShutdownState(), logger: CapturedLog().logger("test"), services: [Keeper()])
        #expect(application.services.map { "\($0)" } == ["Keeper", "FreeMemory"])
    }
}
