import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// How a change is made, or waits for a new sign-in.
extension AdminActions {
    // MARK: The change

    func submit<Action: AdminAction>(
        _ action: Action, _ asked: AdminAsked, _ form: SubmittedForm, _ admin: Admin
    ) async throws -> Response {
        let (request, context) = (form.request, form.context)
        try mayChange(action, admin, context)
        let now = parts.clock.now()
        guard !admin.isIdle else { return try await wait(action, asked, admin, now) }
        guard let version = asked.fields["version"]?.first else {
            return try await ask(action, asked, request, context, admin)
        }
        let (need, signIn) = (desk.gate.need, admin.user.signIn)
        guard need.isMet(by: signIn.proofs.strength, at: signIn.provenAt, now: now) else {
            return try await wait(action, asked, admin, now)
        }
        if let pause = limit.hit(Array(admin.user.account.id.utf8)) {
            context.audit?.record(
                Event(
                    .adminRefused, by: .user(admin.user.account.id), session: admin.user.session.handle, cause: "limit",
                    detail: Action.id))
            throw PublicError.tooManyRequests(from: .account, retryAfter: pause)
        }
        let made: AdminMade
        do {
            made = try await make(action, asked, version, form, admin)
        } catch let refusal as AdminRefusal {
            throw refused(refusal, Action.id, admin, context)
        } catch let problems as AdminProblems {
            return try await ask(action, asked, request, context, admin, problems: problems)
        }
        switch made {
        case .changedMeanwhile:
            return try await ask(
                action, asked, request, context, admin, changedFrom: asked.fields["seen"]?.first ?? "")
        case .notTyped:
            return try await ask(
                action, asked, request, context, admin,
                problems: AdminProblems("typed", Text("admin.typed-wrong")))
        case .made(let outcome, let plan):
            await desk.tell()
            return try await answer(outcome, plan, Action.id, request, admin)
        }
    }

    private func answer(
        _ outcome: AdminOutcome, _ plan: AdminPlan, _ id: String, _ request: Request, _ admin: Admin
    ) async throws -> Response {
        switch outcome {
        case .done(let path, let isOther):
            let path = path ?? plan.home
            return .redirect(
                to: "\(path)\(path.contains("?") ? "&" : "?")done=\(id)\(isOther ? AdminFeature.other : "")")
        case .shown(let blocks):
            return shown(blocks, plan, notice: Text("admin.shown-once"), request, admin)
        case .later(let work):
            return shown(await work(), plan, notice: nil, request, admin)
        case .file(let name, let type, let text):
            return Response(
                status: .ok,
                headers: [
                    .contentType: type, .contentDisposition: "attachment; filename=\"\(name)\"",
                    .cacheControl: "no-store",
                ], body: .init(byteBuffer: .init(string: try await text())))
        }
    }

    /// The answer to the form itself: nothing shows it again.
    private func shown(
        _ blocks: (AdminWriter) -> [AdminPage.Block], _ plan: AdminPlan, notice: Text?, _ request: Request,
        _ admin: Admin
    ) -> Response {
        let writer = desk.writer(for: request)
        let more = writer.actions([(Text("admin.go-on"), plan.home)])
        var page = writer.page(plan.title, blocks(writer) + [more])
        page.noticeHTML = notice.map(writer.html) ?? ""
        return desk.response(page, for: request, admin, offersLanguages: false)
    }

    private enum AdminMade: Sendable {
        case made(AdminOutcome, AdminPlan)
        case changedMeanwhile, notTyped
    }

    /// Makes a change in the transaction that counts its effect again.
    private struct Counted<Action: AdminAction>: OperatorChange {
        let action: Action
        let asked: AdminAsked
        let version: String
        let texts: Texts
        let admin: Admin
        let gate: AdminGate
        let audit: RequestAudit?

        func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<AdminMade> {
            // The role may have been revoked since the request began.
            guard let (user, role) = try gate.role(of: admin.user.session, connection), let role,
                user.account.id == admin.user.account.id, role == .admin || Action.isForAuditors
            else { throw PublicError.notFound }
            let admin = Admin(user: user, role: role)
            let plan = try action.plan(asked, by: admin, connection)
            guard plan.version(texts) == version else { return Changed(.changedMeanwhile, isChanged: false) }
            if let word = plan.typed, !asked.text("typed").utf8.elementsEqual(word.utf8) {
                return Changed(.notTyped, isChanged: false)
            }
            let outcome = try action.make(asked, context, connection)
            try audit?.record(plan.event(.adminChange, "made", Action.id, admin), connection)
            return Changed(.made(outcome, plan), isChanged: true)
        }
    }

    private func make<Action: AdminAction>(
        _ action: Action, _ asked: AdminAsked, _ version: String, _ form: SubmittedForm, _ admin: Admin
    ) async throws -> AdminMade {
        let changes = OperatorChanges(
            parts.database, of: desk.protocols, by: .user(admin.user.account.id), clock: parts.clock,
            randomness: parts.randomness, logger: form.context.logger)
        let counted = Counted(
            action: action, asked: asked, version: version, texts: parts.pages.texts(for: form.request), admin: admin,
            gate: desk.gate, audit: form.context.audit)
        do { return try await changes.make(counted).result } catch let error as ChangeError {
            throw AdminRefusal(Text("admin.refused", ["reason": EnglishWords(error.description)]))
        }
    }

    /// Lets a change wait for a new sign-in, with what was typed.
    private func wait<Action: AdminAction>(
        _ action: Action, _ asked: AdminAsked, _ admin: Admin, _ now: Timestamp
    ) async throws -> Response {
        let (need, path) = (desk.gate.need, action.address(of: asked.id))
        let fields = asked.fields.filter { !["version", "seen", "typed"].contains($0.key) }
        let strength = need.strength == .any ? nil : need.strength
        let account = admin.user.account.id
        let flow =
            try AdminWaiting(path: path, fields: fields).flow(
                since: need.since(now), strength: strength, account: account)
            // Too much to keep: the form is asked for again.
            ?? AdminWaiting(path: path).flow(since: need.since(now), strength: strength, account: account)
        guard let flow, let id = try await parts.begin(flow, admin.user.session) else {
            return .redirect(to: "/admin")
        }
        return .redirect(to: SignInPath.signIn(id))
    }

    /// Goes on after a sign-in: at a page, or with the question about a change that waited.
    @Sendable func resume(
        _ request: Request, _ context: VisitorContext, _ admin: Admin, _ all: [any AdminAction]
    ) async throws -> Response {
        let now = parts.clock.now()
        guard let flow = admin.user.session[Flows.self].pending(FlowID.read(request.queryFields), now: now),
            let waiting = AdminWaiting(flow)
        else { return .redirect(to: "/admin") }
        if admin.user.session.slots.asksAgain(flow.id, after: admin.user.signIn, now: now) {
            return .redirect(to: SignInPath.signIn(flow.id))
        }
        // Another user has signed in than the one who typed it.
        let isOther = !flow.subject.isEmpty && flow.subject != admin.user.account.id
        guard !isOther, let fields = waiting.fields else {
            _ = try await parts.sessions.store.update(admin.user.session) { $0[Flows.self].end(flow.id) }
            return .redirect(to: isOther ? "/admin" : waiting.path)
        }
        for action in all {
            guard let id = action.subject(in: waiting.path) else { continue }
            return try await ask(action, AdminAsked(id: id, fields: fields), request, context, admin)
        }
        return .redirect(to: "/admin")
    }
}
