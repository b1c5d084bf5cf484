import SSOShared

/// What a client's server does at the back channel, and what an attacker does there.
extension TestDeployment {
    /// A body signed by `client`'s secret, posted with other headers where `headers` names the same ones.
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
    /// The `error` of a refusal; nil for anything else.
    var error: String? { VerifyError(body: body)?.rawValue }

    /// All an attacker sees, but the clock.
    var shape: String {
        "\(status)\n" + headers.filter { $0.name.lowercased() != "date" }.map { "\($0.name): \($0.value)\n" }.joined()
            + text
    }
}
