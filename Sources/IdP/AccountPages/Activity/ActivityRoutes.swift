import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `/activity`: the user's own rows of the audit log, the newest first.
struct ActivityRoutes: Sendable {
    private static let pageSize = 50

    let accounts: AccountStore
    let activity: UserActivity
    let pages: Pages

    struct Model: Encodable, Sendable {
        let items: [UserActivity.Item]
        /// The id that the next page begins after.
        let older: String
        let hasItems, hasOlder: Bool
    }

    func addRoutes(to router: inout FeatureRouter) { router.page(at: "/activity", use: show) }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await accounts.signedIn(context) else {
            return .redirect(to: AccountPage.activity.signIn)
        }
        let (texts, now) = (pages.texts(for: request), accounts.clock.now())
        let before = ((try? request.queryFields.text("before")) ?? nil).flatMap { Base64URL.decode($0) }
        // One more shows whether there is another page.
        let rows = try await activity.audit.newest(of: user.account.id, before: before, limit: Self.pageSize + 1)
        let shown = rows.prefix(Self.pageSize)
        let hasOlder = rows.count > Self.pageSize
        return pages.response(
            "activity",
            Model(
                items: UserActivity.visits(Array(shown)).map { activity.item($0, now: now, texts) },
                older: hasOlder ? shown.last.map { Base64URL.encode($0.id) } ?? "" : "", hasItems: !shown.isEmpty,
                hasOlder: hasOlder),
            for: request, offersLanguages: true)
    }
}
