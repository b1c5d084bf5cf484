import Foundation
import IdPAuthorization
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb

/// What an authentication request asks for, beside its client and redirect URI (OpenID Connect Core 3.1.2.1). It waits with the
/// flow and stays with the code.
struct OIDCRequest: Sendable, Equatable {
    static let longestState = 4096
    static let longestNonce = 512

    /// Those that the client may ask for.
    var scopes: [OIDCScope]
    var state: String?
    var nonce: String?
    var codeChallenge: String?
    var mode = ResponseMode.query
    /// The language that the client asks for; nil for the browser's.
    var language: Language?

    init(scopes: [OIDCScope], state: String? = nil, nonce: String? = nil, codeChallenge: String? = nil) {
        (self.scopes, self.state, self.nonce, self.codeChallenge) = (scopes, state, nonce, codeChallenge)
    }

    // MARK: As a payload

    /// Four lines, or five where not everything is as usual: none of the values has a line end.
    var payload: String {
        let lines = [OIDCScope.text(scopes), codeChallenge ?? "", nonce ?? "", state ?? ""]
        let isUsual = mode == .query && language == nil
        return (lines + (isUsual ? [] : ["\(mode.rawValue) \(language?.rawValue ?? "")"])).joined(separator: "\n")
    }

    init?(payload: String) {
        let lines = payload.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard (4...5).contains(lines.count) else { return nil }
        func optional(_ text: String) -> String? { text.isEmpty ? nil : text }
        scopes = OIDCScope.list(lines[0])
        (codeChallenge, nonce, state) = (optional(lines[1]), optional(lines[2]), optional(lines[3]))
        guard lines.count == 5 else { return }
        let words = lines[4].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, let mode = ResponseMode(rawValue: words[0]) else { return nil }
        (self.mode, language) = (mode, Language(rawValue: words[1]))
    }

    // MARK: As an address

    /// The same request at the authorization endpoint.
    ///
    /// - Parameters:
    ///   - strength: that the sign-in must have at least; nil where any will do.
    ///   - further: what is not part of the request, such as the flow that it goes on with.
    func address(
        _ client: String, _ returnTo: String, needing strength: Strength?, _ further: [(String, String)]
    ) -> String {
        var items = [
            ("client_id", client), ("redirect_uri", returnTo), ("response_type", "code"),
            ("scope", OIDCScope.text(scopes)),
        ]
        if let state { items.append(("state", state)) }
        if let nonce { items.append(("nonce", nonce)) }
        if let codeChallenge {
            items += [("code_challenge", codeChallenge), ("code_challenge_method", CodeChallenge.method)]
        }
        if mode != .query { items.append(("response_mode", mode.rawValue)) }
        if let language { items.append(("ui_locales", language.rawValue)) }
        if let strength { items.append(("acr_values", strength.rawValue)) }
        return OIDCPath.authorize + "?" + PercentCoding.query(items + further)
    }

    /// Whether the request can arrive once more after a sign-in: its address is encoded more strictly than browsers do it.
    func canComeAgain(_ client: String, _ returnTo: String) -> Bool {
        let flow = ("flow", String(repeating: "x", count: FlowID.length))
        return address(client, returnTo, needing: .phr, [flow, ("prompt", "select_account")]).utf8.count
            <= RequestLimits.target
    }

    /// Equal for two requests that are the same one. Without `state` and `nonce` nothing tells one from another. A code is of use
    /// to the verifier of its challenge alone, so requests with two challenges are two.
    var replayKey: [UInt8]? {
        guard state != nil || nonce != nil else { return nil }
        return SHA256.hash("\(state ?? "")\n\(nonce ?? "")\n\(codeChallenge ?? "")")
    }
}

extension OIDCScope {
    static func text(_ scopes: [OIDCScope]) -> String { scopes.map(\.rawValue).joined(separator: " ") }

    /// The known ones of a list, each once, in their order. Unknown ones are left out (OpenID Connect Core 3.1.2.1).
    static func list(_ text: String) -> [OIDCScope] {
        let words = Set(text.split(separator: " ").map { Array($0.utf8) })
        return allCases.filter { words.contains(Array($0.rawValue.utf8)) }
    }
}

/// Why an authentication request is refused, after its client and redirect URI are known to belong together.
struct OIDCRequestError: Error {
    /// The `error` of the answer (RFC 6749 4.1.2.1, OpenID Connect Core 3.1.2.6).
    let code: String
    /// A stable id for the log.
    let cause: String
    /// One ASCII sentence for the client's developer.
    let explanation: String

    init(_ code: String, cause: String, _ explanation: String) {
        (self.code, self.cause, self.explanation) = (code, cause, explanation)
    }

    init(_ error: ParameterError) { self.init("invalid_request", cause: error.cause, error.explanation) }
}

/// Reads the parameters of an authentication request.
struct OIDCRequestReader {
    let parameters: RequestParameters
    let client: Client
    let settings: OIDCSettings
    /// The registered redirect URI of the request.
    let returnTo: String
    /// Those that `ui_locales` may name.
    let languages: Languages

    /// Known, and read by no code.
    private static let withoutEffect = ["claims", "claims_locales", "display", "registration"]

