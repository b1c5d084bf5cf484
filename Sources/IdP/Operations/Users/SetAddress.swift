package import IdPAccounts
package import IdPClients
import IdPSignOut
package import SSOShared
import SSOWeb
package import Storage

/// Gives an account another address. The account keeps its id, and what relying parties know of it.
///
/// By command only, never on a page of operators: a thief of an operator's session could take accounts over there. Every sign-in and
/// every known browser ends, and both addresses are told. A user's own change (``ChangeOwnAddress``) cannot be stopped any more.
package struct SetAddress: OperatorChange {
    private let address: String
    private let new: EmailAddress
    private let changes: any AccountChangeReporter

    package init(_ address: String, to new: EmailAddress, reporting changes: any AccountChangeReporter) {
        (self.address, self.new, self.changes) = (address, new, changes)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Account> {
        let account = try context.keptAccount(address, connection)
        guard !account.email.utf8.elementsEqual(new.text.utf8) else { return account.unchanged }
        let others = [
            try AccountStore.find(email: new.text, connection), try AccountStore.find(.email(new), connection),
        ]
        if let other = others.compactMap(\.self).first {
            throw ChangeError(
                "\(new.text) is the address of another account (\(other.id)). Use an address that no account has, or erase that account first."
            )
        }
        try AddressChangeStore.forget(of: account.id, connection)
        guard try !AddressChangeStore.isKept(new.text, at: context.now, connection) else {
            throw ChangeError(
                "\(new.text) was the address of another account until its user changed it, less than 24 hours ago. The owner of the address can stop that. Try again tomorrow."
            )
        }
        try context.endSignIns(of: account, .addressChanged, connection)
        try AccountStore.set(email: new, account, connection)
        // The browsers that know the new address knew it before this account had it.
        try AccountStore.forgetBrowsers(of: new.mailbox, connection)
        try InvitationStore.withdraw(of: account.id, at: context.now, connection)
        try context.note(.address, account, connection)
        let changed = try account.changed(connection)
        try changes.report(
            .addressChanged(from: account.email), of: changed.result,
            by: ChangeOrigin(withoutRequestOf: account), connection)
        return changed
    }
}
