import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

struct RenameAction: UserAction {
    static let id = "user_name"
    static let path = "/admin/users/:id/name"
    static let title = Text("admin.rename-title")
    static let done = Text("admin.done-renamed")
    static let needsKept = true
    let desk: AdminDesk

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.rename", ["address": try account(asked, connection).email])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [
            AdminField(
                "name", Text("admin.name"), hint: Text("admin.name-hint"), isRequired: true,
                value: try AdminView.account(asked.id, connection)?.name ?? "")
        ]
    }

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard let name = DisplayName.normalised(asked.text("name")) else {
            throw AdminProblems("name", Text("admin.name-wrong"))
        }
        let values: [String: any TextValue] = ["before": account.name, "after": name]
        return (
            Text("admin.rename", ["address": account.email]), [Text("admin.effect-name", values)], nil, "name"
        )
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        guard let name = DisplayName.normalised(asked.text("name")) else { throw PublicError.notFound }
        _ = try RenameUser(account.email, to: name).make(context, connection)
        return .done(nil)
    }
}

struct EndDateAction: UserAction {
    static let id = "user_end_date"
    static let path = "/admin/users/:id/end-date"
    static let title = Text("admin.end-date-title")
    static let done = Text("admin.done-end-date")
    static let otherDone: Text? = Text("admin.done-end-removed")
    static let keepsOut = true
    static let needsKept = true
    let desk: AdminDesk

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.set-end", ["address": try account(asked, connection).email])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        let end = try AdminView.account(asked.id, connection)?.endsAt
        return [
            AdminField(
                "date", Text("admin.end-date"), hint: Text("admin.end-date-hint"), type: "date",
                value: end.map(EndDate.text) ?? "")
        ]
    }

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        let text = asked.text("date")
        let end = text.isEmpty ? nil : EndDate.read(text)
        guard text.isEmpty || end != nil else { throw AdminProblems("date", Text("admin.last-day-wrong")) }
        var effects = [
            end.map { Text("admin.effect-end-date", ["date": EndDate.text($0)]) } ?? Text("admin.effect-no-end-date")
        ]
        if let end, end <= desk.parts.clock.now() { effects += try endings(of: account, connection) }
        return (Text("admin.set-end", ["address": account.email]), effects, nil, "end_date")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        let end = EndDate.read(asked.text("date"))
        _ = try SetEndDate(account.email, to: end).make(context, connection)
        return .done(nil, isOther: end == nil)
    }
}

/// Joins and leaves groups, so that the user is in exactly those that are named.
struct GroupsAction: UserAction {
    static let id = "user_groups"
    static let path = "/admin/users/:id/groups"
    static let title = Text("admin.groups-title")
    static let done = Text("admin.done-groups")
    let desk: AdminDesk

    func title(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Text {
        Text("admin.set-groups", ["address": try account(asked, connection).email])
    }

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        let own = try AdminView.account(asked.id, connection).map { try AdminView.groups(of: $0, connection) } ?? []
        return [
            AdminField(
                "groups", Text("admin.groups"), hint: Text("admin.groups-hint"), isArea: true,
                value: own.joined(separator: "\n"))
        ]
    }

    private func change(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (joined: [String], left: [String]) {
        let (own, wished) = (try AdminView.groups(of: account, connection), asked.names("groups"))
        for group in wished where try AdminView.group(group, connection) == nil {
            throw AdminProblems("groups", Text("admin.no-group", ["name": AdminWriter.cut(group)]))
        }
        return (Set(wished).subtracting(own).sorted(), own.filter { !wished.contains($0) })
    }

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        let (joined, left) = try change(account, asked, connection)
        guard !joined.isEmpty || !left.isEmpty else { throw AdminProblems("groups", Text("admin.no-change")) }
        let groups = try AdminView.groups(of: account, connection).filter { !left.contains($0) } + joined
        let before = try AdminView.groups(of: account, connection)
        let clients = try AdminView.clients(file: desk.file, connection).filter(\.isEnabled)
        let lost = clients.filter { $0.client.access.admits(before) && !$0.client.access.admits(groups) }
        let won = clients.filter { !$0.client.access.admits(before) && $0.client.access.admits(groups) }
        let effects =
            joined.map { Text("admin.effect-joins", ["name": $0]) }
            + left.map { Text("admin.effect-leaves", ["name": $0]) }
            + won.map { Text("admin.effect-enters", ["name": $0.client.name]) }
            + lost.map { Text("admin.effect-loses", ["name": $0.client.name]) }
        return (
            Text("admin.set-groups", ["address": account.email]), effects, nil, (joined + left).joined(separator: " ")
        )
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        let (joined, left) = try change(account, asked, connection)
        for group in joined { _ = try JoinGroup(group, [account.email]).make(context, connection) }
        for group in left { _ = try LeaveGroup(group, [account.email], file: desk.file).make(context, connection) }
        return .done(nil)
    }
}

