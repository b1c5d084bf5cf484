import Hummingbird
package import IdPAccounts
package import SSOShared
package import SSOWeb
package import Storage

/// A way to prove an identity: email code, passkey, provider and so on.
///
/// A method adds its own routes. When the visitor has proven an identity there, it calls
/// ``SignInCompletion/finish(_:_:_:_:)`` and nothing else. Its ``Feature`` names it.
package protocol SignInMethod: Sendable {
    /// The method's name on the wire, in `methods` of the answer to verify: `email_code`. A method with several names
    /// passes the right one to the completion.
    var id: String { get }
    /// The values of RFC 8176 2 that a proof by it stands for, beside ``id``: `otp`.
    var registeredValues: [String] { get }
    /// What a sign-in by it alone reaches.
    var strength: Strength { get }

    /// Declares the method's pages and forms.
    func addRoutes(to router: inout FeatureRouter)

    /// Puts into the session what the sign-in page carries for the method, such as a challenge.
    ///
    /// - Returns: whether it has changed the slots.
    func prepare(_ attempt: SignInAttempt, in slots: inout SessionSlots) throws -> Bool

    /// How the sign-in page offers the method; empty where it cannot be used.
    func options(for attempt: SignInAttempt) -> [SignInOption]

    /// How an app begins a sign-in with the method in the system browser: `/auth/native/NAME`. Nil where none begins so.
    func nativeStart(_ name: String) -> NativeStart?
}

extension SignInMethod {
    package var registeredValues: [String] { [] }
    package var strength: Strength { .any }
    package func prepare(_ attempt: SignInAttempt, in slots: inout SessionSlots) throws -> Bool { false }
    package func nativeStart(_ name: String) -> NativeStart? { nil }
}

/// A visitor on the way to sign in.
package struct SignInAttempt: Sendable {
    /// What the sign-in is for; nil if the user came to sign in only.
    package let flow: FlowID?
    /// The name of the client or app that asked, if any.
    package let clientName: String?
    /// Whether the page is for the web view of an app, where no provider may be shown (RFC 8252 8.12).
    package var isNativeShell = false
    /// Whether only a new sign-in will do.
    package var needsNewSignIn = false
    /// The provider at which the user has just pressed "Cancel".
    package var cancelled: String?
    /// Whether the code that the browser has is not known any more.
    package var hasLostCode = false
    /// The session of the page, with what the methods have put into it.
    package var slots = SessionSlots()

    package init(flow: FlowID?, clientName: String?, isNativeShell: Bool = false, needsNewSignIn: Bool = false) {
        (self.flow, self.clientName, self.isNativeShell, self.needsNewSignIn) = (
            flow, clientName, isNativeShell, needsNewSignIn
        )
    }
}

/// How the sign-in page offers a method.
package enum SignInOption: Sendable {
    /// The field `email`, sent to `POST /sign-in`, with the text below its label and the text of its button.
    case emailField(hint: Text, button: Text)
    /// A link to a page of the method.
    case link(label: Text, path: String)
    /// A button that posts to a path of the method: an account elsewhere.
    case provider(ProviderButton)
    /// A button whose script asks the browser for a passkey, and the autofill of the field for the address.
    case passkey(PasskeyButton)
    /// Why something that the user may look for is not offered.
    case note(Text)
}

/// The button for passkeys. Without a script it is not shown.
package struct PasskeyButton: Sendable {
    /// Where the form goes.
    package let path: String
    /// Where its script asks for new options.
    package let renewal: String
    /// What the script asks the browser for, as JSON; empty where it has to ask for them first.
    package let options: String

    package init(path: String, renewal: String, options: String) {
        (self.path, self.renewal, self.options) = (path, renewal, options)
    }
}

/// The button of a provider, with the form token and the flow as the only fields of its form.
package struct ProviderButton: Sendable {
    /// The id of the provider.
    package let id: String
    /// The brand whose logo and style the button has: `google`.
    package let brand: String
    /// The text of the button.
    package let label: Text
    /// The provider's name where another button has the same text.
    package let detail: String?
    /// Where the form goes.
    package let path: String
    /// The path of a logo of its own; nil for that of the brand.
    package let logo: String?
    /// ``LogoFile/sizeAttributes`` of it.
    package let logoSizeHTML: String

    package init(
        id: String, brand: String, label: Text, detail: String?, path: String, logo: String? = nil,
        logoSizeHTML: String = ""
    ) {
        (self.id, self.brand, self.label, self.detail, self.path) = (id, brand, label, detail, path)
        (self.logo, self.logoSizeHTML) = (logo, logoSizeHTML)
    }
}

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

/// What the first proof has shown.
struct FirstProof: Codable, Sendable {
    let accountID: String
    /// The account's ``Account/signOuts`` at that moment.
    let signOuts: Int64
    let proof: Proof
    /// When the user was authenticated, or signed in here where no moment is proven.
    let authenticatedAt: Timestamp
    let flow: FlowID?
    /// The challenge of the first proof, which adds the identity that waited for it.
    let challenge: String?
    let isFirst: Bool
    /// Whether the user asked to stay signed in.
    var remembers: Bool
    /// The ``SecondFactor/id`` that the visitor was asked for.
    var factor: String?
    var begunAt: Timestamp?
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
