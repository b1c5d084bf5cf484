import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The page of a ``DeviceLink``: GET shows a button and changes nothing, so mail scanners may fetch it; POST makes this
/// browser known.
struct DeviceRoutes: Sendable {
    let sessions: Sessions
    let devices: Devices
    let link: DeviceLink
    let challenges: ChallengeStore
    let pages: Pages
    let clock: ServiceClock

    struct Model: Sendable {
        let formToken, key: String
    }

    func add(to router: Router<VisitorContext>) {
        router.form(at: RouterPath(DeviceLink.path), show: show, submit: submit)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let key = try request.queryFields.text("key") ?? ""
        guard link.open(key, now: clock.now()) != nil else { throw Self.expired }
        let session = try await sessions.current(request, context)
        var response = pages.response("device", Model(formToken: sessions.formToken(for: session), key: key))
        sessions.remember(session, in: &response)
        return response
    }

    @Sendable private func submit(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await request.formFields()
        let key = try fields.text("key") ?? ""
        guard let opened = link.open(key, now: clock.now()) else { throw Self.expired }
        guard let session = context.session,
            sessions.forms.accepts(request, fields: fields, seed: session.formSeed)
        else { throw PublicError.staleForm(.init(label: "Try again", href: "\(DeviceLink.path)?key=\(key)")) }
        let held = session[BrowserChallenges.self].current.flatMap { held in
            (try? EmailAddress(held.address))?.mailbox == opened.address.mailbox ? held : nil
        }
        let claim = try await devices.store.database.write { connection in
            let claim = try devices.store.remember(
                opened.address, known: opened.deviceID, keepsPrevious: false, connection)
            // The code that this browser waits for counts against its own budget from now on.
            if let held { try challenges.adopt(held.id, device: claim.name, connection) }
            return claim
        }
        context.logger.notice("browser_known", metadata: ["session": "\(session.handle)", "device": "\(claim.name)"])
        let flow = session[PendingFlows.self].newest(now: clock.now()).flatMap(FlowID.init)
        var response = Response.redirect(to: FlowID.path(held == nil ? "/sign-in" : EmailCodeMethod.path, flow))
        devices.give(claim, request, in: &response)
        return response
    }

    private static let expired = PublicError(
        .gone, code: "link_expired", title: "This link has expired",
        explanation:
            "A link works for two days. Or your mail program has cut it off. The newest email has a newer link.",
        nextStep: .init(label: "Sign in", href: "/sign-in"), cause: "device link expired or damaged")
}
