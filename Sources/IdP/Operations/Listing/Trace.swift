package import IdPAccounts
package import IdPClients
import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// Finds out why a sign-in failed: the timeline of a reference, a flow, an address or a client, from the audit log, with the meaning of each
/// event and the remedy of its cause.
package struct Trace: Sendable {
    package static let maximumRows = 100

    private let events: [String: EventKind]
    private let addresses: AuditAddressKeys?
    private let eligibility: SignInEligibility
    /// When the next email may go to an address, in the caller's transaction; nil for now.
    let nextEmail: @Sendable (EmailAddress, Timestamp, any SQLConnection) throws -> Timestamp?

    /// - Parameters:
    ///   - addresses: finds rows of addresses that have no account; nil without `IDP_SECRET_KEY`.
    ///   - eligibility: who may sign in.
    ///   - nextEmail: when the next email may go to an address, in the caller's transaction; nil for now.
    package init(
        events: [EventKind], addresses: AuditAddressKeys?, eligibility: SignInEligibility,
        nextEmail: @escaping @Sendable (EmailAddress, Timestamp, any SQLConnection) throws -> Timestamp? = { _, _, _ in
            nil
        }
    ) {
        self.nextEmail = nextEmail
        self.events = Dictionary(events.map { ($0.id, $0) }) { first, _ in first }
        (self.addresses, self.eligibility) = (addresses, eligibility)
    }

    package struct Row: Sendable {
        package let entry: AuditEntry
        /// What happened, and what to do.
        package let remedy: String
        /// Whether that says what to do. Otherwise it is what the event means.
        package let hasRemedy: Bool
    }

    /// What is known about an address.
    package enum Finding: Sendable, Equatable {
        case notAllowed, disabled, ended, maySignIn
        /// Another address that has an account is spelt nearly the same.
        case misspelt(near: String)
        /// The mail server has the last email.
        case mailSent(at: Timestamp)
        case mailWaits(since: Timestamp)
        /// Class and code of the mail server's answer.
        case mailRefused(String, at: Timestamp)
        case mailExpired(String?, at: Timestamp)
        case mailLimited(until: Timestamp?)
        case networkLimited(String, at: Timestamp)
        /// No email was asked for to the address, and one to an address like it, which is shown in part.
        case typedAs(String, at: Timestamp)
        /// The word is a client of the database that is disabled, and is answered like one that does not exist.
        case serviceDisabled

        /// For the command.
        package func words(_ address: String) -> String {
            switch self {
            case .notAllowed:
                "\(address) may not sign in: IDP_ALLOWED_EMAILS does not name it, and nobody has added it. Invite the user: idp user invite \(address)"
            case .disabled: "\(address) is disabled. To let the user in: idp user enable \(address)"
            case .ended: "The end date of \(address) has passed. Set a later one: idp user set-end \(address) DATE"
            case .maySignIn: "\(address) may sign in."
            case .misspelt(let near): "There is no account with the address \(address). Did you mean \(near)?"
            case .serviceDisabled:
                "The service \(address) is disabled, and answered like one that does not exist. To let users in: idp client enable \(address)"
            default: mailWords(address) ?? ""
            }
        }
    }

    package struct Found: Sendable {
        package let account: Account?
        /// What is known beside the rows.
        package let findings: [Finding]
        /// The newest first.
        package let rows: [Row]
    }

    /// The meaning of a row: the remedy of its cause, or what the event says.
    package func remedy(of entry: AuditEntry) -> String {
        guard let kind = events[entry.event] else { return entry.event }
        if let near = entry.detail.flatMap(NearSecret.init(detail:)) { return near.remedy }
        return Self.words(of: kind, cause: entry.cause)
    }

    /// What went well needs no remedy, and its meaning names fields of the log.
    private func hasRemedy(_ entry: AuditEntry) -> Bool {
        guard let kind = events[entry.event] else { return false }
        return (kind.level ?? .info) > .info || kind.causes.contains { $0.id == entry.cause }
            || entry.detail.flatMap(NearSecret.init(detail:)) != nil
    }

    /// Links of the documents lead nowhere here: their labels stay.
    static func words(of kind: EventKind, cause: String?) -> String {
        (kind.causes.first { $0.id == cause }?.remedy ?? kind.help)
            .replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }
    }

    package func find(_ word: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Found {
        var search = AuditSearch()
        var (account, findings): (Account?, [Finding]) = (nil, [])
        if let address = try? Entered.address(word) {
            account = try AccountStore.find(email: address.text, connection)
            search.user = AuditSearch.User(
                account: account?.id, addresses: addresses.map { $0.macs(of: address) } ?? [])
            findings = try self.findings(address, account, connection)
            if findings == [.maySignIn] { findings += try mailFindings(address, search.user, at: now, connection) }
        } else if word.hasPrefix("usr_") {
            account = try AccountStore.find(word, connection)
            search.user = AuditSearch.User(account: word, addresses: [])
        }
        var rows: [AuditEntry] = []
        if search.user != nil {
            rows = try AuditStore.newest(search, before: nil, limit: Self.maximumRows, connection)
        } else {
            if try ClientStore().client(id: word, connection)?.isEnabled == false { findings = [.serviceDisabled] }
            for name in [\AuditSearch.reference, \.client] where rows.isEmpty {
                var search = AuditSearch()
                // A reference is in capital letters, however it was typed. The ids of clients differ by case.
                search[keyPath: name] = name == \.reference ? word.uppercased() : word
                rows = try AuditStore.newest(search, before: nil, limit: Self.maximumRows, connection)
            }
            if rows.isEmpty { rows = try AuditStore.rows(ofFlow: word, limit: Self.maximumRows, connection) }
        }
        return Found(
            account: account, findings: findings,
            rows: rows.map { Row(entry: $0, remedy: remedy(of: $0), hasRemedy: hasRemedy($0)) })
    }

    /// Why the address may not sign in, or that it may.
    private func findings(
        _ address: EmailAddress, _ account: Account?, _ connection: any SQLConnection
    ) throws -> [Finding] {
        let finding: Finding =
            switch try eligibility.standing(of: address.text, connection).reason {
            case .notAllowed?: .notAllowed
            case .disabled?: .disabled
            case .ended?: .ended
            case nil: .maySignIn
            }
        guard account == nil else { return [finding] }
        let near = try UnknownName.near(address.text, connection)
        return [finding] + (near.map { [.misspelt(near: $0)] } ?? [])
    }
}
