import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// What the admin pages share.
struct AdminDesk: Sendable {
    let parts: SharedParts
    let gate: AdminGate
    let facts: AdminFacts
    /// Tells all admins of changes that they do not know yet.
    let tell: @Sendable () async -> Void
    /// What the notice says after a change, by its id.
    let done: @Sendable (String) -> Text?

    /// The sections of the pages, in their order.
    private static let sections: [(Text, String)] = [
        (Text("admin.overview"), AdminPath.home), (Text("admin.users"), AdminPath.users),
        (Text("admin.services"), AdminPath.services), (Text("admin.groups"), AdminPath.groups),
        (Text("admin.sign-outs"), AdminPath.signOuts), (Text("admin.audit"), AdminPath.audit),
        (Text("admin.trouble"), AdminPath.trouble), (Text("admin.roles"), AdminPath.roles),
        (Text("admin.settings"), AdminPath.settings),
    ]

    /// The clients of the file, which no change makes.
    var file: ClientRegistry { ClientRegistry(parts.clients.all.filter { $0.origin.place != nil }, of: protocols) }
    var protocols: ClientProtocols { parts.clients.registry.protocols }

    func writer(for request: Request) -> AdminWriter {
        AdminWriter(texts: parts.pages.texts(for: request), now: parts.clock.now())
    }

    /// Declares a page that changes nothing.
    func page(
        at path: String, in router: inout FeatureRouter,
        _ show: @escaping @Sendable (Request, VisitorContext, Admin, AdminWriter) async throws -> AdminPage
    ) {
        router.admin(
            at: path, admitting: gate.admit,
            show: { request, context, admin in
                let writer = writer(for: request)
                var page = try await show(request, context, admin, writer)
                if let notice = notice(for: request) { page.noticeHTML = writer.html(notice) }
                return response(
                    page, for: request, admin, status: page.problems.isEmpty ? .ok : .unprocessableContent)
            })
    }

    /// The word after a change.
    private func notice(for request: Request) -> Text? {
        let done = (try? request.queryFields.text("done")) ?? nil
        return done.flatMap(self.done)
    }

    func response(
        _ page: AdminPage, for request: Request, _ admin: Admin, status: HTTPResponse.Status = .ok,
        offersLanguages: Bool = true
    ) -> Response {
        var page = page
        let path = request.uri.path
        let writer = writer(for: request)
        page.nav = Self.sections.map { label, href in
            let isCurrent = path == href || (href != "/admin" && path.hasPrefix(href + "/"))
            return .init(href: href, labelHTML: writer.html(label), isCurrent: isCurrent)
        }
        if !page.problems.isEmpty { page.title = writer.plain(Text("admin.title-error", ["title": page.title])) }
        page.stylesheet = parts.assets.path(of: "admin.css")
        page.copyScript = parts.assets.path(of: "admin.js")
        page.formToken = parts.sessions.formToken(for: admin.user.session)
        return parts.pages.response(
            "admin", page.shown, for: request, status: status, offersLanguages: offersLanguages)
    }
}

extension Request {
    /// A field of the query; empty without one.
    func queryText(_ name: String) -> String { (((try? queryFields.text(name)) ?? nil) ?? "").withoutNUL }
}
