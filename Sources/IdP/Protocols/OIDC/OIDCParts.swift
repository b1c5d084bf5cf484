import HTTPTypes
import Hummingbird
import IdPAuthorization
import IdPClients
import IdPFlow
import IdPSigningKeys
import Logging
import SSOShared
import SSOWeb
import Storage

/// What the endpoints of OpenID Connect share.
struct OIDCParts: Sendable {
    /// The most bytes of a client's form, and of a token in it: a longer one is unknown like any other.
    static let longestForm = 16 << 10
    /// The name of this provider, the same bytes everywhere.
    let issuer: String
    let keys: SigningKeys
    let tokens: OIDCTokens
    let authentication: ClientAuthentication
    /// How often one network may present in a second what a public client has used up, beyond the limit.
    let spentGrants: NetworkLimit
    let grants: GrantStore
    let lifetime: SessionLifetime
    let randomness: any Randomness
    let clients: ClientDirectory
    let database: any Database
    let clock: ServiceClock
    let questions: SessionQuestions

    init(_ parts: SharedParts, _ grants: GrantStore, keys: SigningKeys) {
        (issuer, self.keys, self.grants) = (parts.origin.text, keys, grants)
        tokens = OIDCTokens(eligibility: parts.eligibility, keys: parts.keys)
        authentication = ClientAuthentication(clients: parts.clients, networks: parts.signerNetworks())
        spentGrants = NetworkLimit(20, per: .seconds(1), clock: parts.clock)
        (lifetime, randomness, clients) = (parts.sessions.store.lifetime, parts.randomness, parts.clients)
        (database, clock) = (parts.database, parts.clock)
        questions = SessionQuestions(sessions: parts.sessions, accounts: parts.accounts, clients: parts.clients)
    }

    /// The client as it is registered now; nil if it, or what it has proven itself with, was dropped since its request was checked.
    func registered(
        _ client: ClientAuthentication.Proven, _ connection: any SQLConnection
    ) throws -> Client? {
        let registered = try clients.registered(connection).client(id: client.client.id)
        return registered.flatMap { client.isStill($0) ? $0 : nil }
    }

    /// Answers the form of a client that has proven itself. Where a request is refused that no transaction has looked at, the
    /// client is compared before: it, or what it has proven itself with, may have been dropped by then.
    func answerForm(
        _ request: Request, _ context: VisitorContext,
        _ answer: (ClientAuthentication.Proven, RequestParameters) async throws -> Response
    ) async throws -> Response {
        let parameters = RequestParameters(try await request.formFields(atMost: Self.longestForm))
        let client = try await authentication.client(of: request, parameters, context)
        do { return try await answer(client, parameters) } catch let error as OAuthError {
            if !error.isAudited {
                // Anybody can name a public client.
                await clients.renew(for: request, context, isKnown: client.use != nil)
                try clients.checkCompared()
                guard clients.client(id: client.client.id).map(client.isStill) == true else {
                    throw OAuthError.dropped(client)
                }
            }
            throw authentication.counting(error, of: client)
        }
    }

    /// Declares an endpoint for programs: errors are JSON.
    ///
    /// - Parameter ofPages: whether pages of registered origins may call it. They never bring a cookie, because the answer does not
    ///   allow credentials.
    func addEndpoint(
        _ methods: [HTTPRequest.Method], at path: String, to router: inout FeatureRouter, ofPages: Bool = true,
        use handler: @escaping @Sendable (Request, VisitorContext) async throws -> Response
    ) {
        router.endpoint(
            methods + (ofPages ? [.options] : []), at: path,
            refusing: { allowed in
                var response = OAuthError(
                    "invalid_request", .methodNotAllowed, cause: "method", "The method is not allowed."
                ).response
                response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
                return response
            }
        ) { request, context in
            guard ofPages else { return await answer(request, context, handler) }
            let origin = await allowedOrigin(of: request, context)
            guard request.method != .options else {
                return Preflight.answer(
                    to: request, methods, from: origin, headers: ["Authorization", "Content-Type"])
            }
            var response = await answer(request, context, handler)
            response.headers[.vary] = "Origin"
            guard let origin else { return response }
            response.headers[.accessControlAllowOrigin] = origin
            // The reason of a refused access token (RFC 6750 3).
            response.headers[.accessControlExposeHeaders] = "WWW-Authenticate"
            return response
        }
    }

    private func answer(
        _ request: Request, _ context: VisitorContext,
        _ handler: @Sendable (Request, VisitorContext) async throws -> Response
    ) async -> Response {
        do { return try await handler(request, context) } catch let error as OAuthError {
            return error.answer(context)
        } catch let error as PublicError {
            return OAuthError(
                "invalid_request", error.status, cause: error.cause ?? error.code, "The request cannot be read."
            ).answer(context)
        } catch let error where error.isMalformedHTTP {
            return OAuthError("invalid_request", cause: "not_http", "The body is not HTTP, or it was cut off.").answer(
                context)
        } catch {
            context.record(Event(.tokenRequestFailed, cause: "\(error)"))
            return OAuthError.unavailable(after: error).response
        }
    }

    /// The request's origin if a client has it: by the origins of this moment, because a preflight is no transaction, and the
    /// program of a page only refreshes its tokens.
    private func allowedOrigin(of request: Request, _ context: VisitorContext) async -> String? {
        guard let origin = request.headers[.origin] else { return nil }
        func isRegistered() -> Bool {
            clients.all.contains { $0.oidc?.origins.contains { $0.utf8.elementsEqual(origin.utf8) } == true }
        }
        await clients.renew(for: request, context, isKnown: isRegistered())
        return isRegistered() ? origin : nil
    }
}
