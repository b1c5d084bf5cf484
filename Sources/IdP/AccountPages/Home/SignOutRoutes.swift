import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// `/sign-out` ends the session, and `/signed-out` says where the user may still be signed in.
///
/// Clients have sessions of their own. Those with a `logout_uri` are told, and the page shows whether they were reached. The
/// others are linked, to sign out there too. The session that knew them is gone: its handle is in the address of the page,
/// sealed, so that nobody can ask which clients a session has entered. It counts for ten minutes: the address stays in the history
/// of a shared computer, and tells the next user nothing.
struct SignOutRoutes: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let devices: AppDevices
    let clients: SignedInClients
    let pages: Pages
    /// Seals the handle and the moment of the sign-out in the address.
    let list: SealedBox

    /// The label of ``list``.
    static let label = "signed-out"
    /// More clients are not listed.
    static let maximumClients = 20
    /// How long the address lists them.
    static let listed: Duration = .minutes(10)
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
        let from = isKnown ? "?from=" + (try sealed(session.handle)) : ""
        var response = Response.redirect(to: Self.page + from)
        sessions.forget(in: &response)
        return response
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard try await accounts.signedIn(context) == nil else { return .redirect(to: "/") }
        await clients.clients.read()
        var receipts: [SignOutReceipt] = []
        if let handle = ((try? request.queryFields.text("from")) ?? nil).flatMap(opened) {
            receipts = try await self.receipts(of: handle)
        }
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

    private func sealed(_ handle: String) throws -> String {
        let text = "\(handle) \(accounts.clock.now().milliseconds)"
        return Base64URL.encode(try list.seal(Array(text.utf8)))
    }

    /// The handle of an address; nil for one that was not made here, or is too old.
    private func opened(_ from: String) -> String? {
        guard let bytes = Base64URL.decode(from).flatMap(list.open) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard parts.count == 2, let milliseconds = Int64(parts[1]) else { return nil }
        let (moment, now) = (Timestamp(milliseconds: milliseconds), accounts.clock.now())
        // One from the future was made while the clock was wrong.
        return now - moment < Self.listed && moment <= now + ClockSkew.tolerated ? String(parts[0]) : nil
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
