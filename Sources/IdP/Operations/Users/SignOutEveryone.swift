package import IdPAccounts
package import IdPClients
import Storage

/// Signs every account out, in slices of accounts. Each slice is one transaction, with its messages to clients.
package struct SignOutEveryone: Sendable {
    private let changes: OperatorChanges

    package init(_ changes: OperatorChanges) { self.changes = changes }

    /// - Returns: how many accounts there are, and the clients' messages.
    package func make() async throws -> (accounts: Int, told: SignOuts.Told) {
        var (last, count, told) = ("", 0, SignOuts.Told())
        while true {
            let slice = try await changes.make(SignOutSlice(after: last)).result
            (count, told) = (count + slice.ids.count, told + slice.told)
            guard slice.ids.count == SignOutSlice.limit, let id = slice.ids.last else { return (count, told) }
            last = id
        }
    }
}

/// Signs out the accounts that come next by their id.
private struct SignOutSlice: OperatorChange {
    struct Slice: Sendable {
        var ids: [String] = []
        var told = SignOuts.Told()
    }

    /// Accounts in one transaction.
    static let limit = 100

    let after: String

    func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Slice> {
        let accounts = try connection.query(
            "SELECT \(Account.columns) FROM account WHERE id > :after ORDER BY id LIMIT :limit",
            ["after": .text(after), "limit": .integer(Int64(Self.limit))]
        ).map(Account.init)
        var slice = Slice()
        for account in accounts {
            slice.ids.append(account.id)
            slice.told = slice.told + (try context.endSignIns(of: account, .byOperator, connection))
            try context.note(.signedOut, account, connection)
        }
        return Changed(slice, isChanged: !accounts.isEmpty)
    }
}
