import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import Logging
import SSOShared
package import SSOWeb

/// What an app asks for: a code for this redirect URI, worthless without the verifier of this challenge.
package struct HandoffRequest: Sendable {
    let app: NativeApp
    /// RFC 7636 4.2, method S256.
    let codeChallenge: String

    /// Owns the rule which requests are accepted, which are sent back to the app with an error, and which get a page. The
    /// browser is only ever sent to a registered redirect URI.
    ///
    /// - Throws: ``HandoffRequestError``.
    package static func read(_ fields: URLEncodedFields, apps: NativeApps) throws(HandoffRequestError) -> HandoffRequest
    {
        let app = try app(fields, apps)
        do throws(HandoffRequestError.Cause) {
            return HandoffRequest(app: app, codeChallenge: try challenge(fields))
        } catch {
            throw HandoffRequestError(cause: error, app: app)
        }
    }

    private static func app(_ fields: URLEncodedFields, _ apps: NativeApps) throws(HandoffRequestError) -> NativeApp {
        let uri: [UInt8]?
        do { uri = try fields.bytes("redirect") } catch {
            throw HandoffRequestError(cause: error.isRepetition ? .redirectRepeated : .redirectMalformed)
        }
        guard let uri else { throw HandoffRequestError(cause: .redirectMissing) }
        guard let app = apps.app(uri) else { throw HandoffRequestError(cause: .redirectNotRegistered, sent: uri) }
        return app
    }

    private static func challenge(_ fields: URLEncodedFields) throws(HandoffRequestError.Cause) -> String {
        let (given, method): (String?, String?)
        do { (given, method) = (try fields.text("challenge"), try fields.text("challenge_method")) } catch {
            throw error.isRepetition ? .challengeRepeated : .challengeMalformed
        }
        guard let given else { throw .challengeMissing }
        // There is no other. An app that asks for `plain` would send its verifier through the browser.
        guard method.map({ $0.utf8.elementsEqual(CodeChallenge.method.utf8) }) ?? true else { throw .challengeMethod }
        guard CodeChallenge.isWellFormedChallenge(given) else { throw .challengeMalformed }
        return given
    }

    /// The address of the page that begins this again.
    func start(at path: String, ticket: String?) -> String {
        let fields = [("challenge", codeChallenge), ("redirect", app.redirectURI)]
        return path + "?" + PercentCoding.query(fields + (ticket.map { [("ticket", $0)] } ?? []))
    }
}

/// Why a request of an app was refused.
package struct HandoffRequestError: Error {
    /// The raw values are stable: the log has them as `reason`.
    enum Cause: String, Error, CaseIterable {
        case redirectMissing = "redirect_missing"
        case redirectRepeated = "redirect_repeated"
        case redirectMalformed = "redirect_malformed"
        case redirectNotRegistered = "redirect_not_registered"
        case challengeMissing = "challenge_missing"
        case challengeRepeated = "challenge_repeated"
        case challengeMalformed = "challenge_malformed"
        case challengeMethod = "challenge_method_not_s256"
        /// A frame, an image or a prefetch.
        case notAPage = "not_a_page"
        /// The form is of another session, or from another site.
        case staleForm = "stale_form"
        /// The id is not one of this browser's handoffs.
        case otherBrowser = "not_of_this_browser"
        /// It took too long, was cancelled, or its code was used.
        case ended = "ended"
        /// Another site sent the browser here (login CSRF).
        case crossSite = "cross_site"
        /// The request does not come from the web view of an app.
        case notAnApp = "not_an_app"

        /// One ASCII sentence, for `error_description`.
        var explanation: String {
            switch self {
            case .challengeMissing: "challenge is missing"
            case .challengeRepeated: "challenge appears more than once"
            case .challengeMethod: "challenge_method must be S256"
            default: "challenge must be 43 base64url characters, the SHA-256 of the verifier"
            }
        }
    }

    let cause: Cause
    /// The app, once it is known. Without one there is a page, never a redirect.
    var app: NativeApp?
    /// The redirect URI that is not registered.
    var sent: [UInt8]?

    /// Where the browser goes with the error.
    var callback: String? {
        app.map {
            AuthorizeRequest.errorCallback(
                redirectURI: $0.redirectURI, error: "invalid_request", description: cause.explanation, state: nil)
        }
    }
}

extension HandoffRequestError {
    func event(in session: Session?) -> Event {
        var event = Event(.handoffRefused, session: session?.handle, cause: cause.rawValue)
        if let app { event.further["app"] = "\(app.id)" }
        if let sent { event.further["sent_redirect"] = "\(SentText.address(sent))" }
        return event
    }
}

/// What can go wrong with a handoff, in words for the user.
enum HandoffError {
    /// The redirect URI is not registered. The page neither redirects nor links there.
    static let unknownApp = PublicError(
        .badRequest, code: "unknown_app", title: Text("error.unknown-app.title"),
        explanation: Text("error.unknown-app"), cause: "redirect_not_registered")

    /// The handoff took too long, was cancelled, or its code was used.
    static let ended = PublicError(
        .gone, code: "flow_over", title: Text("error.flow-over.title"), explanation: Text("error.handoff-over"))

    /// A code that does not sign in. One page for all reasons: the log has them.
    static let codeRejected = PublicError(
        .badRequest, code: "invalid_code", title: Text("error.handoff-code.title"),
        explanation: Text("error.handoff-code"), nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn),
        cause: "handoff_code_rejected")
}
