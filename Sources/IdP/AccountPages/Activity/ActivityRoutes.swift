import HTTPTypes
import Hummingbird
import IdPDirectory
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `/activity`: the user's own rows of the audit log, the newest first.
struct ActivityRoutes: Sendable {
    private static let pageSize = 50

    let accounts: AccountStore
    let audit: AuditStore
    let clients: ClientDirectory
    let pages: Pages

    struct Item: Sendable {
        let words, network: String
        let at: Moment
        let hasNetwork: Bool
    }

    struct Model: Sendable {
        let items: [Item]
        /// The id that the next page begins after.
        let older: String
        let hasItems, hasOlder: Bool
    }

    func addRoutes(to router: inout FeatureRouter) { router.page(at: "/activity", use: show) }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await accounts.signedIn(context) else {
            return .redirect(to: SessionsPurpose.path)
        }
        let texts = pages.texts(for: request)
        let before = ((try? request.queryFields.text("before")) ?? nil).flatMap { Base64URL.decode($0) }
        // One more shows whether there is another page.
        let rows = try await audit.newest(of: user.account.id, before: before, limit: Self.pageSize + 1)
        let shown = rows.prefix(Self.pageSize)
        let hasOlder = rows.count > Self.pageSize
        return pages.response(
            "activity",
            Model(
                items: shown.map { item($0, texts) },
                older: hasOlder ? shown.last.map { Base64URL.encode($0.id) } ?? "" : "", hasItems: !shown.isEmpty,
                hasOlder: hasOlder),
            for: request)
    }

    private func item(_ row: AuditEntry, _ texts: Texts) -> Item {
        Item(
            words: texts.plain(Self.words(row, client: row.client.map { clients.client(id: $0)?.name ?? $0 } ?? "")),
            network: row.network ?? "", at: texts.moment(row.at), hasNetwork: row.network != nil)
    }

    /// What an event means to a user. One without words of its own is shown by its id.
    private static func words(_ row: AuditEntry, client: String) -> Text {
        let named = ["client": client]
        return switch AuditEvent(rawValue: row.event) {
        case .signedIn, .handoffSignedIn: Text("activity.signed-in")
        case .signedOut: Text("activity.signed-out")
        case .appSignedOut: Text("activity.app-signed-out")
        case .sessionEnded: Text("activity.session-ended")
        case .tokenIssued: Text("activity.client-asked", named)
        case .tokenRedeemed: Text("activity.client-entered", named)
        case .signOutQueued: Text("activity.sign-out-queued", named)
        case .signOutDelivered: Text("activity.sign-out-delivered", named)
        case .signOutFailed: Text("activity.sign-out-failed", named)
        case .signOutGivenUp: Text("activity.sign-out-given-up", named)
        case .identityLinked: Text("activity.identity-added", ["provider": row.detail ?? ""])
        case .identityUnlinked, .identityRevoked: Text("activity.identity-removed", ["provider": row.detail ?? ""])
        case .userChanged: Text("activity.user-changed")
        case .mailQueued: Text("activity.mail-sent")
        case .codeRejected: Text("activity.code-rejected")
        default: Text("activity.other", ["event": row.event])
        }
    }
}
