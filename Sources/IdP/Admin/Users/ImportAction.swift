import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// Adds the users of a pasted CSV text, and updates those that are there. The page shows the plan first.
struct ImportAction: AdminAction {
    static let id = "user_import"
    static let path = "/admin/users/import"
    static let title = Text("admin.import")
    static let done = Text("admin.done-imported")
    static let maximumLines = 500
    let desk: AdminDesk
    let mail: InvitationMail

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        let csv = AdminField(
            "csv", Text("admin.csv"), hint: Text("admin.csv-hint"), isArea: true, isRequired: true,
            value: "email,name,groups,until\n")
        let invite = AdminField(
            "invite", Text("admin.import-invite"), options: [("no", Text("admin.no")), ("yes", Text("admin.yes"))])
        return desk.parts.hasMail ? [csv, invite] : [csv]
    }

    private func change(_ asked: AdminAsked) throws -> ImportUsers {
        let text = asked.text("csv")
        guard text.split(whereSeparator: \.isNewline).count <= Self.maximumLines + 1 else {
            throw AdminProblems("csv", Text("admin.csv-long"))
        }
        var options = ImportPlan.Options()
        options.invites = asked.text("invite") == "yes"
        return ImportUsers(ImportFile(Array(Self.withCommas(text).utf8)), options, mail: mail)
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        let plan: ImportPlan
        do { plan = try change(asked).plan(at: desk.parts.clock.now(), connection) } catch let faults
            as ImportUsers.Faults
        {
            throw AdminProblems(
                faults.faults.prefix(20).map {
                    let words = EnglishWords(AdminWriter.cut($0.text))
                    return ("csv", Text("admin.csv-fault", ["line": String($0.line), "fault": words]))
                })
        }
        if let refusal = plan.refusal {
            throw AdminProblems("csv", Text("admin.refused", ["reason": EnglishWords(refusal)]))
        }
        let kept = plan.steps.filter { $0.changesEnd && isKept($0.email, from: admin) }
        guard kept.isEmpty else {
            throw AdminProblems(kept.map { ("csv", Text("admin.protected-import", ["address": $0.email])) })
        }
        guard !plan.steps.isEmpty else { throw AdminProblems("csv", Text("admin.no-change")) }
        var effects = [
            Text("admin.effect-added", count: plan.emails(.add).count),
            Text("admin.effect-updated", count: plan.emails(.update).count),
            Text("admin.effect-invitations", count: plan.invited.count),
            Text("admin.effect-unchanged", count: plan.unchanged),
        ]
        effects += plan.steps.prefix(100).map { step in
            let details = (step.details + (step.isInvited ? ["invited"] : [])).joined(separator: ", ")
            return Text("admin.effect-step", ["address": step.email, "details": EnglishWords(details)])
        }
        return AdminPlan(Text("admin.import"), effects, home: AdminPath.users, names: "users")
    }

    /// Whether no admin keeps this user out.
    private func isKept(_ email: String, from admin: Admin) -> Bool {
        desk.parts.admins.contains(email) || email.utf8.elementsEqual(admin.user.account.email.utf8)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        _ = try change(asked).make(context, connection)
        return .done(nil)
    }

    /// The same text with commas between its fields, if its first line has semicolons there, as spreadsheets write it in many
    /// countries.
    static func withCommas(_ text: String) -> String {
        let header = text.prefix { !$0.isNewline }
        guard header.contains(";"), !header.contains(",") else { return text }
        var (result, field, isQuoted) = ("", "", false)
        func end(_ separator: String) {
            // A comma in the field would end it.
            result += (field.contains(",") && !field.hasPrefix("\"") ? "\"\(field)\"" : field) + separator
            field = ""
        }
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            switch character {
            case ";" where !isQuoted: end(",")
            case _ where character.isNewline && !isQuoted: end("\n")
            default: field.append(character)
            }
        }
        end("")
        return result
    }
}
