import IdPAccounts
import SSOShared
package import SSOWeb
import Storage

/// What an import does, before it does it.
package struct ImportPlan: Sendable {
    /// A change of one account.
    package struct Step: Sendable {
        package enum Kind: Sendable, Equatable { case add, update, disable, invite }

        package let kind: Kind
        package let email: String
        /// For the operator: what is different then.
        package var details: [String] = []
        let user: ImportFile.User?
        let account: Account?
        var groups: [String] = []
        /// Nil where it stays.
        var until: ImportFile.Until?
        /// Whether its account has another end date then.
        package var changesEnd: Bool { until != nil }
        /// Whether its user is sent an invitation.
        package var isInvited = false
    }

    /// In the order of the file, and then those who are disabled.
    package private(set) var steps: [Step] = []
    package private(set) var unchanged = 0
    package private(set) var faults: [CSVFile.LineError] = []
    /// Accounts of the file that stay disabled.
    package private(set) var stillDisabled: [String] = []
    /// Why it is not carried out; nil for one that is.
    package private(set) var refusal: String?
    /// How many imported accounts can sign in before.
    private var imported = 0

    /// How much an import may change.
    package struct Options: Sendable {
        /// Whether imported users who are missing from the file are disabled.
        package var syncs = false
        /// So many may be, however many there are.
        package var disableAtMost: Int?
        /// Whether those are invited who have not signed in, and were not invited before.
        package var invites = false
        package var client: String?
        package var language = Language.english

        package init() {}
    }

    package func emails(_ kind: Step.Kind) -> [String] { steps.filter { $0.kind == kind }.map(\.email) }
    package var invited: [String] { steps.filter(\.isInvited).map(\.email) }

    /// An account as the plan needs it.
    private struct Known {
        let account: Account
        let isImported, hasBegun, isInvited: Bool
        let groups: Set<String>
    }

    /// Reads what there is, in the caller's transaction, and changes nothing.
    init(_ file: ImportFile, _ options: Options, at now: Timestamp, _ connection: any SQLConnection) throws {
        let known = try Self.known(connection)
        let groups = Set(try GroupStore.all(connection).map(\.id))
        for (line, named) in file.namedGroups {
            let unknown = named.filter { !groups.contains($0) }
            guard !unknown.isEmpty else { continue }
            fault(
                line,
                "groups: there is no group \(unknown.joined(separator: ", ")). Make it first: idp group add \(unknown[0])"
            )
        }
        for user in file.users {
            if let found = known[user.email.text] {
                plan(user, found, options, at: now)
            } else {
                add(user, options, at: now)
            }
        }
        if options.syncs { disableMissing(Set(file.users.map(\.email.text)), known) }
        refusal = reason(options, remaining: try InvitationStore.remaining(at: now, connection))
    }

    private mutating func fault(_ line: Int, _ text: String) { faults.append(.init(line: line, text)) }

    private mutating func add(_ user: ImportFile.User, _ options: Options, at now: Timestamp) {
        if let end = user.until?.end, end <= now { return fault(user.line, Self.past(end)) }
        var step = Step(kind: .add, email: user.email.text, user: user, account: nil, groups: user.groups)
        (step.until, step.isInvited) = (user.until, options.invites)
        step.details = Self.details(groups: user.groups, until: user.until?.end.map(ImportFile.Until.end))
        steps.append(step)
    }

    private static func past(_ end: Timestamp) -> String {
        "until: \(EndDate.text(end)) is in the past. Use a later day."
    }

    private mutating func plan(_ user: ImportFile.User, _ found: Known, _ options: Options, at now: Timestamp) {
        let account = found.account
        if account.eraseAt != nil {
            return fault(
                user.line,
                "email: \(account.email) is to be erased. Take the line out, or stop that first: idp user erase \(account.email) --cancel"
            )
        }
        if account.isDisabled { stillDisabled.append(account.email) }
        let new = user.groups.filter { !found.groups.contains($0) }
        let until = user.until.flatMap { $0.end == account.endsAt ? nil : $0 }
        // A day that was set before stays right when it is over: the next run changes nothing.
        if let end = until?.end, end <= now { return fault(user.line, Self.past(end)) }
        let maySignIn = !account.isDisabled && (until != nil || !account.isOver(at: now))
        let isInvited = options.invites && !found.hasBegun && !found.isInvited && maySignIn
        var details = Self.details(groups: new, until: until)
        if !found.isImported { details.insert("imported", at: 0) }
        guard !details.isEmpty || isInvited else { return unchanged += 1 }
        var step = Step(
            kind: details.isEmpty ? .invite : .update, email: account.email, details: details, user: user,
            account: account, groups: new)
        (step.until, step.isInvited) = (until, isInvited)
        steps.append(step)
    }

    private static func details(groups: [String], until: ImportFile.Until?) -> [String] {
        groups.map { "+\($0)" } + (until.map { ["until \($0.end.map(EndDate.text) ?? "never")"] } ?? [])
    }

    private mutating func disableMissing(_ listed: Set<String>, _ known: [String: Known]) {
        let all = known.values.filter { $0.isImported && !$0.account.isDisabledByOperator }
        imported = all.count
        for missing in all.filter({ !listed.contains($0.account.email) }).sorted(by: {
            $0.account.email < $1.account.email
        }) {
            steps.append(Step(kind: .disable, email: missing.account.email, user: nil, account: missing.account))
        }
    }

    /// A file that is cut off, or of another department, must not lock the company out.
    ///
    /// - Parameter remaining: how many invitations may be sent today.
    private func reason(_ options: Options, remaining: Int) -> String? {
        let disabled = emails(.disable).count
        let isMany = disabled > 5 && disabled * 100 > imported * 5
        let isAll = disabled > 0 && disabled == imported
        if let most = options.disableAtMost, disabled > most {
            return
                "--sync would disable \(disabled) of \(imported) imported users, and --disable-at-most allows \(most). Nothing was changed."
        }
        if isMany || isAll, options.disableAtMost == nil {
            return """
                --sync would disable \(disabled) of \(imported) imported users, \(isAll ? "which is all" : "more than 5 %"). \
                Nothing was changed. Look at them with --dry-run, and if that is right: --disable-at-most \(disabled)
                """
        }
        if invited.count > remaining {
            return """
                --invite would send \(invited.count) invitations, and \(remaining) more may be sent within these 24 hours. Nothing was \
                changed. Import without --invite, and then parts of the file with it.
                """
        }
        return nil
    }

    private static func known(_ connection: any SQLConnection) throws -> [String: Known] {
        var groups: [String: Set<String>] = [:]
        for row in try connection.query("SELECT account_id, group_id FROM group_member") {
            groups[try row.text("account_id"), default: []].insert(try row.text("group_id"))
        }
        var known: [String: Known] = [:]
        let rows = try connection.query(
            """
            SELECT \(Account.columns),
                   CASE WHEN imported_at IS NULL THEN 0 ELSE 1 END AS is_imported,
                   CASE WHEN EXISTS (SELECT 1 FROM account_identity i WHERE i.account_id = account.id)
                        THEN 1 ELSE 0 END AS has_identity,
                   CASE WHEN EXISTS (SELECT 1 FROM invitation i WHERE i.account_id = account.id)
                        THEN 1 ELSE 0 END AS is_invited
              FROM account
            """)
        for row in rows {
            let account = try Account(row)
            known[account.email] = Known(
                account: account, isImported: try row.integer("is_imported") != 0,
                hasBegun: try account.begunAt != nil || row.integer("has_identity") != 0,
                isInvited: try row.integer("is_invited") != 0,
                groups: groups[account.id] ?? [])
        }
        return known
    }
}
