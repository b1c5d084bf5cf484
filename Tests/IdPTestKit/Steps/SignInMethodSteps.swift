import ProbeKit
import SSOShared
import Synchronization

@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPServer
@testable import TestKit
@testable import WebTestKit

/// Every sign-in method, as a user uses it from the sign-in page: the one list of them in the tests.
///
/// Found by forms, links and headers and not by wording, so that a claim about sign-in methods is written once and holds
/// for each. The raw value is the method's name in the answer to verify.
enum TestedMethod: String, CaseIterable, Sendable {
    case emailCode = "email_code"
    case emailLink = "email_link"
    case emailReply = "email_reply"
    case oneClick = "one_click"
    /// Google and Microsoft are presets of the same code: only their defaults and their words on an address differ, which
    /// the tests of the providers hold. So one case stands for the three.
    case openID = "oidc:work"
    /// The answer comes as a form of another site (`form_post`).
    case apple
    /// OAuth 2.0 without ID tokens.
    case gitHub = "github"
    /// The account has had the passkey before.
    case passkey

    /// The methods that share one email and one challenge.
    static let byEmail: [TestedMethod] = [.emailCode, .emailLink, .emailReply]

    /// The methods with an account elsewhere.
    static let byProvider: [TestedMethod] = [.openID, .apple, .gitHub]

    /// The methods whose proof works once. One click proves nothing, so it works as often as it is pressed.
    static let usedOnce = byEmail + byProvider + [.passkey]

    /// The methods that lead from the sign-in page to another page or an email before the proof.
    static let inTwoSteps = byEmail + byProvider

    /// The methods beside which an account may ask for a second proof. A passkey is two proofs by itself.
    static let singleProofs = allCases.filter { $0 != .passkey }

    /// The kind of the stand-in that a test of the method needs; nil for a method without a provider.
    var provider: Provider.Kind? {
        switch self {
        case .openID: .oidc
        case .apple: .apple
        case .gitHub: .github
        case .emailCode, .emailLink, .emailReply, .oneClick, .passkey: nil
        }
    }

    /// Every ordered pair of two different methods of one email.
    static let pairs = byEmail.flatMap { first in byEmail.filter { $0 != first }.map { (first, $0) } }
}

/// A browser whose sign-in page or waiting page is open: everything before the proof is done.
///
/// One email carries the proofs of three methods, so the same value can be proven by any of them: `with(.emailLink)`.
struct PendingProof: Sendable {
    var method: TestedMethod
    let address: String
    /// The page that waits for the proof; the sign-in page for a method without an email.
    let waiting: Visit
    /// The newest email; nil for a method without one.
    var email: Mailbox.Email?
    /// Where the proof goes.
    var deployment: TestDeployment
    /// What the browser is to bring back from a provider; nil for a method without one.
    var visit: ProviderVisit?
    /// What the browser has of its authenticator; nil for other methods.
    var passkey: String?

    func with(_ method: TestedMethod) -> PendingProof {
        var copy = self
        copy.method = method
        return copy
    }

    func at(_ deployment: TestDeployment) -> PendingProof {
        var copy = self
        copy.deployment = deployment
        return copy
    }

    /// The same attempt with another email for it.
    func with(_ email: Mailbox.Email) -> PendingProof {
        var copy = self
        copy.email = email
        return copy
    }

    /// Takes every step before the deciding request: opens the link, or answers the email. Never fails when the proof is
    /// no longer worth anything.
    ///
    /// - Returns: the page that decides.
    func prepare(in browser: Browser) async throws -> Visit {
        switch method {
        case .emailCode, .oneClick, .passkey: return waiting
        case .emailLink: return try await browser.follow(browser.get(required(email?.signInLink)))
        case .emailReply:
            try await answer()
            return waiting
        case .openID, .apple, .gitHub: return try await required(visit).prepare(in: browser)
        }
    }

