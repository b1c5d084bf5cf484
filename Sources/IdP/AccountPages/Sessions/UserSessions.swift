import IdPAccounts
import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// The page that lists the browsers and apps in which a user is signed in.
struct SessionList: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        let id, name, network: String
        let since, used: Moment
        /// Of a session that stays when the browser is closed.
        let until: Moment?
        let clients: [ClientSection.Item]
        let hasNetwork, isApp, isCurrent, hasClients: Bool
    }

    /// How many are read for one page. The button for all others ends those of every page.
    static let shown = 50

    let formToken: String
    let items: [Item]
    let receipts: [ReceiptItem]
    /// Where the next page begins.
    let older: String
    let hasOlder, hasOthers, hasReceipts, hasAppKeys, isEnded: Bool
}

/// The part of the home page that lists browsers and apps: this one and those used last.
struct SessionSection: Encodable, Sendable {
    static let shown = 5
    /// More than are shown: sign-ins that were ended with all of the account's are left out.
    static let read = 16

    let items: [SessionList.Item]
    let hasMore, hasOthers: Bool
    /// Whether users can make keys for apps.
    let hasAppKeys: Bool
}

/// Reads the sessions of a user for pages.
struct UserSessions: Sendable {
    let sessions: Sessions
    let accounts: AccountStore
    let devices: AppDevices
    let clients: SignedInClients

    func list(
        of user: SignedInUser, after position: SessionPosition?, isEnded: Bool, _ texts: Texts,
        _ connection: any SQLConnection
    ) throws -> SessionList {
        let now = accounts.clock.now()
        let signOuts = accounts.signOuts
        let since = now - SignOuts.receiptsShown
        let signIns = try signOuts.signIns.all(of: user.account.id, endedSince: since, connection)
        let messages = try signOuts.queue.all(of: user.account.id, since: since, connection)
        let page = try devices.userSessionPage(
            of: user.account, limit: SessionList.shown, after: position, with: user.session.handle, connection)
        let items = items(page, of: user, signIns, now: now, texts)
        // An end by time is not told, and needs no receipt.
        let receipts = signIns.filter { $0.endedAt != nil && $0.reason != .expired }
            .map { clients.item(signOuts.receipt(of: $0, among: messages), texts) }
        return SessionList(
            formToken: sessions.formToken(for: user.session), items: items, receipts: receipts,
            older: page.next?.text ?? "", hasOlder: page.next != nil,
            hasOthers: page.next != nil || items.contains { !$0.isCurrent }, hasReceipts: !receipts.isEmpty,
            hasAppKeys: try !AppKeyStore.keys(of: user.account.id, now: now, connection).isEmpty,
            isEnded: isEnded)
    }

    func section(
        of user: SignedInUser, _ registered: ClientRegistry, now: Timestamp, _ texts: Texts,
        _ connection: any SQLConnection
    ) throws -> SessionSection {
        let page = try devices.userSessionPage(
            of: user.account, limit: SessionSection.read, with: user.session.handle, connection)
        let items = items(page, of: user, [], now: now, texts)
        let hasMore = page.next != nil || items.count > SessionSection.shown
        return SessionSection(
            items: Array(items.prefix(SessionSection.shown)), hasMore: hasMore,
            hasOthers: page.next != nil || items.contains { !$0.isCurrent },
            hasAppKeys: registered.all.contains { $0.takesAppKeys })
    }

    /// This one first, then the one used last.
    private func items(
        _ page: AppDevices.UserSessionPage, of user: SignedInUser, _ signIns: [ClientSignIn], now: Timestamp,
        _ texts: Texts
    ) -> [SessionList.Item] {
        let entered = Dictionary(grouping: signIns.filter { $0.endedAt == nil }, by: \.session)
        let items = page.all.map { session in
            let clients = session.handles.sorted().flatMap { entered[$0] ?? [] }
                .map { self.clients.item($0, now: now, texts) }
            return SessionList.Item(
                id: session.id, name: session.name(in: texts), network: session.network ?? "",
                since: texts.moment(session.createdAt, now: now), used: texts.moment(session.usedAt, now: now),
                until: session.rememberedUntil.map { texts.moment($0) }, clients: clients,
                hasNetwork: session.network != nil, isApp: session.app != nil,
                isCurrent: session.handles.contains(user.session.handle), hasClients: !clients.isEmpty)
        }
        return items.filter(\.isCurrent) + items.filter { !$0.isCurrent }
    }
}
