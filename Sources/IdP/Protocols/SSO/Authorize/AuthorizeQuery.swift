import HTTPTypes
import IdPAuthorization
import IdPClients
import SSOShared
import SSOWeb

/// Owns the rule which authorize requests are accepted, which are sent back with an error, and which get an error page.
/// The browser is only ever sent to a registered redirect URI.
enum AuthorizeQuery {
    case accepted(Client, AuthorizeRequest, SignInWishes)
    case refused(AuthorizeQueryError)

    /// Whether a client or an address that was added meanwhile would make the request right.
    var mayBeOfNewClient: Bool {
        guard case .refused(let error) = self else { return false }
        return error.cause == .clientUnknown || error.cause == .redirectURINotRegistered
    }

    /// Whether the client is told of the error.
    var isSentBack: Bool {
        guard case .refused(let error) = self else { return false }
        return error.callback != nil
    }

    static func read(_ fields: URLEncodedFields, clients: ClientDirectory) -> Self {
        func refused(_ cause: AuthorizeQueryError.Cause, _ client: Client? = nil, callback: String? = nil) -> Self {
            .refused(AuthorizeQueryError(cause: cause, fields: fields, client: client, callback: callback))
        }
        let (client, redirectURI): (Client, String)
        do throws(AuthorizeQueryError.Cause) {
            client = try Self.client(fields, clients)
        } catch {
            return refused(error)
        }
        do throws(AuthorizeQueryError.Cause) {
            redirectURI = try Self.redirectURI(fields, client)
        } catch {
            return refused(error, client)
        }
        do throws(AuthorizeQueryError.Cause) {
            let state = try state(fields)
            let challenge = try challenge(fields)
            let wishes = try SignInWishes.read(fields)
            return .accepted(
                client,
                AuthorizeRequest(clientID: client.id, redirectURI: redirectURI, state: state, codeChallenge: challenge),
                wishes)
        } catch {
            let echoed = ((try? fields.bytes("state")) ?? nil).flatMap { $0.isEmpty ? nil : $0 }
            let callback = AuthorizeRequest.errorCallback(
                redirectURI: redirectURI, error: "invalid_request", description: error.explanation, state: echoed)
            return refused(error, client, callback: callback)
        }
    }

    private static func client(
        _ fields: URLEncodedFields, _ clients: ClientDirectory
    ) throws(AuthorizeQueryError.Cause) -> Client {
        let id: [UInt8]?
        do { id = try fields.bytes("client_id") } catch {
            throw error.isRepetition ? .clientRepeated : .clientMalformed
        }
        guard let id else { throw .clientMissing }
        guard let text = String(validating: id, as: UTF8.self) else { throw .clientMalformed }
        guard let client = clients.client(id: text), client.sso != nil else { throw .clientUnknown }
        return client
    }

    private static func redirectURI(
        _ fields: URLEncodedFields, _ client: Client
    ) throws(AuthorizeQueryError.Cause) -> String {
        let uri: [UInt8]?
        do { uri = try fields.bytes("redirect_uri") } catch {
            throw error.isRepetition ? .redirectURIRepeated : .redirectURIMalformed
        }
        guard let uri else { throw .redirectURIMissing }
        guard let text = String(validating: uri, as: UTF8.self) else { throw .redirectURIMalformed }
        guard client.mayReturn(to: text, by: SSOProtocol.id) else { throw .redirectURINotRegistered }
        return text
    }

    private static func state(_ fields: URLEncodedFields) throws(AuthorizeQueryError.Cause) -> String {
        let bytes: [UInt8]?
        do { bytes = try fields.bytes("state") } catch {
            throw error.isRepetition ? .stateRepeated : .stateNotASCII
        }
        guard let bytes, !bytes.isEmpty else { throw .stateMissing }
        guard bytes.count <= AuthorizeRequest.maximumStateBytes else { throw .stateTooLong }
        guard let state = String(validating: bytes, as: UTF8.self), AuthorizeRequest.isValidState(state) else {
            throw .stateNotASCII
        }
        return state
    }

    /// The optional `code_challenge` (RFC 7636), S256 only.
    private static func challenge(_ fields: URLEncodedFields) throws(AuthorizeQueryError.Cause) -> String? {
        let (given, method): (String?, String?)
        do {
            given = try fields.text("code_challenge")
            method = try fields.text("code_challenge_method")
        } catch {
            throw error.isRepetition ? .challengeRepeated : .challengeMalformed
        }
        guard let given else {
            guard method == nil else { throw .challengeMissing }
            return nil
        }
        guard method == CodeChallenge.method else { throw .challengeMethod }
        guard CodeChallenge.isWellFormedChallenge(given) else { throw .challengeMalformed }
        return given
    }
}

extension SignInWishes {
    /// The wishes of an authorize request. A value that is not understood is an error: without it a client would get another
    /// sign-in than the one it asked for.
    static func read(_ fields: URLEncodedFields) throws(AuthorizeQueryError.Cause) -> SignInWishes {
        var wishes = SignInWishes()
        if let text = try fields.wish("prompt", repeated: .promptRepeated, malformed: .promptUnknown) {
            guard let prompt = Prompt.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text) }) else {
                throw .promptUnknown
            }
            wishes.prompt = prompt
        }
        if let text = try fields.wish("max_age", repeated: .maxAgeRepeated, malformed: .maxAgeMalformed) {
            guard let seconds = wholeSeconds(text) else { throw .maxAgeMalformed }
            wishes.maxAge = .seconds(seconds)
        }
        if let text = try fields.wish("acr_values", repeated: .strengthRepeated, malformed: .strengthUnknown) {
            guard let strength = Strength.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text) }) else {
                throw .strengthUnknown
            }
            wishes.strength = strength
        }
        if let text = try fields.wish("login_hint", repeated: .loginHintRepeated, malformed: .loginHintMalformed) {
            guard let address = String(validating: text, as: UTF8.self).flatMap({ try? Entered.address($0) }) else {
                throw .loginHintMalformed
            }
            wishes.loginHint = address.text
        }
        return wishes
    }

    /// Zero to ``longestMaxAge``, in ASCII digits only: `Int` also reads a sign, and other libraries a fraction.
    private static func wholeSeconds(_ text: [UInt8]) -> Int? {
        guard (1...10).contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        let seconds = text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return seconds <= longestMaxAge ? seconds : nil
    }
}

extension URLEncodedFields {
    fileprivate func wish(
        _ name: String, repeated: AuthorizeQueryError.Cause, malformed: AuthorizeQueryError.Cause
    ) throws(AuthorizeQueryError.Cause) -> [UInt8]? {
        do { return try bytes(name) } catch { throw error.isRepetition ? repeated : malformed }
    }
}
