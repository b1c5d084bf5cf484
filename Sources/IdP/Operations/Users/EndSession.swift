package import IdPAccounts
package import IdPClients
import SSOWeb
package import Storage

/// Ends one browser's or app's sign-in of a user, and tells the clients.
package struct EndSession: OperatorChange {
    let address, id: String
    let devices: AppDevices

    /// - Parameter id: ``UserSession/id``.
    package init(of address: String, id: String, devices: AppDevices) {
        (self.address, self.id, self.devices) = (address, id, devices)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try AccountStore.named(address, connection)
        let ended = try devices.endSession(id, of: account, by: context.actor, connection) {
            try context.record($0, connection)
        }
        guard ended != nil else {
            throw ChangeError("\(account.email) has no session \(id). idp user sessions \(account.email) has all.")
        }
        return Changed(account, isChanged: true)
    }
}
