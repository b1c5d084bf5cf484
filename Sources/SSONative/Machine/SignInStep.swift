public import Foundation

/// What happened in the app. The app reports it to ``SignInMachine/handle(_:at:)``.
public enum SignInEvent: Sendable, Hashable {
    /// The navigator runs and takes URLs.
    case webViewReady
    /// The web view is gone, for example because the system ended its process.
    case webViewLost
    /// Another app or the system opened this app with a link.
    case linkOpened(URL)
    /// A page in the web view goes to a URL.
    case pageRequested(URL)
    /// The web view shows a page. The URL is the one that was asked for, or the one where redirects led.
    case pageShown(URL)
    /// The server answered 401, also to the check on the return to the foreground.
    case unauthorized(URL)
    /// A page could not be loaded. `status` is `nil` without an answer.
    case pageFailed(URL, status: Int?)
    /// The user asked to sign in with this method in the system browser. In a relying party's app its server chooses.
    case signInRequested(method: String)
    /// The user closed the sign-in page of the web view.
    case signInDismissed
    /// A browser session came back. `session` is the one that brings the result, `nil` if the system does not say so, as
    /// with an Android intent.
    case callback(URL, session: UUID?)
    /// The user closed the browser session.
    case browserSessionCancelled(UUID)
    /// The user is back in the app without a result, and the browser may still be open (Android).
    case returnedWithoutResult
}

/// What the app does, in the order given.
public enum SignInAction: Sendable, Hashable {
    /// Open it in the web view.
    case load(URL)
    /// Open the sign-in page in the web view, above the other pages.
    case showSignIn(URL)
    /// Remove all pages and open the start page.
    case reset
    /// UIApplication.open, or an intent with ACTION_VIEW.
    case openSystemBrowser(URL)
    /// ASWebAuthenticationSession or a Custom Tab. Its result is reported with this id.
    case openBrowserSession(URL, session: UUID)
    case closeBrowserSession(UUID)
    /// Store it before the next action, or remove what is stored.
    case setPending(BrowserRequest?)
    /// Tell the user.
    case showError(NativeSignInError)
    /// Nothing to do but a line in the log.
    case ignored(LinkPolicy.Reason)
}

/// Why a sign-in ended without success. Each has a text for the user.
public enum NativeSignInError: String, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A result came, and this app did not ask for it, or no longer knows.
    case notStartedHere = "not_started_here"
    /// More than eleven minutes went by.
    case expired
    /// The result cannot be read.
    case unreadable
    /// The server refused the result: used, expired, or of another sign-in.
    case refused
    /// The server answered 401 again to the page that asked for the sign-in.
    case stillSignedOut = "still_signed_out"
    /// No answer from the server.
    case noConnection = "no_connection"
    /// The server named another error.
    case failed

    public var description: String {
        switch self {
        case .notStartedHere:
            "This sign-in was not started in this app, or the app was closed meanwhile. Sign in again."
        case .expired: "The sign-in took too long. Sign in again."
        case .unreadable: "The browser returned an answer that this app cannot read. Sign in again."
        case .refused: "This sign-in is no longer valid. Sign in again."
        case .stillSignedOut:
            "The sign-in succeeded, but the page still asks for it. Sign in again, or contact support."
        case .noConnection: "The server could not be reached. Check your connection and sign in again."
        case .failed: "The sign-in did not succeed. Sign in again."
        }
    }
}