    /// Sends the deciding request. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - page: the result of ``prepare(in:)``. It stays the answer when it has nothing to press.
    ///   - token: the form token of another browser. That browser then sends the form as a script would, whether or not
    ///     its page has one.
    func decide(in browser: Browser, on page: Visit, token: String? = nil) async throws -> Visit {
        switch method {
        case .emailCode: return try await post("/sign-in/code", [("code", code)], in: browser, on: page, token)
        case .emailLink: return try await post("/sign-in/link", [], in: browser, on: page, token)
        case .emailReply: return try await browser.get(waiting.address.resolving(replyPath))
        case .oneClick:
            return try await browser.click(page.page().link(containing: OneClickMethod.path), on: page)
        case .openID, .apple, .gitHub: return try await required(visit).decide(in: browser, on: page)
        case .passkey:
            return try await post(
                "/sign-in/passkey", [("passkey", required(passkey))], in: browser, on: page, token)
        }
    }

    /// Proves the address in a browser. Redirects are not followed.
    func prove(in browser: Browser) async throws -> Visit {
        try await decide(in: browser, on: prepare(in: browser))
    }

    private func post(
        _ path: String, _ values: [(String, String)], in browser: Browser, on page: Visit, _ token: String?
    ) async throws -> Visit {
        let typed = Dictionary(values) { $1 }
        guard let token else {
            guard let form = try page.page().form(to: path) else { return page }
            return try await browser.submit(form, on: page, typed)
        }
        let flow = page.address.query("flow").map { [("flow", $0)] } ?? []
        return try await browser.post(page.address.resolving(path), [("form_token", token)] + flow + values)
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else {
            throw ProbeFailure("no proof by \(method.rawValue):\n\(email?.text ?? "no email")")
        }
        return value
    }

    /// The path at which the waiting page goes on after an answer.
    private var replyPath: String { "/sign-in/reply" + (waiting.address.query("flow").map { "?flow=\($0)" } ?? "") }
}

/// A browser that has been at a provider: the user has agreed there, and the answer is on its way.
struct ProviderVisit: Sendable {
    /// The page of ours that went on to the provider.
    let leaving: Visit
    let answer: StandInAnswer
    private let parked = Parked()

    init(leaving: Visit, answer: StandInAnswer) { (self.leaving, self.answer) = (leaving, answer) }

    /// The result of posting the form. The provider's page posts it once, without cookies: the request is the same from
    /// every browser.
    private final class Parked: Sendable {
        let visit = Mutex<Visit?>(nil)
    }

    /// Posts the form, if the answer is one.
    ///
    /// - Returns: what ``decide(in:on:)`` needs.
    func prepare(in browser: Browser) async throws -> Visit {
        guard answer.isFormPost else { return leaving }
        if let visit = parked.visit.withLock({ $0 }) { return visit }
        let visit = try await browser.postFromOtherSite(answer)
        parked.visit.withLock { $0 = visit }
        return visit
    }

    /// Goes to the callback with the cookies of this browser. Redirects are not followed.
    func decide(in browser: Browser, on page: Visit) async throws -> Visit {
        guard answer.isFormPost else { return try await browser.bring(answer) }
        return page.status == 303 ? try await browser.get(page.location(), [("Sec-Fetch-Site", "cross-site")]) : page
    }

    /// Where the browser's history leads back to: the page that went on, and the callback once the answer was brought.
    var history: [String] {
        get throws {
            let back = try parked.visit.withLock { $0 }.map { try $0.location().absolute }
            return [leaving.address.absolute, back ?? answer.address]
        }
    }
}

extension PendingProof {
    /// The code of the email.
    var code: String { get throws { try required(email?.code) } }

    /// The link of the email.
    var link: String { get throws { try required(email?.signInLink) } }

    /// The four digits of the waiting page, which the answer must contain.
    var number: String {
        get throws {
            guard let number = waiting.shownNumber else {
                throw ProbeFailure("no number on the page:\n\(waiting.text)")
            }
            return number
        }
    }

    /// A code, or a number, that is not the one of this attempt.
    func wrong(_ right: String) -> String {
        let zeros = String(repeating: "0", count: right.utf8.count)
        return right == zeros ? String(zeros.dropLast()) + "1" : zeros
    }

    /// Types a code into the waiting page.
    func type(_ code: String, in browser: Browser) async throws -> Visit {
        try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
    }

