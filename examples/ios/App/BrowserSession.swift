import AuthenticationServices
import UIKit

/// The system browser for a sign-in. It shares its cookies with Safari, and the app sees none of its pages.
///
/// Source: Apple, "Authenticating a User Through a Web Service". The callback's scheme needs no entry in Info.plist, and
/// no other app can take this callback: the session itself returns it.
@MainActor
final class BrowserSession: NSObject, ASWebAuthenticationPresentationContextProviding {
    private var current: ASWebAuthenticationSession?

    /// - Parameter completion: the callback, or `nil` if the user closed the browser.
    func open(_ url: URL, callbackScheme: String, completion: @escaping @MainActor (URL?) -> Void) {
        let session = ASWebAuthenticationSession(url: url, callbackURLScheme: callbackScheme) { callback, _ in
            Task { @MainActor in completion(callback) }
        }
        session.presentationContextProvider = self
        // A user who is signed in at the server in Safari need not sign in again.
        session.prefersEphemeralWebBrowserSession = false
        current = session
        if !session.start() { completion(nil) }
    }

    func close() {
        current?.cancel()
        current = nil
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        return scenes.flatMap(\.windows).first(where: \.isKeyWindow) ?? ASPresentationAnchor()
    }
}
