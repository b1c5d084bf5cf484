import Testing

@testable import TestSupport

@Suite("The JSON API under requests that are made from its description")
struct APIFuzzTests {
    private static let signIn = ["beginSignIn", "signInWithCode", "endSession"]

    @Test(
        "no answer is a server error, and each is as docs/openapi.yaml says, with and without an access token",
        .enabled(if: Schemathesis.isAvailable, "needs schemathesis, which script/setup --test fetches from PyPI"))
    func everyOperation() async throws {
        let pair = try ProcessDeployment()
        try await pair.idp.start()
        let app = JSONApp(port: pair.idp.port, authority: "localhost:\(pair.idp.port)")
        let challenge = try await app.begin("ann@example.com").json()["challenge"]?.text ?? ""
        let code = try await pair.mailbox.code(to: "ann@example.com")
        let token = try #require(try await app.finish(challenge, code).json()["access_token"]?.text)
        let origin = "http://127.0.0.1:\(pair.idp.port)"

        // The sign-out has no token here: it would end the token of all other requests.
        async let anonymous = Schemathesis.run(
            origin, Self.signIn.flatMap { ["--include-operation-id", $0] }, in: pair.folder, as: "anonymous")
        async let signedIn = Schemathesis.run(
            origin, Self.signIn.flatMap { ["--exclude-operation-id", $0] } + ["-H", "Authorization: Bearer \(token)"],
            in: pair.folder, as: "signed-in")
        let reports = try await [anonymous, signedIn].compactMap(\.self)
        #expect(reports.isEmpty, "\(reports.joined(separator: "\n"))")

        #expect(try await app.authorized("GET", "/me").status == 200, "the token held to the end")
        #expect(!pair.idp.log.contains("internal_error") && !pair.idp.log.contains(token))
        try await pair.idp.terminate()
    }
}
