import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SSOClient
import SSOShared
import SSOWeb

/// `POST /auth/sso/logout`: the identity provider tells that a session has ended (docs/protocol.md).
struct SignOutRoute: Sendable {
    let receiver: SignOutReceiver
    let store: SignOutStore

    func add(to router: Router<VisitorContext>) {
        router.only([.post], at: RouterPath(SSOPath.logout), use: receive)
    }

    @Sendable private func receive(_ request: Request, _ context: VisitorContext) async throws -> Response {
        do {
            let message = try receiver.read(
                try await body(of: request), signatures: request.headers[values: .ssoSignature],
                contentTypes: request.headers[values: .contentType], now: store.clock.now().date)
            // Where it fails the answer is 503, and the identity provider tries again.
            let ended = try await store.end(message)
            context.logger.record(
                Event(
                    RelyingPartyEvents.signOutReceived, account: loggable(message.user),
                    [
                        "id": "\(loggable(message.id))", "all": "\(message.session == nil)",
                        "repeated": "\(ended == nil)", "ended": .stringConvertible(ended ?? 0),
                    ]))
            return answer(.ok, Array("{}".utf8))
        } catch let error as SignOutError {
            context.logger.record(Event(RelyingPartyEvents.signOutRejected, cause: error.cause))
            return answer(.init(code: error.status), error.body)
        }
    }

    /// The body, or nothing of one whose signature cannot be right: that costs no more than its head.
    private func body(of request: Request) async throws -> [UInt8] {
        let signatures = request.headers[values: .ssoSignature]
        guard signatures.count == 1, RequestSignature(headerValue: signatures[0]) != nil else { return [] }
        return try await request.boundedBody(SignOutMessage.maximumBytes)
    }

    private func answer(_ status: HTTPResponse.Status, _ body: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// An opaque id of the identity provider, if the log may have it.
    private func loggable(_ id: String) -> String {
        id.utf8.count <= 64 && id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } ? id : "-"
    }
}

extension HTTPField.Name {
    // A valid field name (RFC 9110 5.1): the fallback is never taken.
    fileprivate static let ssoSignature = Self(RequestSignature.headerName) ?? .authorization
}
