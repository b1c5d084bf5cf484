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

    /// `/auth/native/METHOD?challenge&redirect`. `nil` if the method is not an id such as `email`.
    public func startURL(method: String) -> URL? {
        guard Self.isMethod(method) else { return nil }
        return configuration.server.address(
            ServerPath.native + method, query: [("challenge", challenge), ("redirect", configuration.callback.text)])
    }

    /// `/hotwire_native/sign_in?code&verifier`, for the web view. It holds secrets: never log it, never open it twice.
    public func signInURL(code: String) -> URL? {
        configuration.server.address(ServerPath.handoff, query: [("code", code), ("verifier", verifier.value)])
    }

    /// The method that a link to a browser session names: `email` for `/auth/native/email` and for `/auth/email`.
    static func method(of path: String) -> String? {
        let prefix = path.hasPrefix(ServerPath.native) ? ServerPath.native : "/auth/"
        let method = String(path.dropFirst(prefix.count))
        return path.hasPrefix(prefix) && method != "native" && method != "sso" && isMethod(method) ? method : nil
    }

    /// An id of a sign-in method: `[a-z0-9][a-z0-9_-]{0,62}`. `complete` is a page beside the methods.
    static func isMethod(_ text: String) -> Bool {
        let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        guard let first = text.utf8.first, letters.contains(first), text.utf8.count <= 63 else { return false }
        return text != "complete" && text.utf8.allSatisfy { letters.contains($0) || "_-".utf8.contains($0) }
    }
}
