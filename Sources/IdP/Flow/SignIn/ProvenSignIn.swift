package import IdPAccounts
package import SSOShared
package import SSOWeb
package import Storage

/// What a sign-in method has proven, in one value.
package struct ProvenSignIn: Sendable {
    let identity: ProvenIdentity
    let method: String
    let strength: Strength
    let challenge: String?
    let flow: FlowID?
    let remembers: Bool
    let consume: @Sendable (any SQLConnection) throws -> Bool

    /// - Parameters:
    ///   - method: the ``SignInMethod/id`` of the method.
    ///   - strength: of the proof by itself.
    ///   - challenge: the id of the challenge that has proven the address. It adds the identity that waited for it
    ///     (``PendingIdentity``). Nil adds none.
    ///   - flow: what the sign-in is for; nil if the user came to sign in only.
    ///   - remembers: whether the user asked to stay signed in in this browser.
    ///   - consume: consumes what proves the identity, in the transaction that signs in; false if it is used up already.
    package init(
        _ identity: ProvenIdentity, method: String, strength: Strength = .any, challenge: String? = nil, flow: FlowID?,
        remembers: Bool = false, consuming consume: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) {
        (self.identity, self.method, self.strength, self.challenge) = (identity, method, strength, challenge)
        (self.flow, self.remembers, self.consume) = (flow, remembers, consume)
    }
}

/// Who gets the session of a sign-in.
package struct SignInTarget: Sendable {
    /// The session that it replaces; nil for an app whose web view has none.
    let session: Session?
    /// The kind of device whose session it becomes; nil for a browser.
    let app: String?
    /// The access token of the app's native screens; nil for a browser.
    let token: NewAccessToken?

    package init(replacing session: Session?, app: String?, issuing token: NewAccessToken? = nil) {
        (self.session, self.app, self.token) = (session, app, token)
    }
}

/// What follows a proof.
package enum SignInStep: Sendable {
    case signedIn(CompletedSignIn)
    /// The first proof is consumed, and nobody is signed in. The session is nil for native screens, which keep nothing.
    case needs(any SecondFactor, CompletedSignIn?)
    /// The proof did not hold, or another request has replaced or ended the session meanwhile.
    case lost
}

/// What a sign-in, or its first half, has made.
package struct CompletedSignIn: Sendable {
    package let session: Session
    package let account: Account
    /// Whether the sign-in made the account.
    package let isNew: Bool
    /// The browser is known by it from now on.
    let known: KnownBrowserCookie.Claim?
}
