import HTTPTypes
package import Hummingbird
package import IdPClients
import NIOCore
package import SSOShared

/// Finds the client that signed a request, over the exact bytes of the body, in constant time.
package struct SignatureCheck: Sendable {
    package let clients: ClientDirectory

    package init(clients: ClientDirectory) {
        self.clients = clients
    }

    /// A request whose signature is right.
    package struct Signed: Sendable {
        package let client: Client
        fileprivate let secret: SharedSecret
        fileprivate let fingerprint: String
        fileprivate let signature: RequestSignature
        fileprivate let clients: ClientDirectory

        /// The secret, for the log of uses.
        package var use: SecretName { SecretName(client: client.id, fingerprint: fingerprint) }

        /// Whether a client has the secret that made the signature: also after the clients were read again.
        @Sendable package func isSigned(by client: Client) -> Bool {
            client.signsRequests && client.secrets.contains { $0.isSame(as: secret) }
        }

        /// Whether the secret is not the current one: the client should change over.
        private var isPrevious: Bool {
            clients.client(id: client.id)?.secrets.first.map { !$0.isSame(as: secret) } ?? false
        }

        /// A 200 answer, signed with the secret that the client used: during a rotation it may not know the other one.
        package func answer(_ body: [UInt8]) -> Response {
            let signed = RequestSignature.response(body: body, to: signature, secret: secret)
            var headers: HTTPFields = [
                .contentType: "application/json", .cacheControl: "no-store", .ssoSignature: signed.headerValue,
            ]
            if isPrevious { headers[.ssoKeyStatus] = "previous" }
            return Response(
                status: .ok, headers: headers,
                body: .init(byteBuffer: ByteBuffer(bytes: body)))
        }
    }

    /// Why a request counts as unsigned. The raw values are stable: the log has them as `cause`.
    package enum SignatureError: String, Error, CaseIterable {
        case missing = "signature_missing"
        case repeated = "signature_repeated"
        case malformed = "signature_malformed"
        case clientRepeated = "client_repeated"
        case unknownClient = "client_unknown"
        case clientMissing = "client_missing"
        case wrong = "signature_wrong"

        /// Whether a client or a secret that was added meanwhile would make the request right.
        var mayBeOfNewClient: Bool { self == .unknownClient || self == .wrong }
    }

    /// What the request names as its client, whether or not that client is registered and sent the request.
    package func claimedClient(of request: Request) -> String? { request.headers[values: .ssoClient].first }

    /// What the headers of a request claim: a signature, and the client that has made it; nil for any.
    package struct Claim: Sendable {
        fileprivate let signature: RequestSignature
        fileprivate let client: Client?
    }

    /// The longest body of a request that does not name its client. It is checked with every secret, which takes as long as a
    /// thousand such bodies: a real one has 200 bytes.
    package static let maximumBytesOfUnnamed = 1_024

    /// Reads the headers, before the body: a request that cannot be right is refused without it.
    ///
    /// An unknown client is no secret: `/auth/sso/authorize` names the registered ones to everybody.
    ///
    /// - Throws: what is wrong with the headers.
    package func claim(of request: Request) throws(SignatureError) -> Claim {
        let signature = try Self.signature(of: request)
        let names = request.headers[values: .ssoClient]
        guard names.count <= 1 else { throw .clientRepeated }
        guard let name = names.first else { return Claim(signature: signature, client: nil) }
        guard let client = clients.client(id: name), client.signsRequests else { throw .unknownClient }
        return Claim(signature: signature, client: client)
    }

    /// The only signature in the headers.
    package static func signature(of request: Request) throws(SignatureError) -> RequestSignature {
        let values = request.headers[values: .ssoSignature]
        guard let value = values.first else { throw .missing }
        guard values.count == 1 else { throw .repeated }
        guard let given = RequestSignature(headerValue: value) else { throw .malformed }
        return given
    }

    /// The client whose secret made the signature.
    ///
    /// Tries every secret of every candidate, also after a match, so that the time does not reveal which one it was.
    ///
    /// - Parameter label: of the kind of message that is expected. The signature of another kind is wrong.
    /// - Throws: ``SignatureError/wrong``.
    package func check(
        _ claim: Claim, body: [UInt8], label: MessageLabel = .verify
    ) throws(SignatureError) -> Signed {
        guard let client = claim.client else { return try checkAll(claim, body, label) }
        var found: Signed?
        for (secret, fingerprint) in zip(client.secrets, client.fingerprints)
        where RequestSignature.request(body: body, secret: secret, label: label).matches(claim.signature) {
            found = Signed(
                client: client, secret: secret, fingerprint: fingerprint, signature: claim.signature, clients: clients)
        }
        guard let found else { throw .wrong }
        return found
    }

    /// What would have made a wrong signature right. A request that does not name its client is not looked at.
    package func near(_ request: Request, body: [UInt8], label: MessageLabel) async -> NearSecret? {
        guard let claim = try? claim(of: request), let client = claim.client else { return nil }
        let signature = claim.signature
        return await clients.nearSecret(of: client, triesOthers: body.count <= Self.maximumBytesOfUnnamed) { key in
            RequestSignature.request(body: body, secret: SharedSecret(unchecked: key), label: label).matches(signature)
        }
    }

    private func checkAll(
        _ claim: Claim, _ body: [UInt8], _ label: MessageLabel
    ) throws(SignatureError) -> Signed {
        guard body.count <= Self.maximumBytesOfUnnamed else { throw .clientMissing }
        guard let signer = clients.registry.signer(of: claim.signature, body: body, label: label) else { throw .wrong }
        return Signed(
            client: signer.client, secret: signer.secret, fingerprint: signer.fingerprint, signature: claim.signature,
            clients: clients)
    }
}

extension HTTPField.Name {
    // Valid field names (RFC 9110 5.1): the fallbacks are never taken.
    static let ssoSignature = Self(RequestSignature.headerName) ?? .authorization
    static let ssoKeyStatus = Self("X-SSO-Key-Status") ?? .from
    static let ssoClient = Self(RequestSignature.clientHeaderName) ?? .from
}
