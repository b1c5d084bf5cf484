import Testing
import WebAuthn

@testable import TestKit

@Suite("Responses of passkeys that are refused", .rules)
struct RefusalTests {
    @Test("a registration is refused, with its own reason", arguments: Refusal.all.filter(\.concernsRegistration))
    func registration(_ refusal: Refusal) throws {
        var wrong = try RegistrationCase()
        if case .registration(let edit) = refusal.change { try edit(&wrong) }
        #expect(throws: refusal.reason) { try wrong.verified(refusal.change) }
    }

    @Test("an assertion is refused, with its own reason", arguments: Refusal.all.filter(\.concernsAssertion))
    func assertion(_ refusal: Refusal) throws {
        var wrong = try AssertionCase()
        if case .assertion(let edit) = refusal.change { try edit(&wrong) }
        #expect(throws: refusal.reason) { try wrong.verified(refusal.change) }
    }

    @Test("each reason has a row, no row stands twice, and no two reasons are the same word")
    func complete() {
        #expect(Refusal.all.count >= 200)
        #expect(Set(Refusal.all.map(\.reason)) == Set(WebAuthnError.allCases))
        #expect(Set(Refusal.all.map(\.name)).count == Refusal.all.count)
        #expect(Set(WebAuthnError.allCases.map(\.reason)).count == WebAuthnError.allCases.count)
    }
}
