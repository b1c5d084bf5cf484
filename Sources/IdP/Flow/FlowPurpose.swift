package import Hummingbird
import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb

/// What a flow is for: a client protocol, the handoff to an app, a change to the account.
///
/// Pages and sign-in methods know flows only. Whatever depends on what a flow is for is asked of its purpose, by
/// ``FlowPurposes``.
package protocol FlowPurpose: Sendable {
    /// Stored in sessions. Never changes.
    static var id: String { get }
    /// The path where a user goes on who has signed in for a flow, which is added as `flow`.
    var resumePath: String { get }
    /// Whether a client asks, so that its user may choose the account.
    var isOfClient: Bool { get }
    /// What users see of who asked: the name of a client or an app. Nil where the user did, or the client is not registered
    /// any more.
    func name(of subject: String) -> String?
    /// What the sign-in page says about a flow.
    ///
    /// - Parameter email: the address of the user who is signed in and has to sign in again; nil for a visitor.
    func texts(of flow: Flow, again email: String?) -> FlowTexts
    /// Ends a flow that the user gives up, and takes the user back to who asked.
    func cancel(
        _ flow: Flow, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response
    /// The page for a flow that has ended, whatever the reason.
    func over(_ flow: EndedFlow) -> PublicError
}

extension FlowPurpose {
    package var isOfClient: Bool { false }
}

/// What the sign-in page says about a flow.
package struct FlowTexts: Sendable {
    /// Below the heading: "to continue to Notes".
    package var intro: Text?
    /// The path of the logo of who asked; empty without one.
    package var logo = ""
    /// ``LogoFile/sizeAttributes`` of it.
    package var logoSizeHTML = ""
    /// To a user who is signed in and has to sign in again.
    package var again: Text?
    /// The link that gives the sign-in up.
    package var cancel: PublicError.NextStep?

    package init(intro: Text? = nil, again: Text? = nil, cancel: PublicError.NextStep? = nil) {
        (self.intro, self.again, self.cancel) = (intro, again, cancel)
    }

    /// For a client that asked.
    package static func client(
        _ client: Client, _ flow: Flow, again email: String?, logos: ClientLogos
    ) -> FlowTexts {
        let name = client.name
        var texts = FlowTexts(
            intro: Text("flow.continue", ["service": name]),
            again: email.map { Text("flow.again", ["email": $0, "service": name]) }, cancel: back(to: name, flow))
        (texts.logo, texts.logoSizeHTML) = (logos.path(of: client), logos.size(of: client))
        return texts
    }

    /// For an app that asked.
    package static func app(_ name: String, _ flow: Flow) -> FlowTexts {
        FlowTexts(intro: Text("flow.continue-app", ["service": name]), cancel: back(to: name, flow))
    }

    private static func back(to name: String, _ flow: Flow) -> PublicError.NextStep {
        .init(label: Text("flow.cancel", ["service": name]), href: flow.id.cancel)
    }
}

/// Every purpose of the program, and the one place that asks what a flow is for.
package struct FlowPurposes: Sendable {
    private let all: [String: any FlowPurpose]
    /// Where an id leads that belongs to no flow of the session: that page says so.
    private let unknownPath: String
    private let flowClients: FlowClients

    /// - Parameter first: the one whose page answers for unknown flows.
    package init(first: any FlowPurpose, _ others: [any FlowPurpose], flowClients: FlowClients) {
        self.flowClients = flowClients
        all = Dictionary(([first] + others).map { (type(of: $0).id, $0) }) { _, last in last }
        unknownPath = first.resumePath
    }

    private func purpose(of flow: Flow) -> (any FlowPurpose)? { all[flow.purpose] }

    /// Whether a client began a flow.
    package func isOfClient(_ flow: Flow) -> Bool { purpose(of: flow)?.isOfClient ?? false }

    /// The name of the client or app that a flow of this session belongs to, for pages and emails.
    @Sendable package func name(of flow: FlowID?, in session: Session) -> String? {
        session[Flows.self].flow(flow).flatMap { purpose(of: $0)?.name(of: $0.subject) }
    }

    /// The name of the client or app that an ended flow belonged to.
    package func name(of flow: EndedFlow) -> String? { all[flow.purpose]?.name(of: flow.subject) }

    /// What the sign-in page says about a flow; nothing without one.
    package func texts(of flow: FlowID?, in session: Session, again email: String?) -> FlowTexts {
        session[Flows.self].flow(flow).flatMap { purpose(of: $0)?.texts(of: $0, again: email) } ?? FlowTexts()
    }

    /// The path for a user who is signed in: where the flow goes on, or the page that asks about one for any program.
    ///
    /// - Parameters:
    ///   - flow: what the sign-in was for; nil if the user came to sign in only.
    ///   - isNativeShell: whether the sign-in took place in the web view of an app.
    package func destination(_ flow: FlowID?, in slots: SessionSlots, isNativeShell: Bool) -> String {
        guard let flow else { return isNativeShell ? NativePath.resetApp : "/" }
        return hasShownNoPage(flow, in: slots) ? FlowID.path(SignInPath.account, flow) : resumption(of: flow, in: slots)
    }

    /// The path where a flow goes on, whatever its user was shown.
    package func resumption(of flow: FlowID, in slots: SessionSlots) -> String {
        let known = slots[Flows.self].ended(flow).flatMap { all[$0.purpose] }
        return FlowID.path(known?.resumePath ?? unknownPath, flow)
    }

    /// Whether any program may have begun a flow, and the user has signed in for something else: in another tab, or in another
    /// way. Nobody has agreed to it on a page then (RFC 8252 8.6).
    private func hasShownNoPage(_ id: FlowID, in slots: SessionSlots) -> Bool {
        guard let flow = slots[Flows.self].flow(id), isOfClient(flow), let client = flowClients.client(id: flow.subject)
        else { return false }
        return client.isForAnyProgram(at: flow.returnTo) && slots[CurrentSignIn.self].signIn?.flow != id.text
    }

    /// The page for a flow that is not pending in this session.
    package func over(_ flow: FlowID?, in session: Session?) -> PublicError {
        session?[Flows.self].ended(flow).flatMap { all[$0.purpose]?.over($0) } ?? flowClients.noSuchFlow(flow)
    }

    /// The page for an address with the flow of a client that a sign-in here could not go on with: it is not in this browser, or it
    /// has ended. Nil for one that is pending, for one of this program's own pages, and without one.
    ///
    /// - Parameter hasCookies: false where the browser has sent none.
    func unreachable(
        _ fields: URLEncodedFields, in session: Session?, hasCookies: Bool, now: Timestamp
    ) -> PublicError? {
        guard let text = try? fields.bytes("flow"), !text.isEmpty else { return nil }
        let id = FlowID(String(decoding: text, as: UTF8.self))
        guard let flows = session?[Flows.self], let known = flows.ended(id) else {
            return flowClients.noSuchFlow(id, hasCookies: hasCookies)
        }
        guard all[known.purpose]?.isOfClient == true, flows.pending(id, now: now) == nil else { return nil }
        return over(id, in: session)
    }

    /// The link back to the client that began a flow, also one that is not in this browser; nil where no client did.
    package func wayBack(of flow: FlowID?) -> PublicError.NextStep? { flowClients.wayBack(of: flow) }

    /// Ends a flow that the user gives up, and takes the user back.
    func cancel(
        _ flow: FlowID?, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard let pending = session[Flows.self].flow(flow), let purpose = purpose(of: pending) else {
            throw over(flow, in: session)
        }
        return try await purpose.cancel(pending, session, request, context)
    }
}
