import Foundation
import HTTPTypes
import IdPFlow
import Testing

@testable import IdPSchema
@testable import TestKit

/// Nothing that can end, narrow or give something is outside the histories by oversight: each thing of the program has a step, or
/// a sentence why not. A new one without a line fails here.
@Suite("What the histories leave out", .program)
struct OversightTests {
    /// What a thing of the program is to the histories.
    enum Place: Sendable {
        /// The steps of ``Operation`` that reach it.
        case reached([String])
        /// Why no history has it.
        case outside(String)

        static func steps(_ names: String...) -> Place { .reached(names) }
    }

    private static let providers = "Needs an account elsewhere; IdPProviderSignIn has its own attacks and claims."
    private static let apps = "Needs an app; the suites of native apps hold it to the same claims as the pages."
    private static let gate = "Needs a proxy that asks about each request; GateTests have the claims."
    private static let own =
        "Ends and moves as SetAddress and EraseUser do, which the histories have; OwnAccountTests have the claims."
    private static let reading = "Shows or reads only."

    static let routes: [String: Place] = [
        "/sign-in": .steps("ask"), "/sign-in/code": .steps("type"), "/sign-in/link": .steps("link"),
        "/sign-out": .steps("signOut"), "/sessions/end": .steps("endSession"),
        "/sessions/end-others": .steps("endOthers"), "/auth/sso/authorize": .steps("authorize"),
        "/auth/sso/complete": .steps("authorize", "type"), "/auth/sso/verify": .steps("redeem"),
        "/auth/sso/session": .steps("question"), "/oidc/authorize": .steps("authorize"),
        "/oidc/complete": .steps("authorize", "type"), "/oidc/token": .steps("exchange", "refresh"),
        "/oidc/userinfo": .steps("userInfo"), "/oidc/introspect": .steps("introspect"),
        "/oidc/revoke": .steps("revoke"),
        "/auth/sso/ping": .outside("It changes nothing (docs/protocol.md)."),
        "/auth/sso/sign-out": .outside("Ends a session as /sign-out does; EveryEndTests have it."),
        "/oidc/logout": .outside("Ends a session as /sign-out does; the suites of OpenID Connect have it."),
        "/oidc/sign-out": .outside("The page of /oidc/logout."),
        "/sign-in/account": .outside("Another account is a new sign-in, which the histories have in the same browser."),
        "/sign-in/cancel": .outside("Ends a flow, which ends by time in the histories."),
        "/sign-in/browser": .outside("Gives a browser a budget of its own, and signs nobody in."),
        "/passkeys/add": .steps("addPasskey"), "/sign-in/passkey": .steps("usePasskey"),
        "/sign-in/passkey/options": .steps("ask"), "/passkeys/rename": .steps("renamePasskey"),
        "/passkeys/remove": .steps("removePasskey"), "/sign-in/operator": .steps("useLink"),
        "/passkeys/offer": .outside("Leads to the form of /passkeys/add, or on."),
        "/passkeys/sign-in": .outside("Begins a flow of the program's own page."),
        "/invitation": .outside("Leads to the sign-in form; the invitation itself is in invite and withdraw."),
        "/name": .outside("A name ends and gives nothing."), "/name/later": .outside("A name ends and gives nothing."),
        "/devices/end": .outside(apps),
        "/sessions/sign-in": .outside("Begins a flow of the program's own page."),
    ]

    /// Below these paths everything has one reason.
    static let folders: [(prefix: String, place: Place)] = [
        ("/gate/", .outside(gate)), ("/gate-sign-in", .outside(gate)), ("/app-keys", .outside(gate)),
        ("/api/v1/", .outside(apps)), ("/auth/native/", .outside(apps)), ("/hotwire_native/", .outside(apps)),
        ("/admin", .outside("Each change is an OperatorChange, which the histories have; AdminTests hold the pages.")),
        ("/sign-in/with/", .outside(providers)), ("/auth/:provider/", .outside(providers)),
        ("/address", .steps("address")), ("/data", .outside(own)), ("/erase", .outside(own)),
        ("/picture", .outside("A picture ends and gives nothing; PictureTests have it.")),
        ("/identities/", .outside(providers)), ("/dev/", .outside("For a trial on this machine alone.")),
        ("/auth/mail/", .outside("The method by reply needs a mail server; EmailReplyTests hold it.")),
        ("/sign-in/reply", .outside("The method by reply needs a mail server; EmailReplyTests hold it.")),
    ]

