import IdPAccounts
import IdPClients
import IdPProviders
import SSOWeb
import Storage

/// The user's own rows of the audit log, in words.
struct UserActivity: Sendable {
    /// The rows on the home page.
    static let shownAtHome = 5

    let audit: AuditStore
    let clients: ClientDirectory
    let providers: ProviderRegistry

    struct Item: Encodable, Sendable {
        let words, network: String
        let at: Moment
        let hasNetwork: Bool
    }

    /// The part of the home page.
    struct Section: Encodable, Sendable {
        let rows: [Item]
        let hasRows: Bool
    }

    func section(of user: SignedInUser, now: Timestamp, _ texts: Texts, _ connection: any SQLConnection) throws
        -> Section
    {
        let rows = try audit.newest(of: user.account.id, limit: Self.shownAtHome, connection)
            .map { item($0, now: now, texts) }
        return Section(rows: rows, hasRows: !rows.isEmpty)
    }

    func item(_ row: AuditEntry, now: Timestamp, _ texts: Texts) -> Item {
        Item(
            words: texts.plain(words(row)),
            network: row.network ?? "", at: texts.moment(row.at, now: now), hasNetwork: row.network != nil)
    }

    /// What an event means to a user. One without words of its own is shown by its id.
    private func words(_ row: AuditEntry) -> Text {
        let named = ["client": row.client.map { clients.client(id: $0)?.name ?? $0 } ?? ""]
        // The row has the id. One that was dropped since then has no other name.
        let provider = ["provider": row.detail.map { providers.provider(id: $0)?.name ?? $0 } ?? ""]
        return switch AuditedEvents.all.first(where: { $0.id == row.event }) {
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
        case .identityLinked: Text("activity.identity-added", provider)
        case .identityUnlinked, .identityRevoked: Text("activity.identity-removed", provider)
        case .userChanged: Text("activity.user-changed")
        case .mailQueued: Text("activity.mail-sent")
        case .codeRejected: Text("activity.code-rejected")
        default: Text("activity.other", ["event": row.event])
        }
    }
}
