import Foundation
import IdPAccounts
package import IdPClients
import IdPFlow
import IdPOperations
import IdPSignOut
import SSOShared
package import SSOWeb
package import Storage

/// All that is stored of one user, as JSON: the file of `idp user export`, and the one that users download themselves.
package struct UserExport: Sendable {
    let shown: ShownAccount
    /// Of the rows in which the address was typed. Nil without `IDP_SECRET_KEY`.
    let keys: AuditAddressKeys?

    package init(shown: ShownAccount, keys: AuditAddressKeys?) { (self.shown, self.keys) = (shown, keys) }

    /// - Returns: how many rows of the audit log there are.
    package func write(
        from database: any Database, at now: Timestamp, _ append: (String) throws -> Void
    ) async throws -> Int {
        let owner = shown.details.row.account
        let macs = (try? EmailAddress(owner.email)).flatMap { keys?.macs(of: $0) } ?? []
        var search = AuditSearch()
        (search.user, search.until) = (.init(account: owner.id, addresses: macs), now)
        let messages = try await database.read {
            try SignOutQueue(randomness: SystemRandomness()).all(isWaiting: false, of: owner.id, limit: 10_000, $0)
        }
        let picture = try await database.read { try ProfileStore.picture(of: owner.id, $0) }
        try append(start(messages, picture, at: now))
        var (names, count) = (AccountNames(database), 0)
        try await AuditStore(database: database).eachPage(search) { entries in
            for line in try await names.lines(entries).map(AuditOutput.json) {
                try append((count == 0 ? "\n " : ",\n ") + line)
                count += 1
            }
        }
        try append("]}\n")
        return count
    }

    /// Until where the rows of the audit log begin.
    private func start(_ messages: [QueuedSignOut], _ picture: ProfilePicture?, at now: Timestamp) -> String {
        let file = picture.map {
            JSONText.object([.init("type", $0.kind.contentType), .init("base64", Data($0.bytes).base64EncodedString())])
        }
        return """
            {"exported_at":\(JSONText.string(PlainDate.rfc3339(now))),
            "account":\(JSONText.object(shown.members)),
            "picture":\(file ?? "null"),
            "sign_outs":[\(messages.map(SignOutOutput.json).joined(separator: ",\n "))],
            "audit":[
            """
    }

    /// The same text for a user of the running program.
    static func text(of accountID: String, _ parts: SharedParts) async throws -> String {
        let keys = AuditAddressKeys(parts.keys)
        guard let account = try await parts.database.read({ try AccountStore.find(accountID, $0) }),
            let details = try await AccountAdministration(database: parts.database, clock: parts.clock)
                .details(of: account.email, file: ClientRegistry([], of: .builtIn))
        else { throw PublicError.notFound }
        let sessions = try await parts.database.read { try ListedSession.all(of: account, parts.appDevices, $0) }
        let ids = (try? EmailAddress(account.email)).map { keys.ids(of: $0) } ?? []
        let shown = ShownAccount(details: details, sessions: sessions, addressIDs: ids)
        var text = ""
        _ = try await UserExport(shown: shown, keys: keys).write(from: parts.database, at: parts.clock.now()) {
            text += $0
        }
        return text
    }
}
