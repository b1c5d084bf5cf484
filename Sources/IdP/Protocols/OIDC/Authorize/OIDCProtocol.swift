import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPAuthorization
import IdPClients
package import IdPFlow
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// The kind of an OpenID Connect code: `soc_…`.
package enum OIDCCodeKind: SecretKind {
    package static let prefix = "soc_"
}

/// OpenID Connect with the authorization code flow (OpenID Connect Core 3.1).
package struct OIDCProtocol: ClientProtocol {
    package typealias Settings = OIDCSettings
    /// A client redeems a code at once. RFC 6749 4.1.2 recommends ten minutes at most.
    package static let grantKind = GrantKind(
        id: id, secret: OIDCCodeKind.self, lifetime: .seconds(60), needsReturnAddress: true, keepsPayload: true,
        refused: .tokenRequestRefused)
    package let authorizer: Authorizer
    let page: CompletionPage
    let form: FormPostPage
    let issuer: String
    let hints: IDTokenHints
    let languages: Languages

    package let resumePath = OIDCPath.complete
    package let questionRefusal = AuthorizationError.interactionRequired
    package var answering: ClientAnswer { .grant(Self.grantKind, answer) }

    package func addRoutes(to router: inout FeatureRouter) {
        router.request([.get, .post], at: OIDCPath.authorize, inFrames: answerFrame) {
            $0.method == .post ? try await OIDCPath.again($0, OIDCPath.authorize) : try await authorize($0, $1)
        }
    }

    /// A client asks in a frame whether its user is still signed in (OpenID Connect Core 3.1.2.6). Only what is answered by a
    /// redirect is let through.
    @Sendable private func answerFrame(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let again = request.method == .post ? try await OIDCPath.again(request, OIDCPath.authorize) : nil
        let sent = again?.headers[.location].map { URLEncodedFields(Array($0.utf8.drop { $0 != 0x3f }.dropFirst())) }
        let fields = sent ?? request.queryFields
        // A wrong request is answered by a redirect as well.
        let prompts = fields.texts("prompt").flatMap { $0.split(separator: " ") }
        guard prompts.contains("none"), !fields.texts("response_mode").contains("form_post") else {
            throw FlowError.notAPage
        }
        return if let again { again } else { try await authorize(request, context) }
    }

    /// The client and its redirect URI: without both there is a page, never a redirect.
    private struct Registered {
        let client: Client
        let settings: OIDCSettings
        let returnTo: String
    }

    @Sendable private func authorize(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let (parameters, version) = (RequestParameters(request.queryFields), authorizer.clients.version)
        let registered: Registered
        do {
            registered = try await self.registered(parameters, request, context)
        } catch let error as ParameterError {
            log(error.cause, error.explanation, parameters, nil, context)
            throw error.kind == .malformed ? PublicError.unreadable(error.name).logged : FlowError.unknownClient
        }
        let (client, returnTo) = (registered.client, registered.returnTo)
        let asked: OIDCRequestReader.Asked
        let reader = OIDCRequestReader(
            parameters: parameters, client: client, settings: registered.settings, returnTo: returnTo,
            languages: languages)
        // A form is shown to a user.
        guard reader.modeOfRefusal == .query || request.isTopLevelNavigation else { throw FlowError.notAPage }
        do throws(OIDCRequestError) { asked = try reader.read() } catch {
            return try await refuse(error, registered, at: version, reader, request, context)
        }
        let hint = try await hints.hint(asked.hint)
        var wishes = asked.wishes
        if let hint, let email = await hints.email(of: hint, for: client, context.logger) { wishes.loginHint = email }
        if asked.hint != nil, hint == nil {
            // It names a user who is not known here: no code without a question, which could be that of another one.
            guard wishes.prompt != .silent else {
                let error = OIDCRequestError(
                    "login_required", cause: "id_token_hint_wrong", "id_token_hint is no ID token of this provider")
                return try await refuse(error, registered, at: version, reader, request, context)
            }
            wishes.prompt = wishes.prompt ?? .selectAccount
        }
        // Where any program may listen, a page is shown each time: only the flow itself goes on without one.
        let isForAnyProgram = client.isForAnyProgram(at: returnTo)
        return try await authorizer.authorize(
            ClientRequest(
                client: client, returnTo: returnTo, wishes: wishes,
                replayKey: isForAnyProgram ? nil : asked.request.replayKey,
                codeChallenge: asked.request.codeChallenge, payload: asked.request.payload, resuming: asked.flow,
                expectedAccount: hint?.account), by: self, request, context)
    }

    /// Takes the browser back with what is wrong with its request.
    ///
    /// - Parameter version: of the clients, before the request was read.
    private func refuse(
        _ error: OIDCRequestError, _ registered: Registered, at version: Int, _ reader: OIDCRequestReader,
        _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        await authorizer.clients.renew()
        // A command may have removed the address, or the reason: the request is read again.
        guard authorizer.clients.version == version else { return try await authorize(request, context) }
        log(error.cause, error.explanation, reader.parameters, registered.client, context)
        let state = reader.parameters.readable("state").flatMap { Self.echo($0) }
        return back(
            [("error", error.code), ("error_description", error.explanation)], state: state,
            by: reader.modeOfRefusal, to: registered.returnTo, of: registered.client, request)
    }

    /// A `state` that is sent back: one that may be sent.
    private static func echo(_ state: [UInt8]) -> String? {
        guard (1...OIDCRequest.longestState).contains(state.count), state.allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        return String(decoding: state, as: UTF8.self)
    }

    private func registered(
        _ parameters: RequestParameters, _ request: Request, _ context: VisitorContext
    ) async throws -> Registered {
        let id = try parameters.required("client_id")
        let returnTo = try parameters.required("redirect_uri")
        func find() throws(ParameterError) -> Registered {
            guard let client = authorizer.clients.client(id: id), let settings = client.oidc else {
                throw ParameterError("client_id", .wrong("registered for OpenID Connect"))
            }
            guard settings.mayReturn(to: returnTo, of: client) else {
                throw ParameterError("redirect_uri", .wrong("registered for this client"))
            }
            return Registered(client: client, settings: settings, returnTo: returnTo)
        }
        do { return try find() } catch {
            await authorizer.clients.renew(refusing: request, context)
            return try find()
        }
    }

    private func log(
        _ cause: String, _ words: String, _ parameters: RequestParameters, _ client: Client?, _ context: VisitorContext
    ) {
        var further: Logger.Metadata = ["protocol": "\(Self.id)", "message": "\(words)"]
        if client == nil {
            let sent = parameters.readable("redirect_uri")
            if let id = parameters.readable("client_id") {
                further["sent_client_id"] = "\(SentText.clientID(id))"
                if let sent, let known = authorizer.clients.client(id: String(decoding: id, as: UTF8.self)),
                    let nearest = known.nearestRedirectURI(to: sent)
                {
                    further["nearest_redirect_uri"] = "\(nearest)"
                }
            }
            if let sent { further["sent_redirect_uri"] = "\(SentText.address(sent))" }
        }
        context.record(Event(.authorizeRefused, by: .visitor, client: client?.id, cause: cause, further))
    }

    /// Every answer names the issuer, so that a client of several providers cannot mix them up (RFC 9207).
    private func fields(_ items: [(String, String)], state: String?) -> [(String, String)] {
        items + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
    }

    private func address(_ items: [(String, String)], state: String?, to returnTo: String) -> String {
        AuthorizeRequest.adding(fields(items, state: state), to: returnTo)
    }

    /// Takes the answer to a client without a question.
    private func back(
        _ items: [(String, String)], state: String?, by mode: ResponseMode, to returnTo: String, of client: Client,
        _ request: Request
    ) -> Response {
        guard mode == .query else {
            return form.response(request, client, fields(items, state: state), to: returnTo)
        }
        var response = Response.redirect(to: address(items, state: state, to: returnTo), type: .found)
        response.headers[.cacheControl] = "no-store"
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }

    // MARK: The decision

    package func address(of flow: Flow) -> String? {
        OIDCRequest(payload: flow.payload)?.address(
            flow.subject, flow.returnTo, needing: flow.demand.strength, [("flow", flow.id.text)])
    }

    /// A page after a question, because Chromium applies the form's policy to redirects after it, and a redirect without one.
    @Sendable private func answer(
        _ grant: NewGrant, _ asked: ClientRequest, to user: SignedInUser, _ request: Request
    ) throws -> Response {
        guard let sent = OIDCRequest(payload: asked.payload) else { throw FlowError.noSuchFlow }
        let (client, code) = (asked.client, [("code", grant.wire)])
        guard grant.hasAsked, asked.wishes.prompt != .silent else {
            return back(code, state: sent.state, by: sent.mode, to: asked.returnTo, of: client, request)
        }
        let other = sent.address(
            client.id, asked.returnTo, needing: asked.wishes.strength, [("prompt", "select_account")])
        guard sent.mode == .query else {
            return form.response(
                request, client, fields(code, state: sent.state), to: asked.returnTo,
                .init(account: user.account, other: other), pace: .init(grant))
        }
        return try page.response(
            request, client: client, account: user.account,
            callback: address(code, state: sent.state, to: asked.returnTo), other: other, pace: .init(grant))
    }

    package func refuse(_ error: AuthorizationError, _ asked: ClientRequest, _ request: Request) -> Response {
        let sent = OIDCRequest(payload: asked.payload)
        return back(
            [("error", error.rawValue), ("error_description", error.explanation)], state: sent?.state,
            by: sent?.mode ?? .query, to: asked.returnTo, of: asked.client, request)
    }
}

extension AuthorizationError {
    /// One ASCII sentence for the client's developer.
    fileprivate var explanation: String {
        switch self {
        case .loginRequired: "the user has to sign in and prompt is none, or is not the user of id_token_hint"
        case .interactionRequired: "the user has to agree on a page, and prompt is none"
        case .temporarilyUnavailable:
            "the provider cannot answer now, or the browser has sent too many requests with prompt none, try again in a minute"
        case .accessDenied: "the user has given up, or may not enter this client"
        }
    }
}
