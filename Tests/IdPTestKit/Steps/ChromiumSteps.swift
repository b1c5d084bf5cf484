import SSOShared

@testable import TestKit

extension Chromium {
    static let submit = ":is(button, input[type=submit])"

    /// From the client's page to the completion page.
    func signIn(at client: ClientProcess, of pair: ProcessDeployment, as address: String) async throws {
        try await visit(client.origin + "/")
        try await press("a[href*='\(SSOPath.authorize)']")
        let earlier = pair.mailbox.all(to: address)
        try await askForCode(address)
        let code = try await pair.mailbox.code(to: address, besides: earlier)
        try await enterCode(code)
        _ = try await element("a[href*='token=']")
    }

    func askForCode(_ address: String) async throws {
        try await type(address, into: "input[name=email]")
        try await press("form:has(input[name=email]) \(Self.submit)")
        _ = try await element("input[name=code]")
    }
}
