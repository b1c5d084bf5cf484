package import Hummingbird
package import IdPAccounts
package import IdPClients
package import IdPFlow
package import SSOShared
package import SSOWeb
import Storage

/// A way in which a client asks for a sign-in: SSO, OpenID Connect, later CAS.
///
/// It reads its own parameters, hands a ``ClientRequest`` to the ``Authorizer``, and turns the decision into its own answer.
/// Sessions, sign-in pages, the choice of an account and the grant are the same for all.
package protocol ClientProtocol: FlowPurpose {
    /// What it reads from a client's entry.
    associatedtype Settings: ClientProtocolSettings
    var authorizer: Authorizer { get }
    /// How it answers a browser whose user may enter the client.
    var answering: ClientAnswer { get }
    /// Declares the routes that its requests arrive at. The one at ``FlowPurpose/resumePath`` is there for all protocols.
    func addRoutes(to router: inout FeatureRouter)
    /// The address on this service at which a request of this protocol arrives once more, with all its checks.
    func address(of flow: Flow) -> String?
    /// How it calls a question that is not a sign-in, to a client that asked for none.
    var questionRefusal: AuthorizationError { get }
    /// Takes the browser back to the client without a grant.
    ///
    /// - Parameter asked: its client and return address are registered.
    func refuse(_ error: AuthorizationError, _ asked: ClientRequest, _ request: Request) -> Response
}

/// How a client protocol answers a browser whose user may enter the client.
package enum ClientAnswer: Sendable {
    /// With something that the client redeems.
    case grant(GrantKind, @Sendable (NewGrant, ClientRequest, SignedInUser, Request) throws -> Response)
    /// Through the browser alone: the answer itself tells the client who the user is. Nothing is redeemed, so the user counts as
    /// signed in at the client at once.
    case now(@Sendable (Entrance, ClientRequest, SignedInUser, Request) throws -> Response)

    /// What the client may be told beside the account.
    package struct Entrance: Sendable {
        /// The session as the client was told it first (``ClientSignIn/toldSession``).
        package let session: String
        /// Those that the client may know; nil for a client that is told none.
        package let groups: [String]?
        /// Whether the user has just signed in for this request, or chosen an account.
        package let hasAsked: Bool
    }

    /// The answer to the client of one request, as it is registered now.
    typealias Made = @Sendable (ClientRequest, Request) throws -> Response
}

/// Why a client gets no grant.
package enum AuthorizationError: String, Sendable {
    /// The user would have to sign in, and the client asked for no question.
    case loginRequired = "login_required"
    /// The user would have to agree on a page, and the client asked for no question.
    case interactionRequired = "interaction_required"
    /// The user has given up.
    case accessDenied = "access_denied"
    /// The session has sent so many requests without a question that the next one has to wait.
    case temporarilyUnavailable = "temporarily_unavailable"
}

/// What a client asks for, in the terms of every protocol. Its client and return address are registered.
package struct ClientRequest: Sendable {
    package var client: Client
    /// The registered address that the browser goes back to, byte for byte.
    package let returnTo: String
    package let wishes: SignInWishes
    /// Equal for two requests that are the same one, such as a page that was reloaded. Nil for a protocol without such a
    /// value: then no request is the same as another, and no grant replaces another.
    package let replayKey: [UInt8]?
    /// The S256 hash of a verifier that the client kept (RFC 7636), if it uses one.
    package let codeChallenge: String?
    /// What else the protocol needs: kept with the flow and with the grant.
    package let payload: String
    /// The flow that this request goes on with, where the address says so (``ClientProtocol/address(of:)``). Worth nothing
    /// unless this session has completed a flow of this id for the same client and address.
    package let resuming: FlowID?
    /// The account that the client expects. A user who is signed in with another one chooses the account.
    package let expectedAccount: String?

    package init(
        client: Client, returnTo: String, wishes: SignInWishes = SignInWishes(), replayKey: [UInt8]? = nil,
        codeChallenge: String? = nil, payload: String = "", resuming: FlowID? = nil, expectedAccount: String? = nil
    ) {
        (self.client, self.returnTo, self.wishes, self.replayKey) = (client, returnTo, wishes, replayKey)
        (self.codeChallenge, self.payload, self.resuming) = (codeChallenge, payload, resuming)
        self.expectedAccount = expectedAccount
    }

    /// ``IdPClients/Client/isForAnyProgram(at:)``
    var returnsToAnyProgram: Bool { client.isForAnyProgram(at: returnTo) }

    /// Whether a flow that the user has completed leads on once, and a page is shown for the same request again.
    var leadsOnOnce: Bool { replayKey == nil || returnsToAnyProgram }

    func flow(of purpose: String, demanding demand: Flow.Demand = Flow.Demand()) -> Flow.Request {
        Flow.Request(
            purpose: purpose, subject: client.id, returnTo: returnTo, demand: demand, replayKey: replayKey,
            payload: payload)
    }
}

/// What is the same for every protocol.
extension ClientProtocol {
    /// Declares its own routes, and the one at ``FlowPurpose/resumePath``, where a user goes on who has signed in.
    package func addAllRoutes(to router: inout FeatureRouter) {
        addRoutes(to: &router)
        router.visit(at: resumePath) { try await authorizer.resume(self, $0, $1) }
    }

    package static var id: String { Settings.id }

    package var isOfClient: Bool { true }

    package var questionRefusal: AuthorizationError { .loginRequired }

    package func name(of subject: String) -> String? { authorizer.clients.client(id: subject)?.name }

    package func texts(of flow: Flow, again email: String?) -> FlowTexts {
        authorizer.clients.client(id: flow.subject).map {
            .client($0, flow, again: email, logos: ClientLogos(authorizer.clients))
        } ?? FlowTexts()
    }

    package func cancel(
        _ flow: Flow, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        try await authorizer.cancel(flow, of: self, session, request, context)
    }

    /// One next step for all reasons.
    package func over(_ flow: EndedFlow) -> PublicError {
        let client = authorizer.clients.client(id: flow.subject)
        // An app has no page to start on. The web address of its client is used, if there is one.
        let start = client?.startPage(for: flow.returnTo) ?? client?.startPage()
        return PublicError(
            .gone, code: "flow_over", title: Text("error.flow-over.title"),
            explanation: client.map { Text("error.flow-over", ["client": $0.name]) } ?? Text("error.flow-over-unknown"),
            nextStep: start.map {
                .init(label: Text("error.flow-over.again", ["client": client?.name ?? ""]), href: $0)
            } ?? .home)
    }
}
