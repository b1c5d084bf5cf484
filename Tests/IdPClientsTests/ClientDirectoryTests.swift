import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import TestKit
@testable import WebTestKit

@Suite("The registered clients", .rules)
struct ClientDirectoryTests {
    private static func client(_ id: String, secret: String = "a") throws -> Client {
        let key = String(repeating: secret, count: 40)
        return Client(
            id: id, name: "Name", redirectURIs: ["https://rp.example/cb"],
            secrets: [try SharedSecret.parse(key, setting: "S")])
    }

    /// What the file says next: set by a test before each reload.
    private final class NextReading: Sendable {
        let reading = Mutex(ClientSource.Reading(clients: ClientRegistry([], of: .tested), problems: [], warnings: []))

        func set(_ clients: [Client], problems: [String] = []) {
            reading.withLock {
                $0 = .init(clients: ClientRegistry(clients, of: .tested), problems: problems, warnings: [])
            }
        }
    }

    private static func directory(_ clients: [Client], _ log: CapturedLog, _ next: NextReading) -> ClientDirectory {
        ClientDirectory(
            ClientSource(ClientRegistry(clients, of: .tested)) { next.reading.withLock(\.self) },
            logger: log.logger("idp"))
    }

    /// As the program does it.
    private static func reload(_ directory: ClientDirectory, _ log: CapturedLog) {
        if let event = directory.reload() { log.logger("idp").record(event) }
    }

    @Test("a reload takes a whole list, and none of one with a fault; the log has what changed and every fault")
    func whole() throws {
        let (log, next) = (CapturedLog(), NextReading())
        let directory = Self.directory([try Self.client("one"), try Self.client("two", secret: "b")], log, next)
        next.set(
            [try Self.client("three", secret: "c")], problems: ["clients.yaml:3: first", "clients.yaml:9: second"])
        Self.reload(directory, log)
        #expect(directory.all.map(\.id) == ["one", "two"] && directory.client(id: "three") == nil)
        #expect(log.contains("clients.yaml:3: first") && log.contains("clients.yaml:9: second"))
        #expect(!log.contains("clients_file_loaded"))
        next.set([try Self.client("two", secret: "b"), try Self.client("three", secret: "c")])
        Self.reload(directory, log)
        #expect(directory.all.map(\.id) == ["two", "three"] && directory.client(id: "one") == nil)
        #expect(log.contains(#""added": three"#) && log.contains(#""dropped": one"#))
    }
}
