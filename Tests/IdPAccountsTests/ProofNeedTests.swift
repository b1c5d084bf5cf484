import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import IdPAccounts
@testable import TestKit

@Suite("What a change needs of a sign-in", .rules)
struct ProofNeedTests {
    private static let now = Timestamp(milliseconds: 1_795_262_400_000)

    @Test("a sign-in of the last ten minutes is recent, and one whose moment is not proven never is")
    func age() {
        let need = Proof.Need.recent
        for (provenAt, isMet) in [
            (Self.now, true), (Self.now - .minutes(10), true), (Self.now - .minutes(10) - .milliseconds(1), false),
            (nil, false),
        ] as [(Timestamp?, Bool)] {
            #expect(need.isMet(by: .any, at: provenAt, now: Self.now) == isMet, "\(String(describing: provenAt))")
        }
        #expect(Proof.Need.anySignIn.isMet(by: .any, at: nil, now: Self.now))
        #expect(Proof.Need.anySignIn.since(Self.now) == nil && need.since(Self.now) == Self.now - .minutes(10))
    }

    @Test("every weaker sign-in is too weak, however recent, and every stronger one is strong enough")
    func strength() {
        for needed in Strength.allCases {
            for strength in Strength.allCases {
                let need = Proof.Need(age: .minutes(10), strength: needed)
                #expect(need.isMet(by: strength, at: Self.now, now: Self.now) == (strength >= needed))
                #expect(!need.isMet(by: strength, at: Self.now - .minutes(11), now: Self.now))
            }
        }
    }

    @Test(
        "the slot of a sign-in keeps its strength, and one of the version before counts as any",
        arguments: Strength.allCases)
    func slot(strength: Strength) throws {
        let signIn = CurrentSignIn.SignIn(
            accountID: "usr_1", authenticatedAt: Self.now, proofs: SignInProofs(["m", "n"], strength))
        let stored = try JSONEncoder().encode(CurrentSignIn(signIn))
        let read = try #require(try JSONDecoder().decode(CurrentSignIn.self, from: stored).signIn)
        #expect(read.proofs == SignInProofs(["m", "n"], strength))
        let text = String(decoding: stored, as: UTF8.self)
        #expect(text.contains("strength") == (strength != .any), "what any sign-in has takes no place")
    }
}