    static let changes: [String: Place] = [
        "DisableUser": .steps("disable"), "EnableUser": .steps("enable"), "SignOutUser": .steps("signOutUser"),
        "SignOutSlice": .steps("signOutEveryone"), "EraseUser": .steps("erase"), "EraseDueUser": .steps("jobs"),
        "SetEndDate": .steps("end"), "EndOverdueUser": .steps("jobs"), "SetAddress": .steps("move"),
        "ChangeOwnAddress": .steps("address"), "StopAddressChange": .steps("address"),
        "InviteUser": .steps("invite"), "WithdrawInvitation": .steps("withdraw"), "JoinGroup": .steps("join"),
        "LeaveGroup": .steps("leave"), "SetClient": .steps("access"), "EnableClient": .steps("enableClient"),
        "RemoveClient": .steps("replaceClient"), "AddClient": .steps("replaceClient"), "RotateSecret": .steps("rotate"),
        "RetireSecret": .steps("retire"), "RetrySignOuts": .steps("retryMessages"),
        "EndSession": .steps("endByOperator"), "RemovePasskey": .steps("removeFor"),
        "ForgetPasskeys": .steps("forgetPasskeys"), "PrintLink": .steps("printLink"),
        "WithdrawLink": .steps("withdrawLink"),
        "ResendInvitation": .outside("Sends the link again; the link is not followed."),
        "ImportUsers": .outside("Adds and disables users as invite and disable do; ImportFileTests have the file."),
        "MakeGroup": .outside("A group without members gives nothing. Every history begins with two."),
        "RemoveGroup": .outside("Is leave for all of its members; GroupTests have it."),
        "CancelRotation": .outside("Takes back a secret that nobody has used."),
        "RotateKeys": .outside("Signs nobody out; the keys are public."),
        "RetireKey": .outside("Signs nobody out; the keys are public."),
        "MakeMachineKey": .outside(gate), "EndAppKey": .outside(gate),
        "ForgetKeys": .outside("Changes no row that a user or client has."),
        "GrantRole": .outside("A role opens the admin pages alone; AdminRoleTests have it."),
        "RevokeRole": .outside("A role opens the admin pages alone; AdminRoleTests have it."),
        "RenameUser": .outside("A name ends and gives nothing."),
        "GiveUpSignOut": .outside("Ends the tries of a message as 24 hours do."),
    ]

    static let jobs: [String: Place] = [
        "SignOutSender": .steps("each step"), "MailQueueWorker": .steps("each step"), "StartJob": .steps("restart"),
        "AuditWriting": .steps("each step"), "PurgeService": .steps("jobs"), "ReloadService": .steps("file"),
        "SigningKeyRenewal": .outside("The keys sign nobody in."),
        "SealedValueRenewal": .outside("Changes only how values are sealed."),
        "TemplateReading": .outside(reading), "MetricsService": .outside(reading), "ClockWatch": .outside(reading),
        "FreeMemory": .outside(reading), "NamedService": .outside("Names another one."),
        "ProgramNode": .outside("The nodes of PostgreSQL; the suites of several nodes have it."),
        "Watchdog": .outside("Tells systemd that the program runs."),
        "AdminTelling": .outside("Queues emails to admins; AdminRoleTests have it."),
    ]

