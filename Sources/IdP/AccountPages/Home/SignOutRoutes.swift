import HTTPTypes
import Hummingbird
import IdPDirectory
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/sign-out` ends the session, and `/signed-out` says where the user may still be signed in.
///
/// Clients have sessions of their own. Those with a `logout_uri` are told, and the page shows whether they were reached. The
/// others are linked, to sign out there too. The session that knew them is gone: its handle is in the address of the page,
/// sealed, so that nobody can ask which clients a session has entered.
struct SignOutRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let devices: AppDevices
    let clients: SignedInClients
    let pages: Pages
    /// Seals the handle in the address.
    let list: SealedBox

    /// The label of ``list``.
    static let label = "signed-out"
    /// More clients are not listed.
    static let maximumClients = 20
    private static let page = "/signed-out"
    private static let looks = 8
    private static let pause: Duration = .milliseconds(150)

    private struct Model: Encodable, Sendable {
        let told: [ReceiptItem]
        let clients: [ClientLink]
        let hasTold, hasClients: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: { post in post.context.session == nil ? .over(.redirect(to: Self.page)) : .open(()) },
            orElse: { _ in .home }, submit: { form, _ in try await signOut(form) })
        router.form(at: "/sign-out", form)
        router.page(at: Self.page, use: show)
    }

    private func signOut(_ form: SubmittedForm) async throws -> Response {
        let session = form.session
        let isKnown = try await accounts.database.read { connection in
            try !accounts.signOuts.signIns.all(of: session.handle, connection).isEmpty
        }
        // Every token of this session that was not redeemed yet ends with its row.
        try await devices.end(session, of: try await accounts.signedIn(form.context)?.account, form.context.audit)
        form.context.logger.info("signed_out", metadata: ["session": "\(session.handle)"])
        let from = isKnown ? "?from=" + Base64URL.encode(try list.seal(Array(session.handle.utf8))) : ""
        var response = Response.redirect(to: Self.page + from)
        sessions.forget(in: &response)
        return response
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard try await accounts.signedIn(context) == nil else { return .redirect(to: "/") }
        await clients.clients.read()
        let from = ((try? request.queryFields.text("from")) ?? nil).flatMap { Base64URL.decode($0) }
        // Any address that was not made here names no session.
        let handle = from.flatMap(list.open).map { String(decoding: $0, as: UTF8.self) }
        var receipts: [SignOutReceipt] = []
        if let handle { receipts = try await self.receipts(of: handle) }
        let texts = pages.texts(for: request)
        var (told, links): ([ReceiptItem], [ClientLink]) = ([], [])
        for receipt in receipts.prefix(Self.maximumClients) {
            switch receipt.state {
            case .delivered, .waiting: told.append(clients.item(receipt, texts))
            case .givenUp, .notTold: if let link = clients.link(receipt.clientID) { links.append(link) }
            }
        }
        return pages.response(
            "signed-out", Model(told: told, clients: links, hasTold: !told.isEmpty, hasClients: !links.isEmpty),
            for: request, offersLanguages: true)
    }

    /// Waits for a moment until the clients have answered: usually all have then.
    private func receipts(of session: String) async throws -> [SignOutReceipt] {
        var receipts: [SignOutReceipt] = []
        for attempt in 0..<Self.looks {
            if attempt > 0 { try await Task.sleep(for: Self.pause) }
            receipts = try await accounts.database.read { try accounts.signOuts.receipts(of: session, $0) }
            guard receipts.contains(where: { $0.state == .waiting(next: nil) }) else { break }
        }
        return receipts
    }
}
