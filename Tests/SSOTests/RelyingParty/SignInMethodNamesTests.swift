import Testing

@testable import IdPProviders
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit

@Suite("Sign-in methods in words, at the sample", .program)
struct SignInMethodNamesTests {
    @Test("every way to sign in has a text, and an unknown one is left out")
    func names() {
        let methods = ["email_code", "email_link", "email_reply"] + Provider.Kind.allCases.map(\.testMethod)
        for method in methods { #expect(SignInMethodNames.text([method]) != nil, "\(method)") }
        #expect(SignInMethodNames.text(["unheard_of"]) == nil)
    }
}
