import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import IdPProviders
import Logging
import SSOShared
import SSOWeb

/// Why an answer of a provider signs no user in. The raw values are stable: the log has them as `reason`, beside those of
/// ``ProviderError``.
enum ProviderSignInError: String, Sendable, CaseIterable {
    /// A frame, a fetch or a prefetch.
    case notAPage = "not_a_page"
    /// A field is missing, appears twice, or is too long.
    case malformedAnswer = "malformed_answer"
    /// GET where the provider is to send a form, or the other way round.
    case wrongResponseMode = "wrong_response_mode"
    case unknownState = "unknown_state"
    case unknownHandle = "unknown_handle"
    /// The session of this browser did not begin the attempt: login CSRF, or another browser.
    case otherBrowser = "other_browser"
    /// The state belongs to an attempt at another provider (RFC 9700 4.4), or to a deleted one.
    case otherProvider = "other_provider"
    case attemptUsed = "attempt_used"
    case attemptExpired = "attempt_expired"
    case cancelled = "access_denied"
    /// The provider's answer is an error.
    case errorAnswer = "error_answer"
    case codeReused = "code_reused"
    case idTokenReused = "id_token_reused"
    /// A new sign-in was asked for, and the provider does not say that there was one.
    case notFresh = "not_fresh"
    case noVerifiedEmail = "no_verified_email"
    case addressNotAllowed = "address_not_allowed"
    case newAccountsOff = "new_accounts_off"
    /// The user has to prove the address by email, and none is sent.
    case addressNotProven = "address_not_proven"
    /// The user who began to link is not signed in any more.
    case otherUser = "other_user"
    /// The identity leads to another account.
    case linkedElsewhere = "linked_elsewhere"

    /// Whether an operator should look at it: honest browsers and providers do not cause it.
    var isAlarm: Bool {
        switch self {
        case .codeReused, .idTokenReused, .otherProvider, .otherBrowser: true
        default: false
        }
    }

    func event(_ provider: Provider, _ context: VisitorContext) -> Event {
        Event(
            .providerAnswerRefused, by: .visitor, session: context.session?.handle, cause: rawValue,
            detail: provider.id)
    }

    /// The page of the answer.
    func page(_ provider: Provider, _ flow: FlowID?) -> PublicError {
        let key =
            switch self {
            case .otherBrowser, .unknownHandle: "other-browser"
            case .unknownState, .attemptUsed, .attemptExpired, .otherProvider: "ended"
            case .notFresh: "not-fresh"
            case .noVerifiedEmail: "no-email"
            case .addressNotAllowed: "not-allowed"
            case .newAccountsOff: "no-account"
            case .addressNotProven: "not-proven"
            case .otherUser: "other-user"
            case .linkedElsewhere: "linked-elsewhere"
            default: "failed"
            }
        let isAboutUser = [.notFresh, .noVerifiedEmail, .addressNotAllowed, .newAccountsOff, .addressNotProven]
            .contains(self)
        let isAboutLink = [.otherUser, .linkedElsewhere].contains(self)
        var page = PublicError(
            isAboutLink ? .conflict : isAboutUser ? .forbidden : .badRequest, code: EventKind.providerAnswerRefused.id,
            title: Text("provider.\(key).title", ["provider": provider.name]),
            explanation: Text("provider.\(key)", ["provider": provider.name]),
            nextStep: isAboutLink
                ? .home : .init(label: Text("provider.other-way"), href: SignInPath.signIn(flow)),
            cause: rawValue)
        if key == "failed" || key == "ended" { page.retry = provider.retry(flow) }
        return page.logged
    }
}

extension Provider {
    /// The button of the sign-in page once more. The form token comes where the session is known
    /// (``PublicError/withFormToken(_:)``).
    fileprivate func retry(_ flow: FlowID?) -> PublicError.Retry {
        .init(
            label: Text("provider.again", ["provider": name]), action: ProviderStart.path(self),
            fields: [("flow", flow?.text ?? "")])
    }
}

extension PublicError {
    /// With the form token of the session for the form that tries again; without one there is no form.
    func withFormToken(_ token: String?) -> PublicError {
        var page = self
        page.retry = nil
        if let retry, let token {
            page.retry = Retry(
                label: retry.label, action: retry.action, fields: [("form_token", token)] + retry.fields)
        }
        return page
    }
}

extension ProviderError {
    /// Says why and returns the page of the answer.
    func page(_ provider: Provider, _ flow: FlowID?, _ context: VisitorContext) -> PublicError {
        let (key, status, kind) = page
        context.record(
            Event(
                kind, by: .visitor, session: context.session?.handle, cause: reason, detail: provider.id,
                ["detail": "\(self)"], level: meaning == .refusal ? .warning : nil))
        var answer = PublicError(
            status, code: kind.id, title: Text("provider.\(key).title", ["provider": provider.name]),
            explanation: Text("provider.\(key)", ["provider": provider.name]),
            nextStep: .init(label: Text("provider.other-way"), href: SignInPath.signIn(flow)), cause: reason)
        if key == "failed" || key == "unavailable" { answer.retry = provider.retry(flow) }
        return answer.logged
    }

    /// The texts, the status and the event. A provider's fault is no alarm: nothing here can mend it.
    private var page: (key: String, status: HTTPResponse.Status, EventKind) {
        switch meaning {
        case .outage: ("unavailable", .serviceUnavailable, .providerUnavailable)
        case .setup: ("faulty", .serviceUnavailable, .providerUnavailable)
        case .fault: ("faulty", .badGateway, .providerFaulty)
        // The user's account there is outside `allowed_domains`: another try with it changes nothing.
        case .refusal where reason == AnswerError.domain.rawValue:
            ("not-allowed", .forbidden, .providerAnswerRefused)
        case .refusal: ("failed", .badRequest, .providerAnswerRefused)
        }
    }
}
