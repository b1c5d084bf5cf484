import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// A change of a passkey that is there.
protocol PasskeyChange: WaitingChange {}

extension PasskeyChange {
    static var home: String { PasskeyPath.list }
    static var needs: Proof.Need { .recent }

    func signInAgain(as email: String) -> Text? { Text("passkeys.sign-in-again", ["email": email]) }

    static func passkey(
        _ id: String, of user: SignedInUser, _ connection: any SQLConnection
    ) throws -> Passkey? {
        try PasskeyStore.all(of: user.account.id, connection).first { $0.id.utf8.elementsEqual(id.utf8) }
    }
}

/// `POST /passkeys/rename`.
struct PasskeyRename: PasskeyChange {
    struct Asked: Codable, Sendable { let passkey, name: String }

    static let id = "passkey_rename"
    static let path = PasskeyPath.rename
    /// In characters.
    static let longest = 60

    let clock: ServiceClock
    let list: PasskeyListRoutes

    func asked(in fields: URLEncodedFields) throws -> Asked {
        let name = DisplayName.normalised(try fields.text("name") ?? "")
        return Asked(
            passkey: String((try fields.text("passkey") ?? "").prefix(64)),
            name: name.flatMap { $0.count <= Self.longest ? $0 : nil } ?? "")
    }

    func formAgain(_ form: SubmittedForm, for user: SignedInUser) async throws -> Response? {
        let asked = try asked(in: form.fields)
        guard asked.name.isEmpty else { return nil }
        return try await list.response(
            form.request, form.session, .init(passkey: asked.passkey, name: try form.fields.text("name") ?? ""))
    }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        try Self.passkey(asked.passkey, of: user, connection).map {
            ChangePage(
                title: Text("passkeys.rename-named", ["name": $0.name]),
                explanation: Text("passkeys.confirm-rename", ["name": $0.name, "new": asked.name]))
        }
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) throws -> ChangeStep {
        .here { [clock] user, _, connection in
            guard !asked.name.isEmpty,
                try Proof.Need.ofAccount(user.account, connection).isMet(by: user, now: clock.now()),
                try PasskeyStore.rename(asked.passkey, of: user.account.id, to: asked.name, connection)
            else { return .done(goingTo: Self.home) }
            let event = Event(
                .passkeyRenamed, by: .user(user.account.id), account: user.account.id, session: user.session.handle,
                detail: asked.passkey)
            return .done(
                goingTo: Self.home + "?renamed", telling: .passkeyRenamed(name: asked.name), recording: event)
        }
    }
}

/// `POST /passkeys/remove`. Every other sign-in of the account ends with it: another user may have signed in with the passkey.
struct PasskeyRemoval: PasskeyChange {
    struct Asked: Codable, Sendable { let passkey: String }

    static let id = "passkey_remove"
    static let path = PasskeyPath.remove

    let accounts: AccountStore
    let accessTokens: AccessTokenStore

    func asked(in fields: URLEncodedFields) throws -> Asked {
        Asked(passkey: String((try fields.text("passkey") ?? "").prefix(64)))
    }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        try Self.passkey(asked.passkey, of: user, connection).map {
            ChangePage(
                title: Text("passkeys.remove-named", ["name": $0.name]),
                explanation: Text("passkeys.confirm-remove", ["name": $0.name, "email": user.account.email]),
                isRemoval: true)
        }
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
        .here { [accounts, accessTokens] user, slots, connection in
            guard try Proof.Need.ofAccount(user.account, connection).isMet(by: user, now: accounts.clock.now()) else {
                return .done(goingTo: Self.home)
            }
            switch try PasskeyStore.remove(asked.passkey, of: user.account.id, connection) {
            case .unknown: return .done(goingTo: Self.home)
            case .last: return .refused(.lastWayToSignIn)
            case .removed(let passkey):
                try user.endOthers(.identityRemoved, &slots, accounts, accessTokens, context.audit, connection)
                var event = PasskeyEnd.user.event(of: passkey.id, user.account.id)
                event.session = user.session.handle
                return .done(
                    goingTo: Self.home + "?removed", telling: .passkeyRemoved(name: passkey.name), recording: event)
            }
        }
    }
}

extension PublicError {
    /// The account would have no identity left.
    fileprivate static let lastWayToSignIn = PublicError(
        .conflict, code: "last_identity", title: Text("error.last-passkey.title"),
        explanation: Text("error.last-passkey"),
        nextStep: .init(label: Text("passkeys.title"), href: PasskeyPath.list), cause: "last_identity")
}
