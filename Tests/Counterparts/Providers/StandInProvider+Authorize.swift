import Synchronization

@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// An authorization request that was found correct.
struct StandInRequest: Sendable {
    let redirectURI: String
    let state: String
    let nonce: String?
    let challenge: String?
    let isFormPost: Bool
    let scopes: [String]
    let prompt: String?
    let maxAge: Int?
    let loginHint: String?
}

/// What a browser brings back to the IdP.
struct StandInAnswer: Sendable {
    let redirectURI: String
    /// By a form that the browser posts, else in the query.
    let isFormPost: Bool
    let fields: [(String, String)]

    func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    var code: String { field("code") ?? "" }
    var state: String { field("state") ?? "" }
    var iss: String? { field("iss") }
    /// The address of a redirect with the answer in its query.
    var address: String {
        "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(FormCoding.encode(fields))"
    }

    /// The same with some fields changed: nil removes one.
    func with(_ changes: [String: String?]) -> StandInAnswer {
        let kept = fields.filter { changes[$0.0] == nil }
        let set = changes.sorted { $0.key < $1.key }.compactMap { change in change.value.map { (change.key, $0) } }
        return StandInAnswer(redirectURI: redirectURI, isFormPost: isFormPost, fields: kept + set)
    }
}

extension StandInProvider {
    /// What the browser would bring back from an authorization URL, without a browser.
    ///
    /// - Parameter isAllowed: the user continues; else the user cancels.
    /// - Throws: `ProbeFailure` for a request that a provider refuses.
    func answer(to authorizationURL: String, isAllowed: Bool = true) throws -> StandInAnswer {
        let address = try WebAddress(authorizationURL)
        guard "\(address.origin)\(address.path)" == self.address(of: .authorize) else {
            throw ProbeFailure("not the authorization endpoint: \(authorizationURL)")
        }
        let request = try authorizationRequest(FormCoding.fields(address.target.drop { $0 != "?" }.dropFirst()))
        return try answer(to: request, isAllowed: isAllowed)
    }

    func authorizationRequest(_ fields: [(String, String)]) throws -> StandInRequest {
        let names = fields.map(\.0)
        guard Set(names).count == names.count else { throw ProbeFailure("a parameter twice: \(names)") }
        func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
        func check(_ holds: Bool, _ problem: String) throws {
            guard holds else { throw ProbeFailure("authorize: \(problem)") }
        }
        try check(field("client_id") == clientID, "client_id is \(field("client_id") ?? "missing")")
        let scopes = (field("scope") ?? "").split(separator: " ").map(String.init)
        let mode = field("response_mode") ?? "query"
        try check(["query", "form_post"].contains(mode), "response_mode is \(mode)")
        if kind == .github {
            try check(field("nonce") == nil, "GitHub has no nonce")
        } else {
            try check(field("response_type") == "code", "response_type is not code")
            try check(scopes.contains("openid"), "no scope openid")
        }
        if kind == .apple, scopes.contains("name") || scopes.contains("email") {
            try check(mode == "form_post", "response_mode must be form_post when name or email scope is requested.")
        }
        try check(field("code_challenge_method") == "S256", "code_challenge_method is not S256")
        try check(field("code_challenge")?.count == 43, "no code_challenge of 43 characters")
        guard let redirectURI = field("redirect_uri"), let state = field("state"), !state.isEmpty else {
            throw ProbeFailure("authorize: no redirect_uri or no state")
        }
        let registered = self.state.withLock { $0.redirectURIs }
        try check(registered.isEmpty || registered.contains(redirectURI), "redirect_uri is \(redirectURI)")
        try check(field("max_age").map { Int($0) != nil } ?? true, "max_age is not a number")
        return StandInRequest(
            redirectURI: redirectURI, state: state, nonce: field("nonce"), challenge: field("code_challenge"),
            isFormPost: mode == "form_post", scopes: scopes, prompt: field("prompt"),
            maxAge: field("max_age").flatMap { Int($0) }, loginHint: field("login_hint"))
    }

    func answer(to request: StandInRequest, isAllowed: Bool = true) throws -> StandInAnswer {
        var fields: [(String, String)] = []
        if isAllowed {
            let code = "code-\(Self.random(16))"
            let isFirst = state.withLock { state in
                state.grants[code] = StandInGrant(request: request, user: authenticated(state.user, request))
                return state.knownSubjects.insert(state.user.subject).inserted
            }
            fields.append(("code", code))
            if kind == .apple, isFirst, let text = try appleUser(request) { fields.append(("user", text)) }
        } else {
            fields.append(("error", kind == .apple ? "user_cancelled_authorize" : "access_denied"))
        }
        fields.append(("state", request.state))
        if namesItself { fields.append(("iss", issuer)) }
        return StandInAnswer(redirectURI: request.redirectURI, isFormPost: request.isFormPost, fields: fields)
    }

    /// The user, signed in again where the request asks for it.
    private func authenticated(_ user: User, _ request: StandInRequest) -> User {
        var user = user
        if request.prompt == "login" || request.maxAge == 0 {
            user.authTime = clock.now()
        } else if request.maxAge != nil, user.authTime == nil {
            user.authTime = clock.now()
        }
        return user
    }

    // MARK: In a browser

    /// Asks the user: a form with the buttons Continue (`#continue`) and Cancel (`#cancel`).
    func consentPage(_ request: Request) throws -> Answer {
        let wanted = try authorizationRequest(request.fields)
        let id = Self.random(16)
        let user = state.withLock { state in
            state.pending[id] = wanted
            return state.user
        }
        return .page(
            "Sign in at the stand-in",
            """
            <h1>Sign in at the stand-in</h1><p>\(StandInPages.text(user.email ?? user.subject))</p>
            <form method="post" action="\(path(of: .decide) ?? "")"><input type="hidden" name="id" value="\(id)">
            <button id="continue" name="decision" value="continue">Continue</button>
            <button id="cancel" name="decision" value="cancel">Cancel</button></form>
            """)
    }

    func decision(_ request: Request) throws -> Answer {
        guard request.method == "POST", let id = request.field("id"),
            let wanted = state.withLock({ $0.pending.removeValue(forKey: id) })
        else { throw ProbeFailure("no such page") }
        let answer = try answer(to: wanted, isAllowed: request.field("decision") == "continue")
        return answer.isFormPost ? StandInPages.formPost(answer) : .redirect(to: answer.address)
    }
}

/// The HTML of a ``StandInProvider``.
enum StandInPages {
    static func text(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    /// A page that posts the answer by itself; without JavaScript by its button (OAuth 2.0 Form Post Response Mode).
    static func formPost(_ answer: StandInAnswer) -> BackChannelStub.Answer {
        let inputs = answer.fields.map {
            "<input type=\"hidden\" name=\"\(text($0.0))\" value=\"\(text($0.1))\">"
        }
        return .page(
            "Back",
            """
            <form method="post" action="\(text(answer.redirectURI))">\(inputs.joined())
            <noscript><button id="back">Continue</button></noscript></form>
            <script>document.forms[0].submit()</script>
            """)
    }
}
