import SSOWeb
import Testing

@testable import IdPAccounts
@testable import IdPSignOut
@testable import TestKit

@Suite("Causes of the events of accounts", .rules)
struct AccountCausesTests {
    private static func ids(_ kind: EventKind) -> [String] { kind.causes.map(\.id) }

    @Test("every cause of an end of sessions is one of its events, with what it means")
    func ends() {
        let all = SignOutCause.allCases
        #expect(Self.ids(.sessionEnded) == all.filter { !$0.isOwn }.map(\.rawValue))
        #expect(Set(Self.ids(.signOutQueued)) == Set(all.map(\.rawValue) + ["retried"]))
    }

    @Test("every failure of a message to a client is a cause of both of its events")
    func failures() {
        for failure in SignOutFailure.allCases {
            #expect(Self.ids(.signOutFailed).contains(failure.rawValue))
            #expect(Self.ids(.signOutGivenUp).contains(failure.rawValue))
        }
    }

    @Test("every change of an account is a cause of user_changed")
    func changes() { #expect(Self.ids(.userChanged) == UserChange.allCases.map(\.rawValue)) }

    @Test("every event has a text, no cause is there twice, and each has a remedy", arguments: AccountEvents.all)
    func complete(_ kind: EventKind) {
        #expect(!kind.help.isEmpty && Set(Self.ids(kind)).count == kind.causes.count, "\(kind.id)")
        #expect(kind.causes.allSatisfy { $0.remedy.hasSuffix(".") || $0.remedy.hasSuffix(")") }, "\(kind.id)")
    }
}
