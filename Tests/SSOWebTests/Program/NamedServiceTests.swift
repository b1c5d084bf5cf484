import ServiceLifecycle
import Testing

@testable import SSOWeb

@Suite("The names of services")
struct NamedServiceTests {
    private struct Keeper: Service {
        let secret = "s3cret"

        func run() async throws {}
    }

    @Test("the group of services, which logs names, sees the type of a service and nothing that it holds")
    func name() {
        #expect("\(NamedService(service: Keeper()))" == "Keeper")
    }
}
