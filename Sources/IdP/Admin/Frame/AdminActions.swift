import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// Makes the changes of the admin pages: each is asked about by a page that says its effect, needs a new sign-in, and is made in the
/// transaction that counts the effect once more.
struct AdminActions: Sendable {
    let desk: AdminDesk
    /// By the account of the admin.
    let limit: RateLimit

    var parts: SharedParts { desk.parts }

    func addRoutes(to router: inout FeatureRouter, _ all: [any AdminAction]) {
        for action in all { add(action, to: &router) }
        router.admin(at: AdminPurpose.path, admitting: desk.gate.admit, show: { try await resume($0, $1, $2, all) })
    }

    private func add<Action: AdminAction>(_ action: Action, to router: inout FeatureRouter) {
        router.admin(
            at: Action.path, admitting: desk.gate.admit,
            show: { request, context, admin in
                // Addresses of pages lead here with values, such as the address of a refusal.
                let asked = AdminAsked(
                    id: context.id, fields: Self.fields(request.queryFields, try await names(action, context.id)))
                return try await ask(action, asked, request, context, admin, isFirst: true)
            },
            submit: { form, admin in
                let names = try await names(action, form.context.id) + ["version", "seen", "typed"]
                let asked = AdminAsked(id: form.context.id, fields: Self.fields(form.fields, names))
                return try await submit(action, asked, form, admin)
            })
    }

    private static func fields(_ fields: URLEncodedFields, _ names: [String]) -> [String: [String]] {
        Dictionary(
            uniqueKeysWithValues: Set(names).compactMap { name in
                let texts = fields.texts(name)
                return texts.isEmpty ? nil : (name, texts)
            })
    }

    private func names(_ action: any AdminAction, _ id: String) async throws -> [String] {
        try await parts.database.read { connection in
            try action.fields(AdminAsked(id: id, fields: [:]), connection).map(\.name)
        }
    }

    // MARK: The question

    /// Shows the form of a change, or the question with its effect.
    ///
    /// - Parameter isFirst: whether the admin has typed nothing yet.
    func ask<Action: AdminAction>(
        _ action: Action, _ asked: AdminAsked, _ request: Request, _ context: VisitorContext, _ admin: Admin,
        isFirst: Bool = false, changedFrom seen: String? = nil, problems: AdminProblems? = nil
    ) async throws -> Response {
        try mayChange(action, admin, context)
        let writer = desk.writer(for: request)
        let (title, fields, plan, found) = try await read(action, asked, context, admin)
        let path = action.address(of: asked.id)
        let isEmptyForm = !fields.isEmpty && isFirst && (asked.fields.isEmpty || !Action.takesLinks)
        guard let plan, !isEmptyForm else {
            return form(action, title, asked, fields, isEmptyForm ? nil : found, path, plan, writer, request, admin)
        }
        context.audit?.record(plan.event(.adminChange, "opened", Action.id, admin))
        return desk.response(
            question(asked, fields, plan, path, seen, problems, writer, isFinal: Action.isFinal), for: request, admin,
            status: seen != nil ? .conflict : problems != nil ? .unprocessableContent : .ok,
            offersLanguages: isFirst && fields.isEmpty)
    }

    private func read<Action: AdminAction>(
        _ action: Action, _ asked: AdminAsked, _ context: VisitorContext, _ admin: Admin
    ) async throws -> (title: Text, fields: [AdminField], plan: AdminPlan?, AdminProblems?) {
        do {
            return try await parts.database.read { connection in
                let (title, fields) = try (action.title(asked, connection), action.fields(asked, connection))
                do {
                    return (title, fields, try action.plan(asked, by: admin, connection), nil)
                } catch let problems as AdminProblems { return (title, fields, nil, problems) }
            }
        } catch let refusal as AdminRefusal { throw refused(refusal, Action.id, admin, context) }
    }

    /// The form in which values are typed.
    private func form<Action: AdminAction>(
        _ action: Action, _ title: Text, _ asked: AdminAsked, _ fields: [AdminField], _ problems: AdminProblems?,
        _ path: String, _ plan: AdminPlan?, _ writer: AdminWriter, _ request: Request, _ admin: Admin
    ) -> Response {
        let shown = fields.map { field in
            writer.field(
                field, asked.has(field.name) ? asked.text(field.name) : field.value,
                error: problems?.all.first { $0.field == field.name }?.text)
        }
        let home = plan?.home ?? action.home(of: asked.id)
        var page = writer.page(
            title,
            [
                AdminPage.Block(
                    form: .init(
                        action: path, fields: shown, hidden: [], submitHTML: writer.html(Text("admin.continue")),
                        cancel: home))
            ])
        page.problems =
            problems?.all.map {
                writer.problem($0, at: fields.map(\.name))
            } ?? []
        return desk.response(
            page, for: request, admin, status: problems == nil ? .ok : .unprocessableContent,
            offersLanguages: problems == nil)
    }