    /// Answers the email as its owner would, with the number of the waiting page or another one.
    ///
    /// - Returns: `accepted`, or the reason why the answer was ignored.
    @discardableResult
    func answer(_ number: String? = nil) async throws -> String {
        try await deployment.deliver(
            ReplyMessage(
                recipient: required(email?.header("reply-to")), sender: address, number: number ?? self.number))
    }
}

extension TestDeployment {
    /// Opens a deployment with every sign-in method that is not a provider's, and with the provider of one method.
    ///
    /// - Parameter method: its stand-in is started. Starting all of them for every test would take too long.
    static func withEveryMethod(
        _ method: TestedMethod? = nil, clients count: Int = 1, settings: [String: String] = [:],
        adding added: AddedFeatures = TicketProtocol.added, _ body: (TestDeployment) async throws -> Void
    ) async throws {
        let all = ReplySettings.all.merging(settings) { $1 }
        guard let kind = method?.provider else {
            return try await open(
                clients: count, settings: all, clientKeys: TestedProtocol.clientKeys, adding: added, body)
        }
        try await ProviderDeployment.open(
            [kind], clients: count, settings: all, clientKeys: TestedProtocol.clientKeys, adding: added
        ) { try await body($0.deployment) }
    }

    /// The stand-in of a kind.
    func standIn(_ kind: Provider.Kind) throws -> StandInProvider {
        guard let found = standIns.first(where: { $0.kind == kind }) else { throw ProbeFailure("no \(kind)") }
        return found
    }

    /// Goes from a sign-in page to the moment before the proof.
    func begin(
        _ method: TestedMethod, on page: Visit, in browser: Browser, as address: String = OneClickMethod.address
    ) async throws -> PendingProof {
        guard method != .oneClick else {
            return PendingProof(method: method, address: address, waiting: page, email: nil, deployment: self)
        }
        if method == .passkey {
            let authenticator = try await givePasskey(to: address)
            return PendingProof(
                method: method, address: address, waiting: page, deployment: self,
                passkey: try authenticator.get(page.passkeyOptions(), at: origin))
        }
        if let kind = method.provider {
            let standIn = try standIn(kind)
            standIn.user.email = address
            let leaving = try await standIn.press(on: page, in: browser)
            let answer = try standIn.answer(to: standIn.authorizationURL(on: leaving))
            return PendingProof(
                method: method, address: address, waiting: page, email: nil, deployment: self,
                visit: ProviderVisit(leaving: leaving, answer: answer))
        }
        let earlier = mailbox.all(to: address)
        let waiting = try await browser.ask(for: address, on: page)
        let email = try await mailbox.email(to: address, besides: earlier)
        return PendingProof(method: method, address: address, waiting: waiting, email: email, deployment: self)
    }

    /// The same from the first client on.
    func begin(
        _ method: TestedMethod, in browser: Browser, as address: String = OneClickMethod.address
    ) async throws -> PendingProof {
        let page = try await browser.follow(browser.get(authorize(client, state: "the-state")))
        return try await begin(method, on: page, in: browser, as: address)
    }

    /// How many sessions are signed in.
    func signedInSessions() async throws -> Int {
        try await stored.sessions.signedIn.count()
    }
}

/// What a client's server learns at the end of a sign-in.
struct RedeemedSignIn: Sendable {
    /// Where the browser was sent.
    let callback: WebAddress
    /// The answer to verify.
    let reply: ProbeReply
    let email: String?
    let methods: [String?]
    /// In seconds since 1970.
    let authenticatedAt: Int?
}

extension TestDeployment {
    /// Redeems the token of a completion page as the client's server does.
    func redeem(_ complete: Visit, as client: Client) async throws -> RedeemedSignIn {
        let callback = try complete.callback()
        let reply = try await verify(complete.token(), as: client, redirectURI: client.callback)
        let answer = try JSONDecoding.value(reply.body)
        return RedeemedSignIn(
            callback: callback, reply: reply, email: answer["user"]?["email"]?.text,
            methods: answer["session"]?["methods"]?.items.map(\.text) ?? [],
            authenticatedAt: answer["session"]?["authenticated_at"]?.number.map { Int($0) })
    }
}
