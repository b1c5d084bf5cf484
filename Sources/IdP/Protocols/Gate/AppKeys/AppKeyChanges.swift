import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// The pages of keys for apps.
enum AppKeyPath {
    static let list = "/app-keys"
    static let add = "/app-keys/add"
    static let remove = "/app-keys/remove"
    /// Sends a visitor to sign in.
    static let signIn = "/app-keys/sign-in"
}

/// `POST /app-keys/add`: makes a key, which the answer shows, and nothing ever again.
struct AppKeyAddition: WaitingChange {
    struct Asked: Codable, Sendable {
        let client, name: String
        /// Until the key expires.
        let days: Int
    }

    static let id = "app_key_add"
    static let path = AppKeyPath.add
    static let home = AppKeyPath.list
    static let needs = Proof.Need.recent

    let parts: GateParts
    let shown: AppKeyShownPage
    let list: AppKeyRoutes

    func asked(in fields: URLEncodedFields) throws -> Asked {
        let text = try fields.text("days") ?? ""
        let days = text.isEmpty ? AppKey.usualDays : Int(text) ?? 0
        // One that waits for a sign-in has a page of its own, which says how long.
        guard AppKey.possibleDays.contains(days) else { throw PublicError.badAppKey }
        return Asked(
            client: String((try fields.text("client") ?? "").prefix(128)),
            name: AppKey.name(try fields.text("name") ?? "") ?? "", days: days)
    }

    func formAgain(_ form: SubmittedForm, for user: SignedInUser) async throws -> Response? {
        let typed = AppKeyRoutes.Typed(
            client: try form.fields.text("client") ?? "", name: try form.fields.text("name") ?? "",
            days: try form.fields.text("days") ?? "")
        guard typed.isNameWrong || typed.areDaysWrong else { return nil }
        return try await list.response(form.request, form.session, typed)
    }

    func signInAgain(as email: String) -> Text? { Text("app-keys.sign-in-again", ["email": email]) }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        try service(asked.client, of: user, connection).map {
            ChangePage(
                title: Text("app-keys.make-for", ["client": $0.name]),
                explanation: Text(
                    "app-keys.confirm-make",
                    [
                        "client": $0.name, "name": asked.name, "days": Text.days(.days(asked.days)),
                        "email": user.account.email,
                    ]))
        }
    }

    /// The service, if it takes keys and the user may enter it.
    private func service(
        _ id: String, of user: SignedInUser, _ connection: any SQLConnection
    ) throws -> Client? {
        guard let client = try parts.clients.registered(connection).client(id: id), client.gate?.takesAppKeys == true,
            try client.access.admits(account: user.account.id, connection)
        else { return nil }
        return client
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) throws -> ChangeStep {
        guard !asked.name.isEmpty, AppKey.possibleDays.contains(asked.days) else { throw PublicError.badAppKey }
        let (key, id) = (
            try Secret<AppKeyKind>(randomness: parts.randomness), try AppKeyStore.newID(parts.randomness)
        )
        return .here { [parts, shown] user, _, connection in
            let now = parts.clock.now()
            guard try needs(of: user, connection).isMet(by: user, now: now),
                let client = try service(asked.client, of: user, connection)
            else { return .done(goingTo: Self.home) }
            let strength = user.signIn.proofs.strength
            guard strength >= parts.grants.required(by: client) else { return .refused(.weakAppKey) }
            _ = try Usernames.name(of: user.account, parts.randomness, connection)
            let isMade = try AppKeyStore.insert(
                key, id: id, client: client.id, .account(user.account.id, strength: strength), name: asked.name,
                at: now, expiresAt: now + .days(asked.days), connection)
            guard isMade else { return .refused(.manyAppKeys) }
            let event = Event(
                .appKeyMade, by: .user(user.account.id), account: user.account.id, client: client.id,
                session: user.session.handle, detail: id)
            return .shown(recording: event) { request in
                shown.response(request, key.wire, name: asked.name, client: client)
            }
        }
    }
}

/// `POST /app-keys/remove`.
struct AppKeyRemoval: WaitingChange {
    struct Asked: Codable, Sendable { let key: String }

    static let id = "app_key_remove"
    static let path = AppKeyPath.remove
    static let home = AppKeyPath.list
    static let needs = Proof.Need.recent

    let clock: ServiceClock

    func asked(in fields: URLEncodedFields) throws -> Asked {
        Asked(key: String((try fields.text("key") ?? "").prefix(64)))
    }

    func signInAgain(as email: String) -> Text? { Text("app-keys.sign-in-again", ["email": email]) }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        try AppKeyStore.keys(of: user.account.id, now: clock.now(), connection).first { $0.id == asked.key }.map {
            ChangePage(
                title: Text("app-keys.remove-named", ["name": $0.name]),
                explanation: Text("app-keys.confirm-remove", ["name": $0.name]), isRemoval: true)
        }
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) -> ChangeStep {
        .here { [clock] user, _, connection in
            guard try needs(of: user, connection).isMet(by: user, now: clock.now()),
                let ended = try AppKeyStore.end(.ofAccount(user.account.id, id: asked.key), connection).first
            else { return .done(goingTo: Self.home) }
            var event = ended.event(.appKeyEnded, by: .user(user.account.id), cause: "user")
            event.session = user.session.handle
            return .done(goingTo: "\(Self.home)?removed", recording: event)
        }
    }
}

extension PublicError {
    private static func appKey(_ status: HTTPResponse.Status, _ code: String, _ text: String) -> PublicError {
        PublicError(
            status, code: code, title: Text("app-keys.none-made"), explanation: Text(text),
            nextStep: .init(label: Text("app-keys.title"), href: AppKeyPath.list), cause: code)
    }

    fileprivate static let badAppKey = appKey(.unprocessableContent, "app_key_form", "app-keys.bad-form")
    fileprivate static let weakAppKey = appKey(.forbidden, "app_key_strength", "app-keys.too-weak")
    fileprivate static let manyAppKeys = appKey(.conflict, "app_key_limit", "app-keys.too-many")
}
