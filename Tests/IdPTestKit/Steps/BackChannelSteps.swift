import SSOShared

@testable import TestKit

/// What a client's server sends over the back channel, and what an attacker sends there.
extension TestDeployment {
    /// A body signed by `client`'s secret, posted with further headers. `headers` replaces headers of the same name.
    func post(
        _ body: [UInt8], by client: some TestClient, with headers: HTTPProbe.Headers = []
    ) async throws -> ProbeReply {
        let replaced = Set(headers.map { $0.0.lowercased() })
        let right = try signed(body, by: client).filter { !replaced.contains($0.0.lowercased()) }
        return try await backChannel(body, right + headers)
    }

    /// The same for a text.
    func post(_ body: String, by client: some TestClient, with headers: HTTPProbe.Headers = []) async throws
        -> ProbeReply
    { try await post(Array(body.utf8), by: client, with: headers) }
}

extension ProbeReply {
    /// The `error` of a refused request; nil for anything else.
    var error: String? { VerifyError(body: body)?.rawValue }

    /// The sentence for the client's developer.
    var explanation: String? { (try? JSONReader.readStrictly(body))?["error_description"]?.string }

    /// Everything that an attacker sees, except the response time.
    var shape: String {
        "\(status)\n" + headers.filter { $0.name.lowercased() != "date" }.map { "\($0.name): \($0.value)\n" }.joined()
            + text
    }
}

extension TestDeployment {
    /// Asks `/auth/sso/ping`, as a client does that checks its secret.
    static func ping(
        _ body: [UInt8], _ client: some TestClient, _ deployment: TestDeployment, _ label: MessageLabel = .ping
    ) async throws -> ProbeReply {
        let secret = try SharedSecret.parse(client.secret, setting: "secret")
        return try await HTTPProbe(port: deployment.port, authority: "localhost:4000").post(
            SSOPath.ping,
            [
                ("Content-Type", "application/json"), (RequestSignature.clientHeaderName, client.id),
                (
                    RequestSignature.headerName,
                    RequestSignature.request(body: body, secret: secret, label: label).headerValue
                ),
            ], body: body)
    }
}
