package import IdPAccounts
import IdPSignOut
import SSOShared
import SSOWeb
package import Storage

/// A session as a command prints it.
package struct ListedSession: Sendable {
    package static let header = ["SESSION", "KIND", "DEVICE", "NETWORK", "SINCE", "LAST USED", "CLIENTS"]

    let session: UserSession
    let clients: [ClientSignIn]

    package static func all(
        of account: Account, _ devices: AppDevices, _ connection: any SQLConnection
    ) throws -> [ListedSession] {
        let clients = try ClientSignIns().all(of: account.id, endedSince: ServiceClock.system().now(), connection)
        return try devices.userSessions(of: account, connection).map { session in
            ListedSession(
                session: session,
                clients: clients.filter { $0.endedAt == nil && session.handles.contains($0.session) })
        }
    }

    private var kind: String { session.app == nil ? "browser" : "app" }

    package var row: [String] {
        [
            session.id, kind, session.device ?? "", session.network ?? "", PlainDate.rfc3339(session.createdAt),
            PlainDate.rfc3339(session.usedAt), clients.map(\.clientID).joined(separator: " "),
        ]
    }

    package var json: String { JSONText.object(members) }

    var members: [JSONText.Member] {
        [
            .init("id", session.id), .init("kind", kind), .init("device", session.device ?? ""),
            .init("network", session.network ?? ""), .init("created_at", PlainDate.rfc3339(session.createdAt)),
            .init("last_used_at", PlainDate.rfc3339(session.usedAt)),
            .init(
                "clients",
                clients.map { client in
                    [
                        JSONText.Member("id", client.clientID), .init("session", client.toldSession),
                        .init("last_used_at", PlainDate.rfc3339(client.lastUsedAt)),
                    ]
                }),
        ]
    }
}
