public import Foundation

/// One sign-in in the system browser whose result belongs into the app's web view.
///
/// The browser opens ``startURL(method:)`` and comes back to the app's callback with a code (``HandoffCallback``). The
/// web view then opens ``signInURL(code:)``. The verifier never leaves the device before that.
public struct HandoffRequest: Sendable, Hashable {
    public let verifier: CodeVerifier
    /// What the browser may know of the verifier.
    public var challenge: String { verifier.challenge }
    private let configuration: NativeConfiguration

    /// A request with a new verifier, or with one that was stored.
    public init(_ configuration: NativeConfiguration, verifier: CodeVerifier = CodeVerifier()) {
        (self.configuration, self.verifier) = (configuration, verifier)
    }

    /// `/auth/native/METHOD?challenge&redirect`. `nil` if the method is not `email` or the id of a provider such as `google`.
    public func startURL(method: String) -> URL? {
        guard ServerPath.isMethod(method) else { return nil }
        return configuration.server.address(ServerPath.native + method, query: start)
    }

    private var start: [(String, String)] { [("challenge", challenge), ("redirect", configuration.callback.text)] }

    /// `/hotwire_native/sign_in?code&verifier`, for the web view. It holds secrets: never log it, never open it twice.
    public func signInURL(code: String) -> URL? {
        configuration.server.address(ServerPath.handoff, query: [("code", code), ("verifier", verifier.value)])
    }

    // MARK: Linking a provider

    /// `/auth/native/PROVIDER?challenge&redirect&ticket`: adds a provider to the account of the user who is signed in.
    ///
    /// The ticket is that of `POST /api/v1/identities/tickets`, and works once within a minute. The browser comes back with a
    /// code (``HandoffCallback``), which the app sends with ``linkBody(code:)``. Such a code signs no user in. `nil` unless
    /// provider and ticket have their form.
    public func linkURL(provider: String, ticket: String) -> URL? {
        guard ServerPath.isMethod(provider), Self.isSecret(ticket, prefix: "slt_") else { return nil }
        return configuration.server.address(ServerPath.native + provider, query: start + [("ticket", ticket)])
    }

    /// The JSON body of `POST /api/v1/identities`, which the app sends with its access token. It holds secrets: never log it,
    /// never send it twice. `nil` unless the code has its form.
    public func linkBody(code: String) -> Data? {
        guard Self.isSecret(code, prefix: "shc_") else { return nil }
        return Data(#"{"code":"\#(code)","verifier":"\#(verifier.value)"}"#.utf8)
    }

    /// Whether a text is a prefix and 32 bytes in base64url.
    static func isSecret(_ text: String, prefix: String) -> Bool {
        let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return text.hasPrefix(prefix) && text.utf8.count == prefix.utf8.count + 43
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy(digits.contains)
    }
}
