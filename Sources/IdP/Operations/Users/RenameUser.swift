package import IdPAccounts
package import IdPClients
import SSOWeb
package import Storage

/// Gives a user another name, as clients show it.
package struct RenameUser: OperatorChange {
    private let address, name: String

    /// - Parameter name: in its form (``DisplayName``).
    package init(_ address: String, to name: String) { (self.address, self.name) = (address, name) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.keptAccount(address, connection)
        guard !account.name.utf8.elementsEqual(name.utf8) else { return account.unchanged }
        try connection.execute(
            "UPDATE account SET name = :name, updated_at = :now WHERE id = :id",
            ["name": .text(name), "now": .timestamp(context.now), "id": .text(account.id)])
        try context.note(.name, account, connection)
        return try account.changed(connection)
    }
}
