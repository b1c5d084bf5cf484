import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// The pages on which users delete their account.
enum ErasurePath {
    static let page = "/erase"
    static let ask = "/erase/ask"
    static let done = "/erase/done"
}

/// Why a user cannot delete an account.
enum KeptAccount: Sendable, Equatable {
    /// `IDP_ADMINS` names it, or it is the last admin.
    case admin
    /// Its address was changed, which can be stopped yet: who has done that must not end the account.
    case addressChanged

    static func reason(
        _ account: Account, _ parts: SharedParts, _ connection: any SQLConnection
    ) throws -> KeptAccount? {
        let fixed = try AddressChangeStore.fixed(
            account, isNamedAdmin: parts.admins.contains(account.email), at: parts.clock.now(), connection)
        switch fixed {
        case .admin: return .admin
        case .recent: return .addressChanged
        case .imported, .often, nil: break
        }
        guard try RoleStore.role(of: account, named: parts.admins, connection) == .admin else { return nil }
        let others = try RoleStore.admins(named: parts.admins, parts.eligibility, connection)
        return others.contains { !$0.id.utf8.elementsEqual(account.id.utf8) } ? nil : .admin
    }
}

/// `POST /erase/ask`: what `idp user erase` does, for the user's own account.
struct OwnErasure: WaitingChange {
    struct Asked: Codable, Sendable {
        /// As it was typed.
        let address: String
    }

    static let id = "account_erase"
    static let path = ErasurePath.ask
    static let home = ErasurePath.page
    static let needs = Proof.Need.recent

    let parts: SharedParts
    let news: OwnAccountNews

    func asked(in fields: URLEncodedFields) throws -> Asked {
        Asked(address: String((try fields.text("address") ?? "").prefix(254)))
    }

    func formAgain(_ form: SubmittedForm, for user: SignedInUser) async throws -> Response? {
        let typed = try asked(in: form.fields).address
        guard (try? Entered.address(typed))?.text.utf8.elementsEqual(user.account.email.utf8) != true else {
            return nil
        }
        return try await OwnErasureRoutes(parts: parts).response(form.request, user, refusing: typed)
    }

    func signInAgain(as email: String) -> Text? { Text("erase.sign-in-again", ["email": email]) }

    func page(of asked: Asked, for user: SignedInUser, _ connection: any SQLConnection) throws -> ChangePage? {
        ChangePage(
            title: Text("erase.button"), explanation: Text("erase.confirm", ["email": user.account.email]),
            isRemoval: true)
    }

    func carryOut(_ asked: Asked, for user: SignedInUser, _ context: VisitorContext) throws -> ChangeStep {
        let typed = try? Entered.address(asked.address)
        return .here { user, _, connection in
            guard try needs(of: user, connection).isMet(by: user, now: parts.clock.now()),
                try KeptAccount.reason(user.account, parts, connection) == nil
            else { return .done(goingTo: Self.home) }
            guard let typed, typed.text.utf8.elementsEqual(user.account.email.utf8) else {
                return .refused(.otherAddressTyped)
            }
            let changed = try news.changes(by: .user(user.account.id)).make(
                EraseUser(user.account.email), connection)
            if changed.isChanged { try news.tell([.erase], about: user.account.id, connection) }
            return .done(goingTo: ErasurePath.done, endingSession: true)
        }
    }
}

extension PublicError {
    fileprivate static let otherAddressTyped = PublicError(
        .unprocessableContent, code: "erase_address", title: Text("erase.none"), explanation: Text("erase.other"),
        nextStep: .init(label: Text("erase.title"), href: ErasurePath.page), cause: "erase_address")
}

/// `/erase` says what deleting the account does, and asks for the address.
struct OwnErasureRoutes: Sendable {
    let parts: SharedParts

    private struct Model: Encodable, Sendable {
        let formToken, email, typed: String
        let isFree, isAdmin, isChanged, hasError: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: ErasurePath.page, use: show)
        router.publicPage(at: ErasurePath.done) { [pages = parts.pages] request, _ in
            pages.response("erase-done", NoModel(), for: request, offersLanguages: true)
        }
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else {
            return .redirect(to: AccountPage.erase.signIn)
        }
        return try await response(request, user)
    }

    /// - Parameter typed: what is not the address of the account; nil before anything is typed.
    func response(_ request: Request, _ user: SignedInUser, refusing typed: String? = nil) async throws -> Response {
        let kept = try await parts.database.read { try KeptAccount.reason(user.account, parts, $0) }
        let model = Model(
            formToken: parts.sessions.formToken(for: user.session), email: user.account.email,
            typed: typed ?? "", isFree: kept == nil, isAdmin: kept == .admin,
            isChanged: kept == .addressChanged, hasError: typed != nil)
        return parts.pages.response(
            "erase", model, for: request, status: typed == nil ? .ok : .unprocessableContent, offersLanguages: true)
    }
}