/// Invites a user by email, or makes a link to copy for the first sign-in.
struct InviteAction: AdminAction {
    static let id = "user_invite"
    static let takesLinks = true
    static let path = "/admin/users/invite"
    static let title = Text("admin.invite")
    static let done = Text("admin.done-invited")
    static let otherDone: Text? = Text("admin.done-not-sent")
    let desk: AdminDesk
    let mail: InvitationMail

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [
            AdminField(
                "address", Text("admin.address"), hint: Text("admin.invite-hint"), type: "email", isRequired: true),
            AdminField("groups", Text("admin.groups"), hint: Text("admin.groups-hint"), isArea: true),
            AdminField("date", Text("admin.end-date"), hint: Text("admin.end-date-hint"), type: "date"),
            AdminField(
                "language", Text("admin.language"),
                options: desk.parts.pages.languages.all.map {
                    ($0.rawValue, Text("admin.value", ["value": desk.parts.pages.name(of: $0)]))
                }),
        ]
    }

    private struct Read {
        let address: EmailAddress
        let groups: [String]
        let end: Timestamp?
        let language: Language
    }

    private func read(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Read {
        var problems: [(field: String, text: Text)] = []
        let address = try? Entered.address(asked.text("address"))
        if address == nil { problems.append(("address", Text("admin.address-wrong"))) }
        for group in asked.names("groups") where try AdminView.group(group, connection) == nil {
            problems.append(("groups", Text("admin.no-group", ["name": AdminWriter.cut(group)])))
        }
        let date = asked.text("date")
        let end = date.isEmpty ? nil : EndDate.read(date)
        if !date.isEmpty, end == nil || end.map({ $0 <= desk.parts.clock.now() }) == true {
            problems.append(("date", Text("admin.date-wrong")))
        }
        guard problems.isEmpty, let address else { throw AdminProblems(problems) }
        return Read(
            address: address, groups: asked.names("groups"), end: end,
            language: desk.parts.pages.languages.named(asked.text("language")) ?? .english)
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        let read = try read(asked, connection)
        let known = try AdminView.account(of: read.address.text, connection)
        if let known, known.eraseAt != nil { throw AdminProblems("address", known.erasing) }
        let isUsed = try known.map { try AdminView.isUsed($0, connection) } ?? false
        let isInvited =
            try known.flatMap { try AdminView.invitation(of: $0, connection) }?.isPending(at: desk.parts.clock.now())
            ?? false
        let end =
            known.map { InviteUser.end(of: $0, isNew: $0.addedAt == nil, invitedUntil: read.end) } ?? read.end
        if isUsed, read.end != nil, end != known?.endsAt { throw AdminProblems("date", Text("admin.date-used")) }
        let invites = desk.parts.hasMail ? Text("admin.effect-invite") : Text("admin.effect-add")
        var effects = [isUsed ? Text("admin.effect-known") : isInvited ? Text("admin.effect-invited") : invites]
        effects += read.groups.map { Text("admin.effect-joins", ["name": $0]) }
        if !isUsed, end != known?.endsAt {
            effects.append(
                end.map { Text("admin.effect-end-date", ["date": EndDate.text($0)]) }
                    ?? Text("admin.effect-no-end-date"))
        }
        return AdminPlan(
            Text("admin.invite-named", ["address": read.address.text]), effects, home: AdminPath.users,
            account: known?.id, state: known?.id ?? "", names: "groups end_date language")
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        let read = try read(asked, connection)
        let invited = try InviteUser(
            read.address, groups: read.groups, end: read.end, language: read.language,
            mail: desk.parts.hasMail ? mail : nil
        ).make(context, connection)
        return .done(AdminPath.user(invited.result.account), isOther: !invited.result.isSent)
    }
}

struct ResendAction: UserAction {
    static let id = "user_resend"
    static let path = "/admin/users/:id/resend"
    static let title = Text("admin.resend-title")
    static let done = Text("admin.done-invited")
    static let needsKept = true
    let desk: AdminDesk
    let mail: InvitationMail

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard try !AdminView.isUsed(account, connection) else {
            throw AdminRefusal(Text("admin.is-used"), account: account.id)
        }
        guard desk.parts.hasMail else { throw AdminRefusal(Text("admin.no-mail"), account: account.id) }
        return (Text("admin.resend", ["address": account.email]), [Text("admin.effect-resend")], nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try ResendInvitation(account.email, mail: mail).make(context, connection)
        return .done(nil)
    }
}

struct WithdrawAction: UserAction {
    static let id = "user_withdraw"
    static let path = "/admin/users/:id/withdraw"
    static let title = Text("admin.withdraw-title")
    static let done = Text("admin.done-withdrawn")
    static let keepsOut = true
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard try !AdminView.isUsed(account, connection) else {
            throw AdminRefusal(Text("admin.is-used"), account: account.id)
        }
        let withdrawal = try AdminView.withdrawal(of: account, at: desk.parts.clock.now(), connection)
        guard withdrawal.changesAnything else {
            throw AdminRefusal(Text("admin.no-invitation"), account: account.id)
        }
        var effects = withdrawal.endsLink ? [Text("admin.effect-withdraw")] : []
        if withdrawal.isRemoved {
            effects.append(Text("admin.effect-not-added"))
            effects += try AdminView.groups(of: account, connection).map {
                Text("admin.effect-leaves", ["name": $0])
            }
        }
        return (Text("admin.withdraw", ["address": account.email]), effects, nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try WithdrawInvitation(account.email).make(context, connection)
        return .done(nil)
    }
}

/// Makes a link for the first sign-in, which the admin copies. Nothing shows it again.
struct LinkAction: UserAction {
    static let id = "user_link"
    static let path = "/admin/users/:id/link"
    static let title = Text("admin.link-title")
    static let done = Text("admin.done-link")
    /// A thief who opens the link of an account that `IDP_ADMINS` names, and adds a passkey, would be an admin for good.
    static let keepsOut = true
    static let needsKept = true
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard try !AdminView.isUsed(account, connection) else {
            throw AdminRefusal(Text("admin.is-used"), account: account.id)
        }
        return (Text("admin.link", ["address": account.email]), [Text("admin.effect-link")], nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        let key = try PrintedLinkKey()
        _ = try PrintLink(key, for: EmailAddress(account.email), desk.parts.eligibility).make(context, connection)
        let link = desk.parts.origin.text + SignInPath.printedLink + "/" + key.wire
        return .shown { [$0.code(Text("admin.link-label"), link)] }
    }
}
