import IdPAccounts
import IdPClients
import IdPProviders
import SSOShared
import SSOWeb
import Storage

/// Carries out what Apple reports about a user. Doing it twice changes nothing more.
package struct AppleChanges: Sendable {
    let accounts: AccountStore
    let changes: any AccountChangeReporter

    enum Outcome: Sendable {
        /// The identity was removed, and every sign-in of the account has ended.
        case removed(accountID: String)
        /// Whether the private relay forwards emails is noted.
        case noted
        /// No account has this identity, or not any more.
        case unknownSubject
        /// The user has linked or used the identity again since, or there was a newer report.
        case outdated(accountID: String)
        /// An event of a type that means nothing here.
        case ignored
    }

    func apply(
        _ notification: AppleNotification, _ provider: Provider, _ audit: RequestAudit?
    ) async throws -> Outcome {
        let (issuer, subject) = (provider.issuer, notification.subject)
        return try await accounts.database.write { connection in
            switch notification.event {
            case .consentRevoked, .accountDeleted:
                return try remove(
                    issuer, subject, provider.id, notification.occurredAt, audit, connection)
            case .emailDisabled, .emailEnabled:
                guard let (account, _) = try accounts.owner(issuer: issuer, subject: subject, connection) else {
                    return .unknownSubject
                }
                let isNoted = try accounts.note(
                    emailDisabled: notification.event == .emailDisabled, at: notification.occurredAt, issuer: issuer,
                    subject: subject, connection)
                return isNoted ? .noted : .outdated(accountID: account.id)
            case .other: return .ignored
            }
        }
    }

    private func remove(
        _ issuer: String, _ subject: String, _ provider: String, _ occurredAt: Timestamp,
        _ audit: RequestAudit?, _ connection: any SQLConnection
    ) throws -> Outcome {
        guard let (account, identity) = try accounts.owner(issuer: issuer, subject: subject, connection) else {
            return .unknownSubject
        }
        // A delayed notification must not undo what the user did after it: who has signed in with Apple since has permitted
        // it again. Apple's clock may be a little late. A use that is ahead was noted while our clock was wrong.
        let lastConsent = max(identity.addedAt, min(identity.usedAt ?? identity.addedAt, accounts.clock.now()))
        guard lastConsent <= occurredAt + ClockSkew.tolerated else { return .outdated(accountID: account.id) }
        try accounts.withdraw(
            issuer: issuer, subject: subject, from: account.id, by: provider, audit, connection)
        // The log says it with the notification.
        let event = Event(
            .identityRevoked, by: .provider(provider), account: account.id, cause: "withdrawn", detail: provider)
        try audit?.record(event.only(in: .auditLog), connection)
        // The relay forwards nothing any more.
        let isRelay = identity.isPrivateEmail && identity.email?.utf8.elementsEqual(account.email.utf8) == true
        if !isRelay {
            try changes.report(
                .withdrawn(provider: provider), of: account, by: ChangeOrigin(withoutRequestOf: account), connection)
        }
        return .removed(accountID: account.id)
    }
}

extension AppleChanges.Outcome {
    /// A stable word for the log.
    var name: String {
        switch self {
        case .removed: "removed"
        case .noted: "noted"
        case .unknownSubject: "unknown_subject"
        case .outdated: "outdated"
        case .ignored: "ignored"
        }
    }

    var accountID: String? {
        switch self {
        case .removed(let id), .outdated(let id): id
        case .noted, .unknownSubject, .ignored: nil
        }
    }
}

extension AppleNotification.Event {
    /// Apple's word for it, for the log.
    var name: String {
        switch self {
        case .consentRevoked: "consent-revoked"
        case .accountDeleted: "account-delete"
        case .emailDisabled: "email-disabled"
        case .emailEnabled: "email-enabled"
        case .other(let type): type
        }
    }
}
