import Foundation
import Hummingbird
import IdPAuthorization
import IdPClients
import SSOShared
import SSOWeb
import Storage

/// What a request to `/oidc/logout` asks for (OpenID Connect RP-Initiated Logout 2).
struct LogoutRequest: Sendable {
    /// A registered address of a client, where the user may go back to.
    struct Back: Codable, Sendable {
        let client, address: String
        let state: String?

        /// Whether the client has registered the address.
        func isRegistered(_ clients: ClientDirectory) -> Bool {
            clients.client(id: client)?.oidc?.postLogoutRedirectURIs.contains { $0.utf8.elementsEqual(address.utf8) }
                ?? false
        }

        var destination: String { state.map { AuthorizeRequest.adding([("state", $0)], to: address) } ?? address }
    }

    /// Nil for one that was not sent, or that this program has not signed.
    let hint: IDTokenHints.Hint?
    /// The client that the hint or the request names.
    let client: Client?
    /// Nil without an address, and for one that the browser is never sent to.
    let back: Back?
    /// Why the browser is not sent to the address, or the request cannot be read.
    let cause: String?

    private let parameters: RequestParameters

    init(_ parameters: RequestParameters, hints: IDTokenHints, clients: ClientDirectory, logged context: VisitorContext)
        async throws
    {
        self.parameters = parameters
        let (text, id, address, state): (String?, String?, String?, String?)
        do throws(ParameterError) {
            try parameters.refuseUnclear(["logout_hint", "ui_locales"])
            text = try parameters.text("id_token_hint", longest: 8192)
            id = try parameters.text("client_id")
            address = try parameters.text("post_logout_redirect_uri")
            state = try parameters.text("state", longest: 4096)
        } catch {
            (hint, client, back, cause) = (nil, nil, nil, error.cause)
            return
        }
        let hint = try await hints.hint(text)
        self.hint = hint
        let named = (hint?.client ?? id).flatMap { clients.client(id: $0) }.flatMap { $0.oidc == nil ? nil : $0 }
        client = named
        let sent = address.map { Back(client: named?.id ?? "", address: $0, state: state) }
        var cause: String?
        if text != nil, hint == nil {
            cause = "id_token_hint_wrong"
        } else if let hint, let id, !id.utf8.elementsEqual(hint.client.utf8) {
            cause = "client_id_differs"
        } else if let sent {
            if named == nil {
                cause = hint == nil && id == nil ? "client_id_missing" : "client_unknown"
            } else if !sent.isRegistered(clients) {
                cause = "not_registered"
            } else if let state, !state.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
                cause = "state_wrong"
            }
        }
        self.cause = cause
        back = cause == nil ? sent : nil
    }

    /// Whether a command that was run meanwhile may have made the request right.
    var mayBeOfNewClient: Bool { cause == "client_unknown" || cause == "not_registered" }

    /// Logs that the browser is not sent to the address of the request, if it has one.
    func logRefusal(_ otherCause: String, _ context: VisitorContext) {
        guard parameters.isGiven("post_logout_redirect_uri") else { return }
        RefusedSignOutAddress(
            cause ?? otherCause, client: client,
            registered: cause == "not_registered" ? client?.oidc?.postLogoutRedirectURIs ?? [] : [],
            sentClientID: parameters.readable("client_id"),
            sentAddress: parameters.readable("post_logout_redirect_uri")
        ).log(OIDCProtocol.id, context)
    }
}

/// The session slot of the newest request to `/oidc/logout` that the user is asked about: the page is shown at an address without
/// it.
struct LogoutQuestion: SessionSlot {
    static let key = "logout"
    static let survivesSignIn = false
    static let lifetime: Duration = .minutes(10)

    private struct Stored: Codable {
        let back: LogoutRequest.Back
        let askedAt: Timestamp
    }

    private var stored: Stored?

    init() {}

    init(_ back: LogoutRequest.Back?, now: Timestamp) { stored = back.map { Stored(back: $0, askedAt: now) } }

    /// Nil when the newest request named no address, or was made too long ago.
    func back(now: Timestamp) -> LogoutRequest.Back? {
        stored.flatMap { now - $0.askedAt < Self.lifetime ? $0.back : nil }
    }
}

/// The hidden field of the page that asks: where the user goes after agreeing. Each tab has its own, and only this program makes
/// one.
struct LogoutField: Sendable {
    static let name = "back"

    private struct Sealed: Codable {
        let back: LogoutRequest.Back
        /// The handle of the session whose user was asked.
        let session: String
        let askedAt: Timestamp
    }

    private let box: SealedBox

    init(keys: DerivedKeys, randomness: any Randomness) {
        box = SealedBox(keys: keys, label: "oidc-logout", randomness: randomness)
    }

    /// Empty without a way back.
    func text(_ back: LogoutRequest.Back?, _ session: Session, now: Timestamp) throws -> String {
        guard let back else { return "" }
        let plain = try JSONEncoder().encode(Sealed(back: back, session: session.handle, askedAt: now))
        return Base64URL.encode(try box.seal(Array(plain)))
    }

    /// Nil for an empty field, and for one that was changed, is too old or belongs to another session.
    ///
    /// - Parameter session: nil where nobody is signed in any more: the form was sent twice.
    func back(_ text: String?, _ session: Session?, now: Timestamp) -> LogoutRequest.Back? {
        guard let sealed = text.flatMap({ Base64URL.decode($0) }), let plain = box.open(sealed),
            let field = try? JSONDecoder().decode(Sealed.self, from: Data(plain)),
            now - field.askedAt < LogoutQuestion.lifetime,
            session.map({ $0.handle == field.session }) ?? true
        else { return nil }
        return field.back
    }
}
