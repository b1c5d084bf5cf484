import IdPClients
import IdPSignOut
import IdPSigningKeys
import JWT
import SSOShared
import SSOWeb
import Storage

/// The messages of OpenID Connect about the end of sessions (OpenID Connect Back-Channel Logout 2): a signed token, posted to the
/// client's `backchannel_logout_uri`.
struct OIDCSignOut: SignOutProtocol {
    static let id = OIDCSettings.id
    static let type = "logout+jwt"
    static let lifetime: Duration = .minutes(2)
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    let issuer: String
    let keys: SigningKeys

    func request(
        for message: QueuedSignOut, to recipient: SignOutRecipient, at now: Timestamp
    ) async throws -> HTTPClient.Request? {
        guard let settings = recipient.client.oidc, let address = settings.logoutURI else { return nil }
        try await keys.prepare(settings.algorithm)
        let key = try await keys.database.read { [keys] in try keys.current(settings.algorithm, $0) }
        let claims = claims(of: message, recipient.client.id, at: now)
        return post(try keys.sign(claims, type: Self.type, with: key), to: address, of: recipient.client)
    }

    /// Nil for an address that no request can go to: the clients file has refused it.
    private func post(_ token: String, to address: String, of client: Client) -> HTTPClient.Request? {
        guard let url = try? WebURL(address, allowing: .looseNames) else { return nil }
        var request = HTTPClient.Request(url: address)
        request.method = .post(Array("logout_token=\(token)".utf8))
        request.allowsHTTP = client.takesPlainHTTP(at: url)
        request.headers = [
            "Content-Type: application/x-www-form-urlencoded", "User-Agent: swift-sso/\(ProductVersion.text)",
        ]
        return request
    }

    /// The id is the same in every try, and the times are those of the try. `sid` is missing only in a message that a version
    /// queued which had one for all sessions of a user.
    private func claims(of message: QueuedSignOut, _ client: String, at now: Timestamp) -> [JSONText.Member] {
        let session: [JSONText.Member] = message.toldSession.map { [.init("sid", $0)] } ?? []
        return [
            .init("iss", issuer), .init("sub", message.accountID), .init("aud", client), .init("iat", now.seconds),
            .init("exp", (now + Self.lifetime).seconds), .init("jti", message.id),
        ] + session + [.init("events", [JSONText.Member(Self.event, [JSONText.Member]())])]
    }

    /// 400: the client cannot do it, and a further try would not help (2.8).
    func verdict(on status: Int) -> SignOutVerdict {
        switch status {
        case 200, 204: .delivered
        case 400: .refused
        default: .failed
        }
    }
}
