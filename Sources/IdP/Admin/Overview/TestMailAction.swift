import IdPAccounts
import IdPClients
import IdPMail
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// Sends one email to the admin, past the queue, and shows what the mail server said.
struct TestMailAction: AdminAction {
    /// An admin waits for the page. A server that has not answered by then is slow for users, too.
    static let patience: Duration = .seconds(20)

    static let id = "mail_test"
    static let path = "/admin/test-mail"
    static let title = Text("admin.test-mail")
    static let done = Text("admin.done-test-mail")
    let desk: AdminDesk

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        guard desk.facts.testMail != nil else { throw AdminRefusal(Text("admin.mail-off")) }
        let address = admin.user.account.email
        return AdminPlan(
            Self.title, [Text("admin.test-mail-effect", ["address": address])], home: AdminPath.home, state: address)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        guard let mail = desk.facts.testMail, case .user(let id) = context.actor,
            let account = try AdminView.account(id, connection), let address = try? EmailAddress(account.email)
        else { throw PublicError.notFound }
        return .later { [now = context.now] in
            let failure = await mail.failure(
                of: address, at: now, id: "test-\(now.milliseconds)", within: Self.patience)
            let names: [String: any TextValue] = ["server": mail.destination, "address": address.text]
            return { writer in
                guard let failure else { return [writer.paragraph(Text("admin.test-mail-taken", names))] }
                return [
                    writer.paragraph(Text("admin.test-mail-failed", names)),
                    writer.code(Text("admin.test-mail-words"), failure),
                ]
            }
        }
    }
}
