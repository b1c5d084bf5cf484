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

    /// The registered client that the request names, whether or not it sent the request.
    func claimedClient(of request: Request) -> String? {
        request.headers[values: .ssoClient].first.flatMap { clients.client(id: $0)?.id }
    }

    /// The client; nil if a header is missing, doubled or malformed, the client is unknown or the signature is wrong. The
    /// caller cannot tell which.
    ///
    /// Tries every secret of every candidate, also after a match, so that the time does not reveal which one it was.
    func check(_ request: Request, body: [UInt8]) -> Signed? {
        let values = request.headers[values: .ssoSignature]
        guard values.count == 1, let value = values.first, let given = RequestSignature(headerValue: value) else {
            return nil
        }
        let names = request.headers[values: .ssoClient]
        guard names.count <= 1 else { return nil }
        let candidates = names.first.map { name in clients.client(id: name).map { [$0] } ?? [] } ?? clients.all
        var found: Signed?
        for client in candidates {
            for secret in client.secrets where RequestSignature.request(body: body, secret: secret).matches(given) {
                found = Signed(client: client, secret: secret, signature: given)
            }
        }
        return found
    }
}

extension HTTPField.Name {
    // Valid field names (RFC 9110 5.1): the fallbacks are never taken.
    static let ssoSignature = Self(RequestSignature.headerName) ?? .authorization
    static let ssoClient = Self(RequestSignature.clientHeaderName) ?? .from
}
