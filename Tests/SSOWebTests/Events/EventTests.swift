import Logging
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The line of an event", .rules)
struct EventTests {
    private static let locked = EventKind(
        "door_locked", .notice, .row("client"), line: [.account, .flow.orDash, .reason, .detail("door")],
        causes: [.init("night", "Wait for the morning."), .init("alarm", .error, remedy: "Call the guard.")],
        "A door was locked.")

    @Test("has the fields of its kind by their names, a dash where a field is always there, and further ones")
    func fields() {
        let event = Event(
            Self.locked, account: "usr_1", client: "wiki", session: "ses_1", cause: "night", detail: "north",
            ["keys": .number(2)])
        #expect(
            event.metadata == [
                "account": "usr_1", "flow": "-", "reason": "night", "door": "north", "keys": .number(2),
            ])
    }

    @Test("has the level of its cause, else that of its kind, and one of its own before both")
    func levels() {
        #expect(Event(Self.locked, cause: "night").lineLevel == .notice)
        #expect(Event(Self.locked, cause: "alarm").lineLevel == .error)
        #expect(Event(Self.locked, cause: "alarm", level: .info).lineLevel == .info)
        #expect(Event(Self.locked).only(in: .auditLog).lineLevel == nil)
        #expect(Event(EventKind("key_made", nil, .row(""), "")).lineLevel == nil)
    }

    @Test("names an address that was typed and its account, and nobody else")
    func address() {
        let log = CapturedLog()
        var logger = log.logger("idp")
        logger[metadataKey: "account"] = "usr_of_the_session"
        var event = Event(Self.locked, flow: "flw_1", ["account": "usr_2"])
        event.address = TypedAddress(masked: "a…@example.com", mac: [1, 2, 3])
        logger.record(event)
        #expect(log.text.contains("usr_2") && log.text.contains("a…@example.com") && log.text.contains("adr_AQID"))
        #expect(!log.text.contains("usr_of_the_session"))
    }

    @Test("is not built while its level is off")
    func quiet() {
        let log = CapturedLog()
        var logger = log.logger("idp")
        logger.logLevel = .warning
        logger.record(Event(Self.locked, cause: "night"))
        #expect(log.count == 0)
        logger.record(Event(Self.locked, cause: "alarm"))
        #expect(log.count == 1)
    }
}
