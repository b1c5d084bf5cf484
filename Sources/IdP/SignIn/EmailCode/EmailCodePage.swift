import HTTPTypes
import Hummingbird
import IdPFlow
import SSOWeb

/// The page with the field `code`.
package struct EmailCodePage: Sendable {
    let pages: Pages
    let script: String

    /// What was wrong with the last input.
    enum InputError: Sendable {
        case notSixDigits, wrong
        /// No email with the code has left yet.
        case notSent
        /// Too many wrong codes: not compared.
        case paused
    }

    /// Why no code can be right now. Then the page has no field.
    private enum NoCodeReason: Sendable, Equatable {
        /// Too many wrong codes for this address.
        case paused(Duration)
        /// The budget of the address is used up: no email with this code is sent.
        case noEmail
        /// Five wrong codes, or the right one.
        case usedUp
        case expired
    }

    /// How the page asks for an answer to the email, and learns of it.
    package struct ReplyOffer: Sendable {
        /// The four digits that the answer must contain.
        let number: String
        /// The path of the server-sent events, and the path that continues after an answer.
        let events, next: String
    }

    struct Model: Sendable {
        let formToken, address, flow, signIn, script, errorHTML, statusHTML, wait, life, service: String
        let number, events, next, withoutRefresh, provider: String
        let waitSeconds: Int
        let maximumLength = EmailCode.maximumLength
        let takesCode, hasError, hasStatus, isSentAgain, isDeferred, isDelayed, hasBrowserHint, hasFocus: Bool
        let mustWait, hasLimits, hasCountdown, isQuiet, hasService, hasLinkHint, hasReply, refreshes: Bool
        let addsProvider: Bool
    }

    /// Says the same for an address that may sign in and for one that may not: everything it shows is counted and stored
    /// for both (docs/architecture.md, "no account enumeration").
    ///
    /// - Parameters:
    ///   - entry: what the browser's session holds of the challenge.
    ///   - isDelayed: whether emails are held back at the moment, for everybody.
    ///   - pause: for how long no code is accepted for this address; nil when codes are accepted.
    ///   - wait: until another email may be sent to this address.
    ///   - service: the name of the client that the flow belongs to.
    ///   - provider: the name of the provider that this sign-in adds to its account; nil for none.
    ///   - reply: nil where answers to the email are not received.
    func response(
        _ request: Request, formToken: String, challenge: Challenge, entry: BrowserChallenges.Entry?, flow: FlowID?,
        service: String?, adding provider: String?, reply: ReplyOffer?, problem: InputError?, isDelayed: Bool,
        pause: Duration?, wait: Duration?,
        now: Timestamp
    ) -> Response {
        let texts = pages.texts(for: request)
        let emailAt = entry?.emailAt
        let reason = Self.reason(challenge, emailAt: emailAt, pause: pause, now: now)
        let deferral = reason == nil ? emailAt.map { $0 - now }.flatMap { $0 > .zero ? $0 : nil } : nil
        let isSentAgain =
            reason == nil && deferral == nil && problem == nil
            && entry?.sentAgainAt.map { now - $0 < .minutes(1) } == true
        // One text for each fact: where the error says it, the status does not.
        var error = self.error(reason, problem, challenge, texts)
        var status = self.status(reason, challenge, emailAt: emailAt, isSentAgain: isSentAgain, wait, now, texts)
        if problem == .notSent { (error, status) = (error.isEmpty ? status : error, "") }
        // A new code replaces one that has ended, and its email may wait for a minute. So the button works at once.
        let isOver = reason == .usedUp || reason == .expired
        let wait = deferral ?? wait.flatMap { isOver && $0 <= .minutes(1) ? nil : $0 }
        var isPaused = false
        if case .paused = reason { isPaused = true }
        let reply = reason == nil ? reply : nil
        // A page that reloads itself loses what was typed: not after a typing error, and not when the user turns it off.
        let refreshes = reply != nil && problem == nil && !Self.isRefreshOff(request)
        let isEmailOut = emailAt.map { $0 <= now } ?? false
        let model = Model(
            formToken: formToken, address: challenge.address, flow: flow?.text ?? "",
            signIn: SignInPath.signIn(flow), script: script, errorHTML: error, statusHTML: status,
            wait: wait.map { texts.plain(.span($0)) } ?? "",
            life: texts.plain(.span(challenge.expiresAt - now)), service: service ?? "", number: reply?.number ?? "",
            events: reply?.events ?? "", next: reply?.next ?? "", withoutRefresh: Self.pathWithoutRefresh(flow),
            provider: provider ?? "",
            waitSeconds: wait?.secondsRoundedUp ?? 0,
            takesCode: reason == nil, hasError: !error.isEmpty, hasStatus: !status.isEmpty && !isSentAgain,
            isSentAgain: isSentAgain, isDeferred: deferral != nil, isDelayed: isDelayed,
            hasBrowserHint: challenge.browserID == nil && (isPaused || reason == .noEmail),
            hasFocus: deferral == nil, mustWait: wait != nil && deferral == nil,
            hasLimits: reason != .noEmail && wait.map { $0 > .minutes(1) } ?? false, hasCountdown: wait != nil,
            isQuiet: reason == nil || isPaused, hasService: flow != nil && service != nil,
            hasLinkHint: isEmailOut && !challenge.isUsed && challenge.expiresAt > now,
            hasReply: reply != nil, refreshes: refreshes, addsProvider: provider != nil)
        var headers: HTTPFields = [:]
        if reply != nil { headers[.contentSecurityPolicy] = ContentPolicy.formsAndEvents }
        if case .paused = problem, let pause { headers[.retryAfter] = String(max(1, pause.secondsRoundedUp)) }
        return pages.response("email-code", model, for: request, status: Self.status(problem), headers: headers)
    }

    /// The path of the page that does not reload itself, for typing the code without JavaScript.
    private static func pathWithoutRefresh(_ flow: FlowID?) -> String {
        let path = FlowID.path(EmailCodeMethod.path, flow)
        return path + (flow == nil ? "?" : "&") + "refresh=no"
    }

    private static func isRefreshOff(_ request: Request) -> Bool {
        ((try? request.queryFields.text("refresh")) ?? nil) == "no"
    }

    private static func reason(
        _ challenge: Challenge, emailAt: Timestamp?, pause: Duration?, now: Timestamp
    ) -> NoCodeReason? {
        if let pause { return .paused(pause) }
        if emailAt == nil { return .noEmail }
        if challenge.isUsedUp { return .usedUp }
        return challenge.expiresAt <= now ? .expired : nil
    }

    /// What went wrong, as HTML; empty if nothing did.
    private func error(
        _ reason: NoCodeReason?, _ problem: InputError?, _ challenge: Challenge, _ texts: Texts
    ) -> String {
        switch (reason, problem) {
        case (.paused(let pause), _):
            return texts.html(Text("code.paused", ["wait": texts.plain(.span(pause))]))
        case (.usedUp, _): return texts.html(Text("code.used-up"))
        case (.expired, _): return texts.html(Text("code.expired"))
        case (.noEmail, _), (nil, .paused), (nil, nil): return ""
        case (nil, .notSent): return texts.html(Text("code.not-sent"))
        case (nil, .notSixDigits): return texts.html(Text("code.not-six-digits"))
        case (nil, .wrong):
            let left = Challenge.maximumTries - challenge.tries
            let wrong = texts.html(Text("code.wrong"))
            return left > Self.triesLeftShown ? wrong : "\(wrong) \(texts.html(Text("code.tries-left", count: left)))"
        }
    }

    /// What happens to the email with the code, as HTML; empty if the error says why no code can be right.
    private func status(
        _ reason: NoCodeReason?, _ challenge: Challenge, emailAt: Timestamp?, isSentAgain: Bool, _ wait: Duration?,
        _ now: Timestamp, _ texts: Texts
    ) -> String {
        func text(_ key: String, _ values: [String: any TextValue] = [:]) -> String {
            texts.html(Text(key, values.merging(["address": challenge.address]) { $1 }))
        }
        switch reason {
        case .paused: return ""
        case .usedUp, .expired: return text("code.new-to")
        case .noEmail: return text(wait == nil ? "code.none" : "code.limit")
        case nil: break
        }
        let age = emailAt.map { now - $0 } ?? .zero
        if age < .zero { return text("code.deferred") }
        if isSentAgain { return text("code.sent-again") }
        guard age >= .minutes(1) else { return text("code.sent") }
        let minutes = Text("span.minutes", count: Int(age / .minutes(1)))
        return text("code.sent-ago", ["age": texts.plain(minutes)])
    }

    /// From the third wrong code on the page says how many tries are left.
    private static let triesLeftShown = 2

    private static func status(_ problem: InputError?) -> HTTPResponse.Status {
        switch problem {
        case nil: .ok
        case .notSixDigits, .wrong, .notSent: .unprocessableContent
        case .paused: .tooManyRequests
        }
    }
}
