import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
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
        // One visit is two rows.
        let newest = try audit.newest(of: user.account.id, limit: 2 * Self.shownAtHome, connection)
        let rows = Self.visits(newest).prefix(Self.shownAtHome).map { item($0, now: now, texts) }
        return Section(rows: rows, hasRows: !rows.isEmpty)
    }

    /// One row for each visit of a client: without the token that was issued, where it was redeemed a moment later.
    static func visits(_ rows: [AuditEntry]) -> [AuditEntry] {
        var redeemed = rows.filter { $0.event == EventKind.tokenRedeemed.id }
        return rows.filter { row in
            guard row.event == EventKind.tokenIssued.id else { return true }
            let use = redeemed.firstIndex {
                $0.client == row.client && $0.at >= row.at && $0.at - row.at <= visit
            }
            if let use { redeemed.remove(at: use) }
            return use == nil
        }
    }

    /// From the token to its use.
    private static let visit: Duration = .minutes(5)

    func item(_ row: AuditEntry, now: Timestamp, _ texts: Texts) -> Item {
        Item(
            words: texts.plain(words(row)),
            network: row.network ?? "", at: texts.moment(row.at, now: now), hasNetwork: row.network != nil)
    }

    /// The text of each event that has one, by its id.
    static func words(of events: [EventKind]) -> [String: Text] {
        events.reduce(into: [:]) { $0[$1.id] = $1.user }
    }

    /// In a browser, and in the web view of an app.
    static let signIns: Set = [EventKind.signedIn.id, "handoff_signed_in"]

    /// How the user signed in: "an email code", or a provider by its name. Nil when no method has a text.
    ///
    /// - Parameter detail: the ids of the methods, with a space between two.
    private func method(_ detail: String?) -> (any TextValue)? {
        (detail ?? "").split(separator: " ").compactMap { name(ofMethod: String($0)) }
            .reduce(nil) { all, next in all.map { Text("method.and", ["first": $0, "second": next]) } ?? next }
    }

    private func name(ofMethod id: String) -> (any TextValue)? {
        let provider = providers.all.first { $0.method.utf8.elementsEqual(id.utf8) }
        let known = [id.hasPrefix("oidc:") ? "oidc" : id].first(where: Self.methods.contains)
        return provider?.name ?? known.map { Text("method.\($0)") }
    }

    /// Those that have a text. Every `oidc:ID` has the same one, for a provider that has left the file.
    private static let methods: Set = [
        "email_code", "email_link", "email_reply", "apple", "google", "github", "oidc", "passkey", "operator",
    ]

    /// What an event means to a user. One without words of its own is shown by its id.
    private func words(_ row: AuditEntry) -> Text {
        guard let text = words[row.event] else { return Text("activity.other", ["event": row.event]) }
        if Self.signIns.contains(row.event), let method = method(row.detail) {
            return Text("activity.signed-in-with", ["method": method])
        }
        if row.event == EventKind.userChanged.id, let change = row.cause.flatMap(UserChange.init) {
            return change.words
        }
        // The row has the ids. What was dropped since then has no other name.
        return text.with(
            [
                "client": row.client.map { clients.client(id: $0)?.name ?? $0 } ?? "",
                "provider": row.detail.map { providers.provider(id: $0)?.name ?? $0 } ?? "",
            ])
    }
}

extension UserChange {
    /// What was changed, for the user.
    var words: Text {
        switch self {
        case .name: Text("activity.name-changed")
        case .picture: Text("activity.picture-changed")
        case .address: Text("activity.address-changed")
        case .disabled: Text("activity.disabled")
        case .enabled: Text("activity.enabled")
        case .added: Text("activity.added")
        case .imported: Text("activity.imported")
        case .signedOut: Text("activity.signed-out-everywhere")
        case .endDate: Text("activity.end-date-changed")
        case .endDateOver: Text("activity.end-date-over")
        case .invitationWithdrawn: Text("activity.invitation-withdrawn")
        case .eraseRequested: Text("activity.erase-requested")
        case .eraseCancelled: Text("activity.erase-cancelled")
        }
    }
}
