import IdPSignOut
import SSOShared
import SSOWeb

/// Messages to clients as a table.
enum SignOutTable {
    /// - Parameter names: the addresses of accounts, by id; nil where all messages are about one user, whom the page names.
    static func block(
        _ messages: [QueuedSignOut], _ writer: AdminWriter, names: [String: String]? = nil, caption: Text, empty: Text,
        next: String? = nil, offers: Bool = false
    ) -> AdminPage.Block {
        let columns = [
            Text("admin.service"), names == nil ? nil : Text("admin.user"), Text("admin.state"), Text("admin.since"),
            Text("admin.tries"), Text("admin.error"), offers ? Text("admin.action") : nil,
        ]
        return writer.table(
            caption, columns.compactMap(\.self).map { writer.column($0) },
            messages.map { message in
                let home = "\(AdminPath.signOuts)/\(PercentCoding.encode(message.id))"
                let user = names?[message.accountID] ?? message.accountID
                let about: [String: any TextValue] = ["name": message.clientID, "address": user]
                let retry = (Text("admin.retry", about), "\(home)/retry")
                let giveUp = (Text("admin.give-up", about), "\(home)/give-up")
                let action =
                    switch message.state {
                    case .waiting where message.tries > 0 || message.nextTryAt > writer.now:
                        writer.links([retry, giveUp])
                    case .waiting: writer.links([giveUp])
                    case .givenUp: writer.links([retry])
                    case .delivered: writer.none
                    }
                return [writer.link(message.clientID, AdminPath.service(message.clientID))]
                    + (names == nil ? [] : [writer.link(user, AdminPath.user(message.accountID))])
                    + [
                        writer.cell(message.state.text), writer.cell(message.createdAt),
                        writer.cell(String(message.tries)), writer.cell(message.lastError),
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