    static let tables: [String: Place] = [
        "account": .steps(
            "disable", "enable", "signOutUser", "end", "erase", "move", "invite", "type", "usePasskey", "useLink",
            "authorize", "redeem", "exchange", "refresh", "question", "removeFor", "forgetPasskeys", "printLink"),
        "account_identity": .steps("move", "restore", "type", "usePasskey", "removeFor", "forgetPasskeys", "erase"),
        "challenge": .steps("ask", "type", "link", "erase"),
        "client": .steps(
            "enableClient", "access", "require", "replaceClient", "authorize", "redeem", "exchange", "refresh"),
        "client_secret": .steps("rotate", "retire", "redeem", "exchange"), "client_secret_use": .steps("jobs"),
        "client_sign_in": .steps(
            "redeem", "exchange", "refresh", "question", "type", "usePasskey", "disable", "signOutUser", "erase",
            "leave", "move", "access", "enableClient", "removeFor", "forgetPasskeys"),
        "code_guess": .steps("type", "erase"), "device": .steps("type", "ask", "usePasskey", "move", "disable"),
        "file_client": .steps("file"),
        "group_member": .steps("join", "leave", "redeem", "authorize", "erase", "question"),
        "invitation": .steps("invite", "withdraw", "type", "move"), "mail_queue": .steps("ask", "erase"),
        "oidc_access_token": .steps("exchange", "refresh", "revoke", "userInfo"),
        "oidc_refresh_token": .steps("exchange", "refresh", "revoke"),
        "registry_revision": .steps("rotate", "access", "require", "enableClient", "redeem", "exchange", "authorize"),
        "session": .steps(
            "type", "usePasskey", "useLink", "signOut", "endSession", "endOthers", "authorize", "redeem", "exchange",
            "question", "signOutUser", "disable", "erase"),
        "sign_out_message": .steps("server", "retryMessages"),
        "sso_token": .steps("authorize", "redeem", "exchange", "enableClient", "replaceClient"),
        "user_group": .steps("join"), "account_notice": .steps("move", "removeFor", "useLink"),
        "passkey": .steps(
            "addPasskey", "usePasskey", "renamePasskey", "removePasskey", "removeFor", "forgetPasskeys", "erase"),
        "passkey_user": .steps("addPasskey"), "sign_in_link": .steps("printLink", "withdrawLink", "useLink", "erase"),
        "audit_event": .outside("The audit log ends and gives nothing. AuditStoreTests have its rows."),
        "guess_alarm": .outside("Needs a hundred wrong codes in ten minutes; GuessStoreTests have it."),
        "mail_outage": .outside("Needs a mail server that is down; MailQueueTests have it."),
        "key_check": .outside("Of the keys that seal."), "signing_key": .outside("The keys sign nobody in."),
        "used_username": .outside("Names are never given twice; UsernameTests have it."),
        "app_key": .outside(gate), "gate_session": .outside(gate),
        "address_change": .steps("address", "move", "erase", "restore"),
        "account_profile": .outside("A picture and an answer end and give nothing; PictureTests have them."),
        "access_token": .outside(apps), "app_link": .outside(apps), "handoff": .outside(apps),
        "provider_attempt": .outside(providers), "token_revocation": .outside(providers),
        "used_provider_answer": .outside(providers),
        "account_role": .outside("A role opens the admin pages alone; AdminRoleTests have it."),
        "refused_address": .outside("Shown to admins, and gives nothing; AdminServiceTests have it."),
        "retired_secret": .outside("Opens nothing, and says what a wrong secret was; NearSecretTests have it."),
        "admin_notice": .outside("What admins were told; AdminRoleTests have it."),
    ]

