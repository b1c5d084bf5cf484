import Foundation

@testable import SSOShared
@testable import TestKit

/// A client's server as far as sign-out messages go: a port on loopback that writes them down, and answers as the test says.
final class StandInClient: Sendable {
    private let stub: BackChannelStub

    /// A message as it arrived.
    struct Received: Sendable {
        let message: SignOutMessage
        let body: [UInt8]
        let signature, client: String?

        /// Whether the client's secret made the signature, with the label of these messages.
        func isSigned(by secret: String, label: MessageLabel = .logout) throws -> Bool {
            let secret = try SharedSecret.parse(secret, setting: "secret")
            return signature.flatMap { RequestSignature(headerValue: $0) }?
                .matches(.request(body: body, secret: secret, label: label)) ?? false
        }
    }

    /// - Parameter status: of the answer to each message, by its number from 0 on; nil for none.
    init(_ status: @escaping @Sendable (Int) -> Int? = { _ in 204 }) throws {
        let count = Counter()
        stub = try BackChannelStub { _ in
            guard let status = status(count.next()) else { return .hang }
            let headers = status == 302 ? ["Location: http://127.0.0.1:1/elsewhere"] : []
            return .bytesThenClose(BackChannelFixture.http("\(status) Answer", headers + ["Connection: close"], []))
        }
    }

    var logoutURI: String { "\(stub.origin)/auth/sso/logout" }

    /// The messages, in the order in which they arrived.
    var received: [Received] {
        get throws {
            try stub.requests.map { request in
                Received(
                    message: try SignOutMessage(body: request.body), body: request.body,
                    signature: request.header(RequestSignature.headerName),
                    client: request.header(RequestSignature.clientHeaderName))
            }
        }
    }

    /// The messages once there are so many.
    func received(_ count: Int) async throws -> [Received] {
        try await eventually("\(count) messages") {
            let all = try received
            return all.count >= count ? all : nil
        }
    }

    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var count = -1

        func next() -> Int {
            lock.withLock {
                count += 1
                return count
            }
        }
    }
}
