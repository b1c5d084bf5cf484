import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// A change of one user, whom `:id` of its path names.
protocol UserAction: AdminAction {
    var desk: AdminDesk { get }
    /// Whether it keeps the user out. An admin cannot do that to themselves, nor to those whom `IDP_ADMINS` names.
    static var keepsOut: Bool { get }
    /// Whether an account that is to be erased does not take it.
    static var needsKept: Bool { get }
    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String)
    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome
}

extension UserAction {
    static var keepsOut: Bool { false }
    static var needsKept: Bool { false }

    func account(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> Account {
        guard let account = try AdminView.account(asked.id, connection) else { throw PublicError.notFound }
        return account
    }

    func plan(_ asked: AdminAsked, by admin: Admin, _ connection: any SQLConnection) throws -> AdminPlan {
        let account = try account(asked, connection)
        if Self.keepsOut {
            if desk.parts.admins.contains(account.email) {
                throw AdminRefusal(
                    Text("admin.protected", ["address": account.email]), cause: "protected", account: account.id)
            }
            if account.id == admin.user.account.id {
                throw AdminRefusal(Text("admin.oneself"), cause: "protected", account: account.id)
            }
        }
        if Self.needsKept, account.eraseAt != nil {
            let keep = Text("admin.keep", ["address": account.email])
            throw AdminRefusal(
                account.erasing, account: account.id, next: .init(label: keep, href: "\(AdminPath.user(account))/keep"))
        }
        let (title, effects, typed, names) = try plan(account, asked, connection)
        return AdminPlan(
            title, effects, home: AdminPath.user(account), typed: typed, account: account.id,
            state: "\(account.email) \(account.name) \(account.isDisabledByOperator) \(account.signOuts) "
                + "\(account.endsAt?.milliseconds ?? 0) \(account.eraseAt?.milliseconds ?? 0)", names: names)
    }

    func make(_ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection) throws -> AdminOutcome {
        try make(account(asked, connection), asked, context, connection)
    }

    /// What ends with all sign-ins of the account, as sentences.
    func endings(of account: Account, _ connection: any SQLConnection) throws -> [Text] {
        let (sessions, clients) = try AdminView.sessions(of: account, desk.parts.appDevices, connection)
        return [
            Text("admin.effect-sessions", count: sessions.count), Text("admin.effect-told", count: clients.count),
        ]
    }
}

extension Account {
    /// What is to be done first about an account that is to be erased.
    var erasing: Text { Text("admin.keep-first", ["address": email]) }
}

struct DisableAction: UserAction {
    static let id = "user_disable"
    static let path = "/admin/users/:id/disable"
    static let title = Text("admin.disable-title")
    static let done = Text("admin.done-disabled")
    static let keepsOut = true
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard !account.isDisabledByOperator else { throw AdminRefusal(Text("admin.is-disabled"), account: account.id) }
        let effects = try [Text("admin.effect-disabled")] + endings(of: account, connection)
        return (Text("admin.disable", ["address": account.email]), effects, nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try DisableUser(account.email).make(context, connection)
        return .done(nil)
    }
}

struct EnableAction: UserAction {
    static let id = "user_enable"
    static let path = "/admin/users/:id/enable"
    static let title = Text("admin.enable-title")
    static let done = Text("admin.done-enabled")
    static let needsKept = true
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard account.isDisabled else { throw AdminRefusal(Text("admin.not-disabled"), account: account.id) }
        return (
            Text("admin.enable", ["address": account.email]), [Text("admin.effect-enabled")], nil, ""
        )
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try EnableUser(account.email).make(context, connection)
        return .done(nil)
    }
}

struct SignOutAction: UserAction {
    static let id = "user_sign_out"
    static let path = "/admin/users/:id/sign-out"
    static let title = Text("admin.sign-out-title")
    static let done = Text("admin.done-signed-out")
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        let effects = try endings(of: account, connection) + [Text("admin.effect-again")]
        return (Text("admin.sign-out", ["address": account.email]), effects, nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try SignOutUser(account.email).make(context, connection)
        return .done(nil)
    }
}

