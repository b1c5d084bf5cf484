import Hummingbird
package import IdPAccounts
import SSOShared
import SSOWeb
package import Storage

/// A second proof that an account asks for after the first one: later the six digits of an app.
///
/// No sign-in method knows of it, and it knows no method. When the visitor has given the proof, it calls
/// ``SignInCompletion/finish(second:_:_:_:consuming:)`` and nothing else. Its ``Feature`` names it.
package protocol SecondFactor: Sendable {
    /// The factor's name on the wire, after that of the method, in `methods` of the answer to verify.
    var id: String { get }
    /// As ``SignInMethod/registeredValues``.
    var registeredValues: [String] { get }
    /// The page that asks for the proof, below `/sign-in`.
    var path: String { get }
    /// Whether an account asks for it, in the transaction of the first proof.
    func isSetUp(for account: Account, _ connection: any SQLConnection) throws -> Bool
    /// Ends it for an account: the first proof of the mailbox has shown that its owner did not set it up. In the transaction of
    /// that proof.
    func end(for account: Account, _ connection: any SQLConnection) throws
    /// Declares its page and form.
    func addRoutes(to router: inout FeatureRouter, _ completion: SignInCompletion)
}

extension SecondFactor {
    package var registeredValues: [String] { [] }
}

/// The session slot of a first proof whose account asks for a second one. It opens nothing and enrols nothing: it can only go
/// on to the second proof, for ten minutes, while the account may sign in.
package struct HalfSignIn: SessionSlot {
    package static let key = "halfSignIn"
    package static let survivesSignIn = false
    /// As long as the code in the email is valid.
    static let lifetime: Duration = .minutes(10)

    private var first: FirstProof?

    package init() {}

    init(_ first: FirstProof, needs factor: String, now: Timestamp) {
        self.first = first
        self.first?.factor = factor
        self.first?.begunAt = now
    }

    /// Whose first proof it is, also of one that is too old.
    var accountID: String? { first?.accountID }

    /// What the first proof was for, also of one that is too old.
    var anyFlow: FlowID? { first?.flow }

    /// The first proof while it can go on. One from the future was given while the clock was wrong.
    func current(now: Timestamp) -> FirstProof? {
        first.flatMap { first in
            guard let begunAt = first.begunAt else { return nil }
            return now - begunAt < Self.lifetime && begunAt <= now + ClockSkew.tolerated ? first : nil
        }
    }
}

extension SessionSlots {
    /// The account of a user who is signed in, or whose second proof is missing: clients may know the session.
    var provenAccount: String? { self[CurrentSignIn.self].signIn?.accountID ?? self[HalfSignIn.self].accountID }
}
