import Logging
import SSOWeb
import Testing

@testable import IdPApps
@testable import TestKit

@Suite("Causes of the events of apps", .rules)
struct AppCausesTests {
    private static func ids(_ kind: EventKind) -> [String] { kind.causes.map(\.id) }

    @Test("every reason of a refused handoff is a cause of its event")
    func handoffs() {
        #expect(Self.ids(.handoffRefused) == HandoffRequestError.Cause.allCases.map(\.rawValue))
        #expect(Self.ids(.handoffCodeRejected) == HandoffStore.CodeError.allCases.map(\.rawValue))
    }

    @Test("every reason of a refused link is a cause of both of its events")
    func links() {
        let reasons = IdentityTicketError.allCases.map(\.rawValue)
        #expect(Self.ids(.linkTicketRejected) == reasons)
        #expect(Self.ids(.linkCodeRejected) == reasons + ["linked_elsewhere"])
    }

    @Test("a reason that may be an attack is a warning, any other a notice")
    func levels() {
        for reason in HandoffStore.CodeError.allCases {
            let event = Event(.handoffCodeRejected, cause: reason.rawValue)
            #expect(event.lineLevel == (reason.isAlert ? .warning : .notice), "\(reason)")
        }
        for reason in IdentityTicketError.allCases {
            for kind in [EventKind.linkTicketRejected, .linkCodeRejected] {
                let level = Event(kind, cause: reason.rawValue).lineLevel
                #expect(level == (reason.isAlert ? .warning : .notice), "\(reason)")
            }
        }
    }

    @Test("every event has a text, no cause is there twice, and each has a remedy", arguments: AppEvents.all)
    func complete(_ kind: EventKind) {
        #expect(!kind.help.isEmpty && Set(Self.ids(kind)).count == kind.causes.count, "\(kind.id)")
        #expect(kind.causes.allSatisfy { !$0.remedy.isEmpty }, "\(kind.id)")
    }
}
