import SSOWeb
import Testing

@testable import IdPProviderSignIn
@testable import IdPProviders
@testable import TestKit

@Suite("Causes of the events of providers", .rules)
struct ProviderCausesTests {
    private static func level(_ reason: String) -> String? {
        Event(.providerAnswerRefused, cause: reason).lineLevel.map { "\($0)" }
    }

    private static func ids(_ kind: EventKind) -> Set<String> { Set(kind.causes.map(\.id)) }

    @Test("every reason why an answer signs nobody in is a cause of its event, at its level")
    func answers() {
        for reason in ProviderSignInError.allCases {
            #expect(Self.ids(.providerAnswerRefused).contains(reason.rawValue), "\(reason)")
            #expect(Self.level(reason.rawValue) == (reason.isAlarm ? "warning" : "notice"), "\(reason)")
        }
        for reason in ProviderError.AnswerError.allCases where reason != .event {
            #expect(Self.level(reason.rawValue) == "warning", "\(reason)")
        }
        let refused = ProviderError.refused(by: .token, error: "invalid_grant", description: nil)
        #expect(Self.level(refused.reason) == "warning")
    }

    @Test("every failure of a call in a sign-in is a cause of the event of its meaning")
    func calls() {
        for endpoint in ProviderError.Endpoint.allCases where endpoint != .revocation {
            for problem in ProviderError.CallError.allCases {
                let error = ProviderError.call(endpoint, problem)
                let kind: EventKind = error.meaning == .fault ? .providerFaulty : .providerUnavailable
                #expect(Self.ids(kind).contains(error.reason), "\(error.reason)")
            }
            #expect(Self.ids(.providerUnavailable).contains(ProviderError.call(endpoint, status: 503).reason))
            #expect(Self.ids(.providerFaulty).contains(ProviderError.call(endpoint, status: 404).reason))
        }
        for problem in ProviderError.DocumentError.allCases {
            #expect(Self.ids(.providerUnavailable).contains(problem.rawValue), "\(problem)")
        }
        for error in [ProviderError.timedOut, .cancelled] {
            #expect(Self.ids(.providerUnavailable).contains(error.reason))
        }
    }

    @Test("every event has a text, no cause is there twice, and each has a remedy")
    func complete() {
        for kind in ProviderSignInEvents.all + ProviderEvents.all {
            #expect(!kind.help.isEmpty && Self.ids(kind).count == kind.causes.count, "\(kind.id)")
            #expect(kind.causes.allSatisfy { !$0.remedy.isEmpty }, "\(kind.id)")
        }
    }
}
