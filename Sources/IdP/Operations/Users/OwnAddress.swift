package import IdPAccounts
package import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
package import Storage

/// Gives an account the address that its user has proven by the code of an ``AddressChange``. As ``SetAddress``: every sign-in and every
/// known browser ends, and clients are told.
package struct ChangeOwnAddress: OperatorChange {
    /// What became of it.
    package enum Outcome: Sendable, Equatable {
        case changed
        /// Another account has the address since the code was sent.
        case taken
        /// It was made before, or the account has another address or has ended.
        case ended
    }

    private let change: AddressChange
    private let accounts: AccountStore

    package init(_ change: AddressChange, _ accounts: AccountStore) {
        (self.change, self.accounts) = (change, accounts)
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Outcome> {
        guard change.fate == .code,
            let account = try AccountStore.find(change.accountID, connection),
            account.email.utf8.elementsEqual(change.oldAddress.utf8), !account.isDisabled
        else { return Changed(.ended, isChanged: false) }
        let new = try EmailAddress(change.newAddress)
        guard try AccountStore.find(email: new.text, connection) == nil,
            try AccountStore.find(.email(new), connection) == nil,
            try !AddressChangeStore.isKept(new.text, at: context.now, connection)
        else { return Changed(.taken, isChanged: false) }
        guard try AddressChangeStore.take(change.id, at: context.now, connection) else {
            return Changed(.ended, isChanged: false)
        }
        try context.move(account, to: new, connection)
        // Its user has read an email there.
        try accounts.add(.email(new), to: account, connection)
        try context.note(.address, account, connection)
        return Changed(.changed, isChanged: true)
    }
}

/// Takes a change back for the owner of the old address, within 24 hours: the account has its old address again, and nothing of what
/// gives somebody a way in that was added since.
package struct StopAddressChange: OperatorChange {
    package enum Outcome: Sendable, Equatable {
        case stopped
        /// It was stopped before, its time is over, or an operator has decided meanwhile.
        case ended
    }

    private let id: String
    private let accounts: AccountStore

    package init(_ id: String, _ accounts: AccountStore) { (self.id, self.accounts) = (id, accounts) }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<Outcome> {
        guard let change = try AddressChangeStore.stoppable(id, at: context.now, connection),
            let since = change.changedAt, let account = try AccountStore.find(change.accountID, connection),
            try AccountStore.find(email: change.oldAddress, connection) == nil,
            try AddressChangeStore.stop(id, at: context.now, connection)
        else { return Changed(.ended, isChanged: false) }
        let old = try EmailAddress(change.oldAddress)
        try context.move(account, to: old, connection)
        try accounts.add(.email(old), to: account, connection)
        let removed = try context.removeWays(of: account, addedSince: since, accounts, connection)
        try context.record(
            Event(.addressChangeStopped, account: account.id, detail: "\(removed)"), connection)
        return Changed(.stopped, isChanged: true)
    }
}

extension ChangeContext {
    /// Gives an account another address, and ends what the one before has opened.
    fileprivate func move(_ account: Account, to new: EmailAddress, _ connection: any SQLConnection) throws {
        try endSignIns(of: account, .addressChanged, connection)
        try AccountStore.set(email: new, account, connection)
        // The browsers that know the new address knew it before this account had it.
        try AccountStore.forgetBrowsers(of: new.mailbox, connection)
        try InvitationStore.withdraw(of: account.id, at: now, connection)
    }

    /// Removes the passkeys, providers and keys of apps that were added since a moment.
    ///
    /// - Returns: how many.
    fileprivate func removeWays(
        of account: Account, addedSince since: Timestamp, _ accounts: AccountStore, _ connection: any SQLConnection
    ) throws -> Int {
        var removed = 0
        for passkey in try PasskeyStore.all(of: account.id, connection) where passkey.addedAt >= since {
            guard
                case .removed = try PasskeyStore.remove(
                    passkey.id, of: account.id, keepingLast: false, connection)
            else { continue }
            try record(PasskeyEnd.stopped.event(of: passkey.id, account.id), connection)
            removed += 1
        }
        for identity in try AccountStore.identities(of: account.id, connection) where identity.addedAt >= since {
            guard try accounts.unlink(identity, from: account.id, connection) else { continue }
            try record(
                Event(
                    .identityRevoked, account: account.id, cause: "address_change_stopped", detail: identity.provider),
                connection)
            removed += 1
        }
        for key in try AppKeyStore.keys(of: account.id, now: now, connection) where key.createdAt >= since {
            for ended in try AppKeyStore.end(.ofAccount(account.id, id: key.id), connection) {
                try record(ended.event(.appKeyEnded, by: actor, cause: "user"), connection)
                removed += 1
            }
        }
        return removed
    }
}