struct EraseAction: UserAction {
    static let id = "user_erase"
    static let path = "/admin/users/:id/erase"
    static let title = Text("admin.erase-title")
    static let done = Text("admin.done-erasing")
    static let isFinal = false
    static let keepsOut = true
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard account.eraseAt == nil else { throw AdminRefusal(Text("admin.is-erasing"), account: account.id) }
        let effects =
            try [Text("admin.effect-erase"), Text("admin.effect-closed")] + endings(of: account, connection)
        return (Text("admin.erase", ["address": account.email]), effects, account.email, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try EraseUser(account.email).make(context, connection)
        return .done(nil)
    }
}

struct KeepAction: UserAction {
    static let id = "user_keep"
    static let path = "/admin/users/:id/keep"
    static let title = Text("admin.keep-title")
    static let done = Text("admin.done-kept")
    let desk: AdminDesk

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        guard account.eraseAt != nil else { throw AdminRefusal(Text("admin.not-erasing"), account: account.id) }
        return (Text("admin.keep", ["address": account.email]), [Text("admin.effect-kept")], nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try EraseUser(account.email, .cancel).make(context, connection)
        return .done(nil)
    }
}

/// Ends one session, or removes one passkey, which the field of the page names.
struct EndSessionAction: UserAction {
    static let id = "user_end_session"
    static let takesLinks = true
    static let path = "/admin/users/:id/end-session"
    static let title = Text("admin.end-session-title")
    static let done = Text("admin.done-ended")
    let desk: AdminDesk

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [AdminField("session", Text("admin.session"), isRequired: true)]
    }

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        let sessions = try AdminView.sessions(of: account, desk.parts.appDevices, connection).sessions
        guard let session = sessions.first(where: { $0.id.utf8.elementsEqual(asked.text("session").utf8) }) else {
            throw AdminProblems("session", Text("admin.no-session"))
        }
        let name = session.name(in: desk.parts.pages.texts(in: .english))
        return (
            Text("admin.end-session", ["name": name, "address": account.email]), [Text("admin.effect-session")], nil, ""
        )
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try EndSession(of: account.email, id: asked.text("session"), devices: desk.parts.appDevices)
            .make(context, connection)
        return .done(nil)
    }
}

struct RemovePasskeyAction: UserAction {
    static let id = "user_remove_passkey"
    static let takesLinks = true
    static let path = "/admin/users/:id/remove-passkey"
    static let title = Text("admin.remove-passkey-title")
    static let done = Text("admin.done-passkey")
    /// Without email a passkey is the only way in, and the reason why a role counts.
    static let keepsOut = true
    let desk: AdminDesk
    let changes: any AccountChangeReporter

    func fields(_ asked: AdminAsked, _ connection: any SQLConnection) throws -> [AdminField] {
        [AdminField("passkey", Text("admin.passkey"), isRequired: true)]
    }

    func plan(
        _ account: Account, _ asked: AdminAsked, _ connection: any SQLConnection
    ) throws -> (Text, [Text], typed: String?, names: String) {
        let passkeys = try AdminView.passkeys(of: account, connection)
        guard let passkey = passkeys.first(where: { $0.id.utf8.elementsEqual(asked.text("passkey").utf8) }) else {
            throw AdminProblems("passkey", Text("admin.no-passkey"))
        }
        let others = try AdminView.identities(of: account, connection).filter { $0.provider != nil }.count
        let isLast = !desk.parts.hasMail && passkeys.count + others == 1
        let effect: Text =
            desk.parts.hasMail
            ? Text("admin.effect-passkey")
            : isLast ? Text("admin.effect-passkey-last") : Text("admin.effect-passkey-removed")
        let effects = try [effect] + endings(of: account, connection) + desk.userTold
        let names: [String: any TextValue] = ["name": AdminWriter.cut(passkey.name), "address": account.email]
        return (Text("admin.remove-passkey", names), effects, isLast ? account.email : nil, "")
    }

    func make(
        _ account: Account, _ asked: AdminAsked, _ context: ChangeContext, _ connection: any SQLConnection
    ) throws -> AdminOutcome {
        _ = try RemovePasskey(asked.text("passkey"), of: account.email, reporting: changes).make(context, connection)
        return .done(nil)
    }
}
