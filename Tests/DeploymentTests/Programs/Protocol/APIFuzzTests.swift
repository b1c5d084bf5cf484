import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

@Suite("The JSON API under requests that are made from its description", .deployment, .dependsOnMachine)
struct APIFuzzTests {
    private static let signIn = ["beginSignIn", "signInWithCode"]

    @Test(
        "no answer is a server error, and each is as docs/openapi.yaml says, with and without an access token",
        .enabled(if: Schemathesis.isAvailable, "needs schemathesis, which script/setup --test-all fetches from PyPI"))
    func everyOperation() async throws {
        let pair = try ProcessDeployment()
        try await pair.idp.start()
        let (app, leaving) = (pair.jsonApp(), pair.jsonApp())
        try await pair.signIn(app, as: "ann@example.com")
        try await pair.signIn(leaving, as: "ben@example.com")
        let (token, last) = (try #require(app.token), try #require(leaving.token))
        let origin = "http://127.0.0.1:\(pair.idp.port)"

        // Some operations sign in, and some end the token of the requests: those are apart.
        async let anonymous = Schemathesis.run(
            origin, (Self.signIn + ["endSession"]).flatMap { ["--include-operation-id", $0] }, in: pair.folder,
            as: "anonymous")
        async let ending = Schemathesis.run(
            origin, ["--include-operation-id", "endDevice", "-H", "Authorization: Bearer \(last)"], in: pair.folder,
            as: "ending")
        async let signedIn = Schemathesis.run(
            origin,
            (Self.signIn + ["endSession", "endDevice"]).flatMap { ["--exclude-operation-id", $0] }
                + ["-H", "Authorization: Bearer \(token)"],
            in: pair.folder, as: "signed-in")
        let reports = try await [anonymous, ending, signedIn].compactMap(\.self)
        #expect(reports.isEmpty, "\(reports.joined(separator: "\n"))")

        let atTheEnd = try await app.authorized("GET", "/me")
        #expect(atTheEnd.status == 200, "the token held to the end")
        #expect(!pair.idp.log.contains("internal_error") && !pair.idp.log.contains(token))
        try await pair.idp.terminate()
    }
}
