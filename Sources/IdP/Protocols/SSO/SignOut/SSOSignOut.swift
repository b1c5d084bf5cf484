import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb

/// The messages of `/auth/sso` about the end of sessions: signed JSON, posted to the client's `logout_uri`.
struct SSOSignOut: SignOutProtocol {
    static let id = SSOSettings.id

    func request(for message: QueuedSignOut, to recipient: SignOutRecipient, at now: Timestamp) -> HTTPClient.Request? {
        let client = recipient.client
        guard let address = client.sso?.logoutURI, let secret = recipient.secret,
            let url = try? WebURL(address, allowing: .looseNames)
        else {
            return nil
        }
        let body = SignOutMessage(
            id: message.id, clientID: client.id, user: message.accountID, session: message.toldSession,
            issuedAt: now.seconds
        ).body()
        let signature = RequestSignature.request(body: body, secret: secret, label: .logout)
        var request = HTTPClient.Request(url: address)
        request.method = .post(body)
        request.allowsHTTP = client.takesPlainHTTP(at: url)
        request.headers = [
            "Content-Type: application/json", "User-Agent: swift-sso/\(ProductVersion.text)",
            "\(RequestSignature.clientHeaderName): \(client.id)",
            "\(RequestSignature.headerName): \(signature.headerValue)",
        ]
        return request
    }

    /// A client that asks for a later try in any other way gets it, and so does one that redirects or refuses: its settings may
    /// be wrong for an hour.
    func verdict(on status: Int) -> SignOutVerdict { [200, 202, 204].contains(status) ? .delivered : .failed }
}
