import Logging
import SSOWeb
import Testing

@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPSSO
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

    @Test(
        "every parameter that OpenID Connect reads has a remedy for one that is sent twice, cannot be read or is too long",
        arguments: [
            ("Authorize", EventKind.authorizeRefused), ("Token", .tokenRequestRefused),
            ("Logout", .signOutAddressRefused),
        ])
    func parameters(folder: String, kind: EventKind) throws {
        let files = try TextSources.files(in: "Sources/IdP/Protocols/OIDC/\(folder)", ending: "swift")
        let names = Set(
            files.flatMap { file in
                file.text.matches(of: #/parameters\.(?:text|required|bytes)\("(\w+)"/#).map { String($0.1) }
            })
        #expect(names.count >= 4, "\(names)")
        let known = Set(kind.causes.map(\.id))
        for name in names {
            for end in ["repeated", "malformed", "too_long"] {
                #expect(known.contains("\(name)_\(end)"), "\(kind.id): \(name)_\(end)")
            }
        }
    }
}