    /// The page that says the effect in full, and asks.
    private func question(
        _ asked: AdminAsked, _ fields: [AdminField], _ plan: AdminPlan, _ path: String, _ seen: String?,
        _ problems: AdminProblems?, _ writer: AdminWriter, isFinal: Bool
    ) -> AdminPage {
        var hidden = fields.compactMap { field in
            asked.fields[field.name]?.first.map { AdminPage.Hidden(hiddenName: field.name, hiddenValue: $0) }
        }
        hidden.append(.init(hiddenName: "version", hiddenValue: plan.version(writer.texts)))
        hidden.append(.init(hiddenName: "seen", hiddenValue: String(plan.words(writer.texts).prefix(2000))))
        let typed = plan.typed.map { word in
            writer.field(
                AdminField("typed", Text("admin.typed", ["word": word]), isRequired: true), "",
                error: problems?.all.first { $0.field == "typed" }?.text)
        }
        var blocks: [AdminPage.Block] = []
        if let seen {
            blocks.append(writer.heading(Text("admin.before")))
            blocks.append(writer.list(seen.split(separator: "\n").map { Text("admin.value", ["value": String($0)]) }))
            blocks.append(writer.heading(Text("admin.now")))
        }
        blocks.append(writer.list(plan.effects))
        blocks.append(
            AdminPage.Block(
                form: .init(
                    action: path, fields: typed.map { [$0] } ?? [], hidden: hidden, submitHTML: writer.html(plan.title),
                    cancel: plan.home, isDangerous: plan.typed != nil, isFinal: plan.typed != nil && isFinal)))
        var page = writer.page(plan.title, blocks)
        if seen != nil { page.alertHTML = writer.html(Text("admin.changed")) }
        page.problems = problems?.all.map { writer.problem($0, at: plan.typed == nil ? [] : ["typed"]) } ?? []
        return page
    }

    // MARK: Refusals

    func mayChange<Action: AdminAction>(
        _ action: Action, _ admin: Admin, _ context: VisitorContext
    ) throws {
        guard !admin.mayChange, !Action.isForAuditors else { return }
        throw refused(AdminRefusal(Text("admin.auditor"), cause: "role"), Action.id, admin, context)
    }

    func refused(
        _ refusal: AdminRefusal, _ id: String, _ admin: Admin, _ context: VisitorContext
    ) -> PublicError {
        context.audit?.record(
            Event(
                .adminRefused, by: .user(admin.user.account.id), account: refusal.account, client: refusal.client,
                session: admin.user.session.handle, cause: refusal.cause, detail: id))
        let isRole = refusal.cause == "role" || refusal.cause == "protected"
        return PublicError(
            isRole ? .forbidden : .conflict, code: isRole ? "admin_only" : "refused",
            title: Text("admin.refused-title"),
            explanation: refusal.text, nextStep: refusal.next, cause: "admin_\(refusal.cause)"
        ).logged
    }
}

extension AdminPlan {
    func event(_ kind: EventKind, _ cause: String, _ id: String, _ admin: Admin) -> Event {
        Event(
            kind, by: .user(admin.user.account.id), account: account, client: client,
            session: admin.user.session.handle, cause: cause, detail: names.isEmpty ? id : "\(id) \(names)")
    }
}

extension AdminAction {
    /// Its path for one thing.
    func address(of id: String) -> String { Self.path.replacing(":id", with: PercentCoding.encode(id)) }

    /// The page that the thing has.
    func home(of id: String) -> String {
        address(of: id).split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
    }

    /// The id in an address of this action; nil for that of another.
    func subject(in path: String) -> String? {
        let (own, parts) = (Self.path.split(separator: "/"), path.split(separator: "/"))
        guard own.count == parts.count else { return nil }
        var id = ""
        for (pattern, part) in zip(own, parts) {
            if pattern == ":id" {
                guard let decoded = PercentCoding.decode(Array(part.utf8)[...], plusIsSpace: false),
                    let text = String(validating: decoded, as: UTF8.self)
                else { return nil }
                id = text
            } else if pattern != part {
                return nil
            }
        }
        return id
    }
}

extension VisitorContext {
    /// The `:id` of the path; empty without one.
    var id: String { (parameters.get("id") ?? "").withoutNUL }
}
