import IdPAccounts
import SSOShared
import SSOWeb

/// Messages to clients as a table.
enum SignOutTable {
    static func block(
        _ messages: [QueuedSignOut], _ writer: AdminWriter, caption: Text, empty: Text, next: String? = nil,
        offers: Bool = false
    ) -> AdminPage.Block {
        let columns = [
            writer.column(Text("admin.service")), writer.column(Text("admin.state")),
            writer.column(Text("admin.since")),
            writer.column(Text("admin.tries")), writer.column(Text("admin.error")),
        ]
        return writer.table(
            caption, columns + (offers ? [writer.column(Text("admin.action"))] : []),
            messages.map { message in
                let home = "\(AdminPath.signOuts)/\(PercentCoding.encode(message.id))"
                let name: [String: any TextValue] = ["name": message.clientID]
                let retry = (Text("admin.retry", name), "\(home)/retry")
                let giveUp = (Text("admin.give-up", name), "\(home)/give-up")
                let action =
                    switch message.state {
                    case .waiting where message.tries > 0 || message.nextTryAt > writer.now:
                        writer.links([retry, giveUp])
                    case .waiting: writer.links([giveUp])
                    case .givenUp: writer.links([retry])
                    case .delivered: writer.none
                    }
                return [
                    writer.link(message.clientID, AdminPath.service(message.clientID)),
                    writer.cell(message.state.text), writer.cell(message.createdAt), writer.cell(String(message.tries)),
                    writer.cell(message.lastError),
                ] + (offers ? [action] : [])
            }, empty: empty, next: next)
    }
}

extension QueuedSignOut.State {
    fileprivate var text: Text {
        switch self {
        case .waiting: Text("admin.sign-out-waiting")
        case .delivered: Text("admin.sign-out-delivered")
        case .givenUp: Text("admin.sign-out-given-up")
        }
    }
}
