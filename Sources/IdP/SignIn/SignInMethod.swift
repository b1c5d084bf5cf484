import Hummingbird
import SSOWeb

/// A way to prove an identity: email code, later passkey, provider and so on.
///
/// A method adds its own routes. When the visitor has proven an identity there, it calls
/// ``SignInCompletion/finish(_:method:flow:_:_:_:consuming:)`` and nothing else. `IdPSignIn` has the list of methods.
protocol SignInMethod: Sendable {
    /// The method's name on the wire, in `methods` of the answer to verify: `email_code`. A method with several names
    /// passes the right one to the completion.
    var id: String { get }

    /// Adds the method's pages and forms, below the session middleware.
    func addRoutes(to router: Router<VisitorContext>)

    /// How the sign-in page offers the method; empty where it cannot be used.
    func options(for attempt: SignInAttempt) -> [SignInOption]

    /// How an app begins a sign-in with the method in the system browser: `/auth/native/NAME`. Nil where none begins so.
    func nativeStart(_ name: String) -> NativeStart?
}

extension SignInMethod {
    func nativeStart(_ name: String) -> NativeStart? { nil }
}

/// A visitor on the way to sign in.
struct SignInAttempt: Sendable {
    /// The pending SSO request that the sign-in is for, if any.
    let flow: FlowID?
    /// The name of the client that asked, if any.
    let clientName: String?
    /// Whether the page is for the web view of an app, where no provider may be shown (RFC 8252 8.12).
    var isNativeShell = false
    /// Whether only a new sign-in will do.
    var needsNewSignIn = false
}

/// How the sign-in page offers a method.
enum SignInOption: Sendable {
    /// The field `email`, sent to `POST /sign-in`, with the text below its label and the text of its button.
    case emailField(hint: Text, button: Text)
    /// A link to a page of the method.
    case link(label: Text, path: String)
    /// A button that posts to a path of the method: an account elsewhere.
    case provider(ProviderButton)
}

/// The button of a provider, with the form token and the flow as the only fields of its form.
struct ProviderButton: Sendable {
    /// The id of the provider.
    let id: String
    let kind: Provider.Kind
    /// The text of the button.
    let label: Text
    /// The provider's name where another button has the same text.
    let detail: String?
    /// Where the form goes.
    let path: String
}

/// Session slots and sign-in methods beside the built-in ones. Tests use it to prove that a new method keeps pending SSO
/// requests.
struct SignInAdditions: Sendable {
    var slots: [any SessionSlot.Type] = []
    var methods: @Sendable (Sessions, SignInCompletion) -> [any SignInMethod] = { _, _ in [] }
}
