import IdPAccounts
package import IdPClients
package import IdPSignOut
import Storage

/// Signs every account out, in slices of accounts. Each slice is one transaction, with its messages to clients.
package struct SignOutEveryone: Sendable {
    private let changes: OperatorChanges

    package init(_ changes: OperatorChanges) { self.changes = changes }

    /// - Returns: how many accounts were signed in, and the clients' messages.
    package func make() async throws -> (accounts: Int, told: SignOuts.Told) {
        var (last, count, told) = ("", 0, SignOuts.Told())
        while true {
            let slice = try await changes.make(SignOutSlice(after: last)).result
            (count, told) = (count + slice.count, told + slice.told)
            guard let id = slice.last else { return (count, told) }
            last = id
        }
    }
}

/// Signs out the accounts that come next by their id.
private struct SignOutSlice: OperatorChange {
    struct Slice: Sendable {
        /// The last account; nil if no others come after it.
        var last: String?
        /// How many were signed in.
        var count = 0
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
        slice.last = accounts.count == Self.limit ? accounts.last?.id : nil
        for account in accounts {
            guard let told = try context.endSignIns(of: account, .byOperator, connection) else { continue }
            (slice.count, slice.told) = (slice.count + 1, slice.told + told)
            try context.note(.signedOut, account, connection)
        }
        return Changed(slice, isChanged: slice.count > 0)
    }
}
