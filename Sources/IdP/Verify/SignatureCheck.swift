import HTTPTypes
import Hummingbird
import NIOCore
import SSOShared

/// Finds the client that signed a request, over the exact bytes of the body, in constant time.
struct SignatureCheck: Sendable {
    let clients: ClientRegistry

    /// A request whose signature is right.
    struct Signed: Sendable {
        let client: Client
        fileprivate let secret: SharedSecret
        fileprivate let signature: RequestSignature

        /// A 200 answer, signed with the secret that the client used: during a rotation it may not know the other one.
        func answer(_ body: [UInt8]) -> Response {
            let signed = RequestSignature.response(body: body, to: signature, secret: secret)
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/json", .cacheControl: "no-store", .ssoSignature: signed.headerValue,
                ],
                body: .init(byteBuffer: ByteBuffer(bytes: body)))
        }
    }

    /// Why a request counts as unsigned. The raw values are stable: the log has them as `cause`.
    enum Rejection: String, Error, CaseIterable {
        case missing = "signature_missing"
        case repeated = "signature_repeated"
        case malformed = "signature_malformed"
        case clientRepeated = "client_repeated"
        case unknownClient = "client_unknown"
        case wrong = "signature_wrong"
    }

    /// What the request names as its client, whether or not that client is registered and sent the request.
    func claimedClient(of request: Request) -> String? { request.headers[values: .ssoClient].first }

    /// The client whose secret made the signature.
    ///
    /// Tries every secret of every candidate, also after a match, so that the time does not reveal which one it was.
    ///
    /// - Throws: what is wrong with the headers or the signature.
    func check(_ request: Request, body: [UInt8]) throws(Rejection) -> Signed {
        let values = request.headers[values: .ssoSignature]
        guard let value = values.first else { throw .missing }
        guard values.count == 1 else { throw .repeated }
        guard let given = RequestSignature(headerValue: value) else { throw .malformed }
        let names = request.headers[values: .ssoClient]
        guard names.count <= 1 else { throw .clientRepeated }
        let candidates = names.first.map { name in clients.client(id: name).map { [$0] } ?? [] } ?? clients.all
        var found: Signed?
        for client in candidates {
            for secret in client.secrets where RequestSignature.request(body: body, secret: secret).matches(given) {
                found = Signed(client: client, secret: secret, signature: given)
            }
        }
        guard let found else { throw names.isEmpty || !candidates.isEmpty ? .wrong : .unknownClient }
        return found
    }
}

extension HTTPField.Name {
    // Valid field names (RFC 9110 5.1): the fallbacks are never taken.
    static let ssoSignature = Self(RequestSignature.headerName) ?? .authorization
    static let ssoClient = Self(RequestSignature.clientHeaderName) ?? .from
}
