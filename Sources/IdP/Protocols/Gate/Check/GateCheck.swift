import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import IdPSignOut
import IdPSigningKeys
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/gate/CLIENT/check`: a proxy asks whether a request to a service may pass, and as whose.
///
/// The client stands in the file of the proxy, and its origin must be the one that the proxy names. No rule looks at the path.
struct GateCheck: Sendable {
    let parts: GateParts
    let decision: GateDecision
    let tokens: GateTokens

    func addRoutes(to router: inout FeatureRouter) {
        router.check(at: GatePath.route("check")) { request, context in
            do { return try await answer(request, context) } catch let error as GateRefusal {
                return parts.refuse(error, context)
            }
        }
    }

    /// - Parameter isAgain: whether the client's entry was compared with the database, because nothing else of the request is, or
    ///   because it has changed while the request was read.
    private func answer(
        _ request: Request, _ context: VisitorContext, isAgain: Bool = false
    ) async throws -> Response {
        let (client, gate) = try await parts.client(of: request, context, comparing: isAgain)
        let asked = AskedRequest(request, at: gate.origin, served: context.unservedMethod)
        let credential = GateCredential(request, gate)
        guard isAgain || asked != nil && credential.isLookedUp else {
            return try await answer(request, context, isAgain: true)
        }
        guard let asked else { throw GateRefusal("origin", client: client.id) }
        if let name = ForgedIdentity.name(in: request.headers) {
            throw GateRefusal("forged_identity", client: client.id, forged: name)
        }
        guard !asked.isForeignChange else { throw GateRefusal("cross_site", client: client.id) }
        let now = parts.clock.now()
        switch try await decide(credential, at: client.id, gate, now: now) {
        case .passes(let passed):
            await note(passed.use, now: now, context)
            return Response(
                status: .ok, headers: try tokens.fields(passed.identity, passed.signer, at: now))
        case .unknown:
            return try unknown(credential, asked, client, gate, request, context)
        case .noAccess:
            context.record(Event(.gateRefused, by: .visitor, client: client.id, cause: "no_access"))
            return parts.page.noAccess(request, client, gate)
        case .clientDropped: throw GateRefusal("client_unknown", client: client.id)
        case .entryChanged:
            guard !isAgain else { throw GateRefusal("client_unknown", client: client.id) }
            return try await answer(request, context, isAgain: true)
        }
    }

    private func decide(
        _ credential: GateCredential, at client: String, _ gate: GateSettings, now: Timestamp
    ) async throws -> GateAnswer {
        guard credential.isLookedUp else { return .unknown }
        try await decision.keys.prepare(.es256)
        // What another process has changed is read with the rest, and known here afterwards.
        let atOnce = try parts.database.readAtOnce { connection in
            try parts.clients.mark(connection).map {
                try decision.answer(
                    credential, at: client, of: parts.clients.registered(at: $0, connection), read: gate, now: now,
                    connection)
            }
        }
        if let atOnce { return atOnce }
        return try await parts.clients.read(parts.database) { [decision, clients = parts.clients] in
            try decision.answer(
                credential, at: client, of: clients.registered($0), read: gate, now: now, $0)
        }
    }

    /// A full disk must not keep out a user who is signed in. A session that is not touched ends earlier.
    private func note(_ use: GateAnswer.Use, now: Timestamp, _ context: VisitorContext) async {
        do {
            switch use {
            case .session(let handle, let seenAt): try await parts.sessions.touch(handle: handle, seenAt: seenAt)
            case .key(let id, let usedAt):
                guard usedAt.map({ now - $0 >= .minutes(1) }) ?? true else { return }
                let network = context.audit?.network
                try await parts.database.write { try AppKeyStore.noteUse(of: id, network: network, at: now, $0) }
            }
        } catch {
            context.logger.record(Event(.sessionTouchFailed, cause: "\(error)"))
        }
    }

    /// The answer to a request without a session, or with a key that does not hold.
    private func unknown(
        _ credential: GateCredential, _ asked: AskedRequest, _ client: Client, _ gate: GateSettings,
        _ request: Request, _ context: VisitorContext
    ) throws -> Response {
        switch credential {
        case .key: return refuse(key: "unknown", asked, client, request, context)
        case .unreadableKey(let reason): return refuse(key: reason, asked, client, request, context)
        case .none, .session: break
        }
        guard asked.isNavigation else { return unauthenticated(asked, gate, client) }
        guard asked.method == .get else {
            return [.head, .options, .trace].contains(asked.method)
                ? unauthenticated(asked, gate, client) : parts.page.ended(request, client, gate)
        }
        let wants401 = request.queryFields.texts("unauthorized") == ["401"]
        var response = wants401 ? unauthenticated(asked, gate, client) : Response.redirect(to: "", type: .found)
        response.headers[.location] = gate.start(to: asked.address)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private func refuse(
        key reason: String, _ asked: AskedRequest, _ client: Client, _ request: Request, _ context: VisitorContext
    ) -> Response {
        // Beyond the limit of a network the answer is the same, and nothing is recorded.
        let address = parts.addresses.countedAddress(of: request, peer: context.peer)
        if address.map({ parts.wrongKeys.hit($0) == nil }) ?? true {
            context.record(Event(.appKeyRefused, by: .visitor, client: client.id, cause: reason))
        }
        return GateRefusal.unauthenticated
    }

    /// Asks programs for a key, where there are keys. A browser would open a window of its own for it.
    private func unauthenticated(_ asked: AskedRequest, _ gate: GateSettings, _ client: Client) -> Response {
        var response = GateRefusal.unauthenticated
        if gate.takesAppKeys, !asked.isOfBrowser, !asked.isNavigation {
            response.headers[.wwwAuthenticate] = "Basic realm=\"\(client.id)\", charset=\"UTF-8\""
        }
        return response
    }
}
