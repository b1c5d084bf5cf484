import Logging
import SSOShared
import SSOWeb
import Testing

@testable import IdPSignOut
@testable import TestKit

@Suite("Lines of messages to clients", .rules)
struct SignOutLineTests {
    private static func message(about session: String?) -> QueuedSignOut {
        let now = Timestamp(milliseconds: 0)
        return QueuedSignOut(
            id: "evt_1", kind: "sso", clientID: "wiki", accountID: "usr_1", toldSession: session, createdAt: now,
            tries: 2, nextTryAt: now, endsAt: now, lastError: nil, state: .waiting)
    }

    @Test("a line names message, client, account, session or all of them, and how often it was tried")
    func fields() {
        let one = Self.message(about: "ses_a").event(.signOutDelivered)
        let expected: Logger.Metadata = [
            "message_id": "evt_1", "client": "wiki", "account": "usr_1", "session": "ses_a", "tries": .number(2),
        ]
        #expect(one.metadata == expected)
        #expect(one.session == "ses_a" && one.detail == "evt_1")
        let all = Self.message(about: nil).event(.signOutFailed, cause: "status_500", ["retry_after_seconds": "10"])
        #expect(all.metadata["session"] == "all" && all.metadata["reason"] == "status_500")
        #expect(all.metadata["retry_after_seconds"] == "10" && all.session == nil)
    }

    @Test("of too many waiting messages the line has client and reason alone")
    func full() {
        let event = Event(.signOutGivenUp, client: "wiki", cause: "queue_full")
        #expect(event.metadata == ["client": "wiki", "reason": "queue_full"])
        #expect(event.lineLevel == .error)
    }
}
