import Logging
import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPFlow
@testable import IdPProtocols
@testable import TestKit

@Suite("The causes of refusals", .rules)
struct ProtocolCausesTests {
    @Test("every cause of a refused request says what to do")
    func remedies() {
        let signatures = SignatureCheck.SignatureError.allCases.map(\.rawValue)
        let grants = GrantErrorCause.allCases.map(\.rawValue)
        for (kind, causes) in [
            (EventKind.authorizeRefused, AuthorizeQueryError.Cause.allCases.map(\.rawValue)),
            (.verifyRefused, signatures + grants), (.sessionQuestionRefused, signatures), (.pingRefused, signatures),
            (.tokenRequestRefused, grants),
        ] {
            let known = Set(kind.causes.map(\.id))
            #expect(known.count == kind.causes.count, "\(kind.id): each is there once")
            #expect(Set(causes).subtracting(known).isEmpty, "\(kind.id)")
            #expect(kind.causes.allSatisfy { !$0.remedy.isEmpty }, "\(kind.id)")
        }
    }

    @Test("only what may be an attack is a warning")
    func levels() {
        let warnings = EventKind.verifyRefused.causes.filter { $0.level == .warning }.map(\.id)
        #expect(Set(warnings) == ["signature_wrong", "client_unknown", "used", "token_of_other_client"])
        #expect(EventKind.tokenRequestRefused.causes.allSatisfy { $0.level == nil }, "it depends on the client")
    }
}
