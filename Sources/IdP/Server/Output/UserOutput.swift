package import IdPAccounts
package import IdPOperations
package import SSOShared
import SSOWeb

/// How commands print accounts.
package enum AccountOutput {
    package static let header = ["ADDRESS", "STATE", "ID", "NAME", "CREATED", "UNTIL"]

    package static func row(_ row: AccountAdministration.Row) -> [String] {
        let account = row.account
        return [
            account.email, row.state.rawValue, account.id, account.name, PlainDate.rfc3339(account.createdAt),
            account.endsAt.map(EndDate.text) ?? "-",
        ]
    }

    package static func members(_ row: AccountAdministration.Row) -> [JSONText.Member] {
        members(row.account, state: row.state.rawValue)
    }

    package static func members(_ account: Account, state: String) -> [JSONText.Member] {
        [
            .init("address", account.email), .init("state", state), .init("id", account.id),
            .init("name", account.name), .init("created_at", PlainDate.rfc3339(account.createdAt)),
            .init("added_at", orNull: account.addedAt.map(PlainDate.rfc3339)),
            .init("until", orNull: account.endsAt.map(EndDate.text)),
            .init("erase_at", orNull: account.eraseAt.map(PlainDate.rfc3339)),
            .init("language", orNull: account.language?.rawValue),
        ]
    }

    // MARK: One account

    /// - Parameter addressIDs: what the log calls the address, the present name first. Empty without `IDP_SECRET_KEY`.
    static func members(
        _ details: AccountDetails, _ sessions: [ListedSession], addressIDs: [String]
    ) -> [JSONText.Member] {
        members(details.row) + [
            .init("username", orNull: details.row.account.username),
            .init("address_ids", addressIDs),
            .init("groups", details.groups),
            details.invitation.map(invitation) ?? .init("invitation", orNull: nil),
            .init(
                "identities",
                details.identities.map { identity in
                    [
                        .init("kind", identity.kindName), .init("provider", orNull: identity.provider),
                        .init("email", orNull: identity.email),
                        .init("added_at", PlainDate.rfc3339(identity.addedAt)),
                        .init("used_at", orNull: identity.usedAt.map(PlainDate.rfc3339)),
                    ]
                }),
            .init(
                "clients",
                details.clients.map {
                    [
                        .init("id", $0.id), .init("entered_at", PlainDate.rfc3339($0.at)),
                        .init("signed_out_at", orNull: ($0.end?.at).map(PlainDate.rfc3339)),
                        .init("cause", orNull: $0.end?.reason),
                    ]
                }),
            .init(
                "may_enter",
                details.mayEnter.map {
                    [.init("id", $0.id), .init("name", $0.name), .init("because", $0.reason)]
                }),
            .init("sessions", sessions.map(\.members)),
        ]
    }

    private static func invitation(_ invitation: Invitation) -> JSONText.Member {
        .init(
            "invitation",
            [
                .init("sent_at", PlainDate.rfc3339(invitation.createdAt)),
                .init("expires_at", PlainDate.rfc3339(invitation.expiresAt)),
                .init("client", orNull: invitation.clientID),
            ] as [JSONText.Member])
    }

    /// The account, then a table for each kind of thing that it has.
    package static func text(_ details: AccountDetails, _ sessions: [ListedSession], addressIDs: [String]) -> String {
        let account = details.row.account
        var parts = [CommandTable.text(header, [row(details.row)])]
        var facts: [[String]] = account.username.map { [["username", $0]] } ?? []
        facts += addressIDs.map { ["address in the log", $0] }
        if let added = account.addedAt { facts.append(["added", PlainDate.rfc3339(added)]) }
        if let moment = account.eraseAt { facts.append(["to be erased", PlainDate.rfc3339(moment)]) }
        if let language = account.language { facts.append(["language", language.rawValue]) }
        if !details.groups.isEmpty { facts.append(["groups", details.groups.joined(separator: ", ")]) }
        if let invitation = details.invitation {
            facts.append(["invited", PlainDate.rfc3339(invitation.createdAt)])
        }
        if !facts.isEmpty { parts.append(CommandTable.text(["FACT", "VALUE"], facts)) }
        let identities = details.identities.map { identity in
            [
                identity.provider ?? identity.kindName, identity.email ?? "-", PlainDate.rfc3339(identity.addedAt),
                identity.usedAt.map(PlainDate.rfc3339) ?? "-",
            ]
        }
        if !identities.isEmpty {
            parts.append(CommandTable.text(["SIGNS IN WITH", "ADDRESS", "ADDED", "USED"], identities))
        }
        let clients = details.clients.map { client in
            [
                client.id, PlainDate.rfc3339(client.at), (client.end?.at).map(PlainDate.rfc3339) ?? "-",
                client.end?.reason ?? "-",
            ]
        }
        if !clients.isEmpty { parts.append(CommandTable.text(["CLIENT", "ENTERED", "SIGNED OUT", "CAUSE"], clients)) }
        let mayEnter = details.mayEnter.map { [$0.id, $0.name, $0.reason] }
        if !mayEnter.isEmpty { parts.append(CommandTable.text(["MAY ENTER", "NAME", "BECAUSE"], mayEnter)) }
        if !sessions.isEmpty { parts.append(CommandTable.text(ListedSession.header, sessions.map(\.row))) }
        return parts.joined(separator: "\n\n")
    }
}

extension AccountIdentity {
    /// A stable word.
    fileprivate var kindName: String {
        switch kind {
        case .email: "email"
        case .passkey: "passkey"
        case .external: "provider"
        }
    }
}
