import IdPAccounts
package import IdPClients
import IdPSignOut
import SSOShared
package import SSOWeb
package import Storage

/// Adds the users of a file, and updates those that are there: the whole file or nothing. A second run changes nothing.
package struct ImportUsers: OperatorChange {
    private let file: ImportFile
    private let options: ImportPlan.Options
    private let mail: InvitationMail?

    /// - Parameter mail: nil where nobody is invited.
    package init(_ file: ImportFile, _ options: ImportPlan.Options, mail: InvitationMail?) {
        (self.file, self.options, self.mail) = (file, options, mail)
    }

    /// The faults of a file, each with its line. Nothing is changed.
    package struct Faults: Error {
        package let faults: [CSVFile.LineError]
    }

    /// What the change would do, and why it is refused (``ImportPlan/refusal``). Changes nothing.
    ///
    /// - Throws: ``Faults``.
    package func plan(at now: Timestamp, _ connection: any SQLConnection) throws -> ImportPlan {
        let plan = try ImportPlan(file, options, at: now, connection)
        let faults = (file.faults + plan.faults).sorted { $0.line < $1.line }
        guard faults.isEmpty else { throw Faults(faults: faults) }
        return plan
    }

    package func make(_ context: ChangeContext, _ connection: any SQLConnection) throws -> Changed<ImportPlan> {
        let plan = try plan(at: context.now, connection)
        if let refusal = plan.refusal { throw ChangeError(refusal) }
        for step in plan.steps { try make(step, context, connection) }
        return Changed(plan, isChanged: !plan.steps.isEmpty)
    }

    private func make(_ step: ImportPlan.Step, _ context: ChangeContext, _ connection: any SQLConnection) throws {
        if step.kind == .disable, let account = step.account {
            try AccountStore.set(disabled: true, account.id, connection)
            try context.endSignIns(of: account, .disabled, connection)
            return try context.note(.disabled, account, detail: "import", connection)
        }
        guard let user = step.user else { return }
        if step.kind == .add {
            try AccountStore.add(
                AddedAccount(email: user.email, name: user.name, end: step.until?.end, language: nil, .imported),
                context, connection)
        }
        guard let account = try AccountStore.find(email: user.email.text, connection) else {
            throw DatabaseError.unavailable("an account vanished while it was imported")
        }
        if step.kind == .update {
            try AccountStore.markImported(account, at: context.now, connection)
            if let until = step.until { try context.setEnd(until.end, of: account, connection) }
        }
        if step.kind != .invite {
            try context.note(.imported, account, detail: step.details.joined(separator: " "), connection)
        }
        for group in step.groups { _ = try GroupStore.join([account], group, context, connection) }
        if step.isInvited, let mail {
            try mail.invite(
                account, client: options.client, from: nil, language: options.language, context, connection)
        }
    }
}