    /// What is asked of the sign-in, and by which hint.
    struct Asked {
        var request: OIDCRequest
        var wishes: SignInWishes
        /// An ID token of this provider, not checked yet.
        var hint: String?
        var flow: FlowID?
    }

    func read() throws(OIDCRequestError) -> Asked {
        do {
            try refuseRequestObjects()
            try parameters.refuseUnclear(Self.withoutEffect)
            let state = try state()
            let type = try parameters.required("response_type")
            guard type.utf8.elementsEqual("code".utf8) else {
                throw OIDCRequestError(
                    "unsupported_response_type", cause: "response_type", "response_type must be code")
            }
            let mode = try mode()
            let scopes = OIDCScope.list(try parameters.text("scope") ?? "")
            guard scopes.contains(.openid) else {
                throw OIDCRequestError("invalid_scope", cause: "scope", "scope must contain openid")
            }
            var request = OIDCRequest(
                scopes: scopes.filter(settings.scopes.contains), state: state, nonce: try nonce(),
                codeChallenge: try challenge())
            (request.mode, request.language) = (mode, try parameters.text("ui_locales").flatMap(languages.first(of:)))
            guard request.canComeAgain(client.id, returnTo) else {
                throw OIDCRequestError(
                    "invalid_request", cause: "request_too_long",
                    "the request is too long: send a shorter state or redirect_uri")
            }
            return Asked(
                request: request, wishes: try wishes(), hint: try parameters.text("id_token_hint", longest: 8192),
                flow: try parameters.text("flow").flatMap(FlowID.init))
        } catch let error as ParameterError {
            throw OIDCRequestError(error)
        } catch let error as OIDCRequestError {
            throw error
        } catch {
            throw OIDCRequestError("invalid_request", cause: "unknown", "the request cannot be read")
        }
    }

    /// OpenID Connect Core 6. Nothing is ever fetched.
    private func refuseRequestObjects() throws {
        guard !parameters.isGiven("request_uri") else {
            throw OIDCRequestError(
                "request_uri_not_supported", cause: "request_uri", "request_uri is not supported: send the parameters")
        }
        guard !parameters.isGiven("request") else {
            throw OIDCRequestError(
                "request_not_supported", cause: "request", "request is not supported: send the parameters")
        }
    }

    /// How the answer to a request goes back that is refused: as it asks, where that can be read.
    var modeOfRefusal: ResponseMode { (try? mode()) ?? .query }

    private func mode() throws(ParameterError) -> ResponseMode {
        guard let text = try parameters.text("response_mode") else { return .query }
        guard let mode = ResponseMode(rawValue: text) else {
            throw ParameterError("response_mode", .wrong("query or form_post"))
        }
        guard mode.fits(returnTo) else {
            throw ParameterError("response_mode", .wrong("query: only http and https take a form"))
        }
        return mode
    }

    private func state() throws(ParameterError) -> String? {
        guard let state = try parameters.text("state", longest: OIDCRequest.longestState) else { return nil }
        guard state.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw ParameterError("state", .wrong("printable ASCII"))
        }
        return state
    }

    private func nonce() throws(ParameterError) -> String? {
        guard let nonce = try parameters.text("nonce", longest: OIDCRequest.longestNonce) else { return nil }
        guard nonce.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw ParameterError("nonce", .wrong("a text without control characters"))
        }
        return nonce
    }

    /// RFC 7636 4.3, S256 only.
    private func challenge() throws(ParameterError) -> String? {
        let method = try parameters.text("code_challenge_method")
        guard let challenge = try parameters.text("code_challenge") else {
            guard method == nil, !settings.requiresChallenge else { throw ParameterError("code_challenge", .missing) }
            return nil
        }
        guard method == CodeChallenge.method else { throw ParameterError("code_challenge_method", .wrong("S256")) }
        guard CodeChallenge.isWellFormedChallenge(challenge) else {
            throw ParameterError("code_challenge", .wrong("43 base64url characters, the SHA-256 of the verifier"))
        }
        return challenge
    }

    /// `prompt` is a list. `consent` and unknown values have no effect, and so has a hint that is no address.
    private func wishes() throws(ParameterError) -> SignInWishes {
        var wishes = SignInWishes()
        let prompts = Set((try parameters.text("prompt") ?? "").split(separator: " ").map(String.init))
        if prompts.contains("none") {
            guard prompts.count == 1 else { throw ParameterError("prompt", .wrong("none alone, or other values")) }
            wishes.prompt = .silent
        } else if prompts.contains("login") {
            wishes.prompt = .login
        } else if prompts.contains("select_account") {
            wishes.prompt = .selectAccount
        }
        if let text = try parameters.text("max_age") {
            guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit), let seconds = Int(text),
                seconds <= SignInWishes.longestMaxAge
            else {
                throw ParameterError("max_age", .wrong("a whole number of seconds up to \(SignInWishes.longestMaxAge)"))
            }
            wishes.maxAge = .seconds(seconds)
        }
        // A list in the order of preference. Of the values that are known, the least one does (OpenID Connect Core 3.1.2.1).
        let classes = (try parameters.text("acr_values") ?? "").split(separator: " ").compactMap {
            Strength(rawValue: String($0))
        }
        wishes.strength = classes.min()
        wishes.loginHint = try parameters.text("login_hint").flatMap { try? Entered.address($0).text }
        return wishes
    }
}
