import SSOShared

@testable import TestKit

/// A client as a browser and its own back channel see it.
protocol TestClient: Sendable {
    var id: String { get }
    var name: String { get }
    var secret: String { get }
    var origin: String { get }
}

extension TestClient {
    var callback: String { "\(origin)/auth/sso/callback" }
}

extension ClientProcess: TestClient {}

/// An IdP with its clients, in processes of their own or in this process.
protocol Deployment: Sendable {
    associatedtype DeploymentClient: TestClient
    /// The IdP's public address.
    var origin: String { get }
    var mailbox: Mailbox { get }
    var clients: [DeploymentClient] { get }
}

extension Deployment {
    var client: DeploymentClient { clients[0] }

    /// The authorize address as a client would build it.
    func authorize(_ client: some TestClient, state: String) -> String {
        let query = [("client_id", client.id), ("redirect_uri", client.callback), ("state", state)]
        return "\(origin)/auth/sso/authorize?\(FormCoding.encode(query))"
    }

    /// The headers of a signed request.
    func signed(_ body: [UInt8], by client: some TestClient) throws -> HTTPProbe.Headers {
        let secret = try SharedSecret.parse(client.secret, setting: "secret")
        return [
            ("Content-Type", "application/json"), (RequestSignature.clientHeaderName, client.id),
            (RequestSignature.headerName, RequestSignature.request(body: body, secret: secret).headerValue),
        ]
    }
}

extension ProcessDeployment: Deployment {}
