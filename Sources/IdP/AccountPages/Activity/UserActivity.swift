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
    /// ``words(of:)``
    let words: [String: Text]

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

    /// The text of each event that has one, by its id.
    static func words(of events: [EventKind]) -> [String: Text] {
        events.reduce(into: [:]) { $0[$1.id] = $1.user }
    }

    /// What an event means to a user. One without words of its own is shown by its id.
    private func words(_ row: AuditEntry) -> Text {
        guard let text = words[row.event] else { return Text("activity.other", ["event": row.event]) }
        // The row has the ids. What was dropped since then has no other name.
        return text.with(
            [
                "client": row.client.map { clients.client(id: $0)?.name ?? $0 } ?? "",
                "provider": row.detail.map { providers.provider(id: $0)?.name ?? $0 } ?? "",
            ])
    }
}