    /// The columns whose value ends or narrows something: those that a restore compares (`RestoredColumn`).
    static let columns: [String: Place] = [
        "account.disabled": .steps("disable"), "account.email": .steps("move"), "account.ends_at": .steps("end"),
        "account.erase_at": .steps("erase"), "account.added_at": .steps("invite", "withdraw"),
        "account.begun_at": .steps("printLink", "useLink", "restore"), "account.id": .steps("erase"),
        "client.entry": .steps("access"), "client.is_enabled": .steps("enableClient"),
        "client.id": .steps("replaceClient"), "group_member.account_id": .steps("leave"),
        "group_member.group_id": .steps("leave"), "account_identity.account_id": .steps("move"),
        "account_identity.kind": .steps("move"), "account_identity.issuer": .outside(providers),
        "account_identity.subject": .steps("move"), "account_identity.is_vouched": .outside(providers),
        "account_identity.is_email_disabled": .outside(providers),
        "account_identity.email_changed_at": .outside(providers),
        "account.imported_at": .outside("Set by ImportUsers; ImportFileTests have it."),
        "account.username": .outside("Names are never given twice; UsernameTests have it."),
        "client.logo": .outside("A picture."), "signing_key.kid": .outside("The keys sign nobody in."),
        "signing_key.algorithm": .outside("The keys sign nobody in."),
        "signing_key.generation": .outside("The keys sign nobody in."),
    ]

    /// Every step, by the name of its case.
    private static let steps: Set<String> = [
        "ask", "type", "link", "look", "signOut", "endSession", "endOthers", "authorize", "redeem", "question",
        "exchange",
        "refresh", "userInfo", "introspect", "revoke", "server", "disable", "enable", "signOutUser", "signOutEveryone",
        "erase", "end", "move", "invite", "withdraw", "join", "leave", "access", "enableClient", "replaceClient",
        "rotate",
        "addPasskey", "usePasskey", "renamePasskey", "removePasskey", "useLink", "require", "removeFor",
        "forgetPasskeys", "printLink", "withdrawLink", "retire", "retryMessages", "endByOperator", "wait", "jobs",
        "restart", "node", "backUp", "restore", "file",
        "allow", "kill", "address",
        "each step",
    ]

    private func expectWhole(_ found: Set<String>, _ listed: [String: Place], _ what: String) {
        let known = Set(listed.keys)
        #expect(found.subtracting(known).isEmpty, "\(what) without a line: \(found.subtracting(known).sorted())")
        #expect(known.subtracting(found).isEmpty, "\(what) that are gone: \(known.subtracting(found).sorted())")
        for (name, place) in listed {
            switch place {
            case .reached(let names): #expect(Set(names).isSubset(of: Self.steps), "\(name): \(names)")
            case .outside(let reason): #expect(reason.hasSuffix("."), "\(name)")
            }
        }
    }

    @Test("every route that changes state is in the histories, or says why not")
    func everyRoute() async throws {
        let world = try await World(seed: 1)
        let changing = try world.node.routes.filter { route in
            route.kind == .visit || !route.methods.allSatisfy { [.get, .head, .options].contains($0) }
        }.map(\.path).filter { path in !Self.folders.contains { path.hasPrefix($0.prefix) } || Self.routes[path] != nil
        }
        expectWhole(Set(changing), Self.routes, "routes")
        await world.end()
    }

    @Test("every change of an operator is in the histories, or says why not")
    func everyChange() throws {
        let sources = try TextSources.files(in: "Sources/IdP", ending: "swift").map(\.text)
        let names = sources.flatMap { $0.matches(of: #/struct (\w+): OperatorChange\b/#).map { String($0.1) } }
        expectWhole(Set(names), Self.changes, "changes")
    }

    @Test("every job is in the histories, or says why not")
    func everyJob() throws {
        let sources = try ["Sources/IdP", "Sources/SSOWeb"].flatMap { try TextSources.files(in: $0, ending: "swift") }
        let names = sources.flatMap {
            $0.text.matches(of: #/(?:struct|final class) (\w+): Service\b/#).map { String($0.1) }
        }
        expectWhole(Set(names), Self.jobs, "jobs")
    }

    @Test("every table, and every column that ends or narrows something, is in the histories, or says why not")
    func everyTable() {
        expectWhole(Set(IdPTable.all.map(\.name)), Self.tables, "tables")
        let columns = RestoredColumn.tables.keys.flatMap { table in
            (RestoredColumn.columns(of: table, .compared) + RestoredColumn.columns(of: table, .later))
                .map { "\(table).\($0)" }
        }
        expectWhole(Set(columns), Self.columns, "columns")
    }
}
