import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("An event that is said in a transaction", .program)
struct EventRecordingTests {
    private struct Refused: Error {}

    /// Bodies that throw make the others of their batch run again.
    @Test("has one row and one line each, however often its body runs, and none when the body throws")
    func once() async throws {
        try await AuditScene.open { scene in
            let log = CapturedLog()
            let logger = log.logger("idp")
            _ = try await atOnce(60) { caller in
                let event = Event(.signedIn, by: .user("usr_\(caller)"), account: "usr_\(caller)", detail: "email_code")
                do {
                    try await scene.database.write { [store = scene.store] connection in
                        try store.record(event, logger, connection)
                        if caller.isMultiple(of: 3) { throw Refused() }
                    }
                } catch is Refused {}
            }
            let expected = (0..<60).filter { !$0.isMultiple(of: 3) }.map { "usr_\($0)" }.sorted()
            #expect(try await scene.page().compactMap(\.account).sorted() == expected)
            #expect(log.count == expected.count)
            for account in expected { #expect(log.contains("\"account\": \(account)"), "\(log.text)") }
        }
    }

    @Test("for the log alone has no row, and for the audit log alone no line")
    func places() async throws {
        try await AuditScene.open { scene in
            let log = CapturedLog()
            let (logger, event) = (log.logger("idp"), Event(.signedIn, by: .user("usr_1"), account: "usr_1"))
            try await scene.database.write { [store = scene.store] connection in
                try store.record(event.only(in: .log), logger, connection)
            }
            #expect(try await scene.page().isEmpty && log.count == 1)
            try await scene.database.write { [store = scene.store] connection in
                try store.record(event.only(in: .auditLog), logger, connection)
            }
            #expect(try await scene.page().count == 1 && log.count == 1)
        }
    }

    @Test("says that its commit is unknown, where it is")
    func unknown() {
        let log = CapturedLog()
        log.logger("idp").record(Event(.signedIn, account: "usr_1"), .unknown)
        #expect(log.text.contains("signed_in") && log.text.contains("\"commit\": unknown"), "\(log.text)")
    }
}
