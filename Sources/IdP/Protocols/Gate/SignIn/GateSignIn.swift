import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// What the browser does on the host of a service below `/.sso/`: begins to sign in, comes back, signs out.
struct GateSignIn: Sendable {
    let parts: GateParts
    /// The origin of this program.
    let origin: String

    func addRoutes(to router: inout FeatureRouter) {
        router.request(at: GatePath.route("start")) { try await answer($0, $1, start) }
        router.request(at: GatePath.route("callback"), hasToken: true) { try await answer($0, $1, callback) }
        router.check([.post], at: GatePath.route("sign-out")) { try await answer($0, $1, signOut) }
    }

    private typealias Handler = (Request, VisitorContext, Client, GateSettings) async throws -> Response

    /// Answers a request that a declared proxy has sent, for the origin of the client.
    private func answer(_ request: Request, _ context: VisitorContext, _ handler: Handler) async throws -> Response {
        do {
            let (client, gate) = try await parts.client(of: request, context, comparing: true)
            guard AskedRequest.mayBe(request, at: gate.origin.text) else {
                throw GateRefusal("origin", client: client.id)
            }
            var response = try await handler(request, context, client, gate)
            response.headers[.cacheControl] = "no-store"
            response.headers[.referrerPolicy] = "no-referrer"
            return response
        } catch let error as GateRefusal { return parts.refuse(error, context) }
    }

    private func start(
        _ request: Request, _ context: VisitorContext, _ client: Client, _ gate: GateSettings
    ) async throws -> Response {
        let returnTo = ReturnAddress((try? request.queryFields.text("to")) ?? nil)
        // Tabs share what the browser keeps. A grant is for it, and for one use.
        let verifier = try Self.verifier(request, gate) ?? CodeChallenge.makeVerifier(randomness: parts.randomness)
        let sent = GateRequest(
            state: Base64URL.encode(try parts.randomness.bytes(16)), challenge: CodeChallenge.s256(verifier),
            returnTo: returnTo, isAgain: GateRequest.isAgain(request.queryFields))
        var response = Response.redirect(to: origin + sent.address(client: client.id), type: .found)
        gate.stateCookie.set(verifier, in: &response)
        return response
    }

    /// What the browser was given at ``start(_:_:_:_:)``; nil without it, and where two hosts have set one.
    private static func verifier(_ request: Request, _ gate: GateSettings) -> String? {
        gate.stateCookie.value(in: request).map(String.init).flatMap {
            CodeChallenge.isWellFormedChallenge($0) ? $0 : nil
        }
    }

    private func callback(
        _ request: Request, _ context: VisitorContext, _ client: Client, _ gate: GateSettings
    ) async throws -> Response {
        let fields = request.queryFields
        let returnTo = ReturnAddress((try? fields.text("to")) ?? nil)
        func failed(_ reason: GrantErrorCause) async throws -> Response {
            // The row was written with the refusal.
            try await failed(reason.rawValue, in: .log, beginsAgain: reason == .verifierWrong)
        }
        func failed(
            _ reason: String, in places: Event.Places = .all, beginsAgain: Bool = false
        ) async throws -> Response {
            // The address of a sign-in that is done, once more.
            if try await isSignedIn(request, client, gate) { return .redirect(to: gate.origin.text + returnTo.text) }
            context.record(Event(.gateRefused, by: .visitor, client: client.id, cause: reason).only(in: places))
            // Two tabs began at the same time, and the browser keeps the cookie of one. The other tab begins once more, with it.
            if beginsAgain, !GateRequest.isAgain(fields) {
                return .redirect(to: gate.start(to: returnTo) + GateRequest.again)
            }
            return parts.page.failed(request, client, gate, returnTo)
        }
        guard let verifier = Self.verifier(request, gate) else { return try await failed("state") }
        guard let text = try? fields.text("grant"), let grant = Secret<GateGrantKind>(wire: text) else {
            return try await failed(fields.count("error") > 0 ? "given_up" : "malformed_token")
        }
        let (id, now) = (try GateSessionID(randomness: parts.randomness), parts.clock.now())
        let effects = GrantStore.Effects<ReturnAddress>(
            accepted: { account, redeemed, client, connection in
                _ = try Usernames.name(of: account, parts.randomness, connection)
                try parts.store.insert(
                    id, client: client.id, account: account.id, redeemed.signIn, at: now, connection)
                return GateRequest(payload: redeemed.payload)?.returnTo ?? .root
            }, repeated: { _, _, _ in })
        let outcome = try await parts.grants.consume(
            GrantStore.Presented(
                grant, GateProtocol.grantKind, by: client, returnTo: gate.callback, codeVerifier: verifier,
                context.audit,
                whereStill: { $0.gate != nil }), parts.sessions.lifetime, effects)
        switch outcome {
        case .accepted(_, _, let returnTo):
            var response = Response.redirect(to: gate.origin.text + returnTo.text)
            gate.sessionCookie.set(id.wire, in: &response)
            return response
        case .refused(let error): return try await failed(error.cause)
        case .burnt: return try await failed(.otherClient)
        case .clientDropped: throw GateRefusal("client_unknown", client: client.id)
        }
    }

    private func isSignedIn(_ request: Request, _ client: Client, _ gate: GateSettings) async throws -> Bool {
        guard let id = gate.sessionCookie.value(in: request).flatMap({ GateSessionID(wire: String($0)) }) else {
            return false
        }
        let now = parts.clock.now()
        return try await parts.database.read { [store = parts.store] in
            try store.find(id, at: client.id, now: now, $0) != nil
        }
    }

    /// Ends the session at this service. The one here goes on, and the page leads to it.
    private func signOut(
        _ request: Request, _ context: VisitorContext, _ client: Client, _ gate: GateSettings
    ) async throws -> Response {
        guard Self.isOfService(request, gate) else { throw GateRefusal("cross_site", client: client.id) }
        if let id = gate.sessionCookie.value(in: request).flatMap({ GateSessionID(wire: String($0)) }) {
            try await parts.database.write { [store = parts.store] connection in
                guard let ended = try store.end(id, at: client.id, connection) else { return }
                try context.record(
                    Event(
                        .gateSignedOut, by: .user(ended.account), account: ended.account, client: client.id,
                        session: ended.session), connection)
            }
        }
        var response = parts.page.signedOut(request, client, gate)
        gate.sessionCookie.clear(in: &response)
        return response
    }

    /// Whether a page of the service sent a form. A browser that says nothing of that names the origin.
    private static func isOfService(_ request: Request, _ gate: GateSettings) -> Bool {
        let site = request.headers[values: .secFetchSite]
        guard site.isEmpty else { return site == ["same-origin"] || site == ["none"] }
        return request.headers[values: .origin].allSatisfy { $0.utf8.elementsEqual(gate.origin.text.utf8) }
    }
}
