import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("authenticated_at at the sample relying party", .program)
struct AuthenticatedAtTests {
    /// What the answer to verify says, and what the sample makes of it.
    private static let rows: [(answered: String, kept: Double?, shown: String?)] = [
        // Not the moment of the callback.
        (#""authenticated_at":1790000000,"#, 1_790_000_000, "2026-09-21T"),
        (#""authenticated_at":0,"#, 0, "1970-01-01T"),
        // Far outside of any calendar: kept, and not shown.
        (#""authenticated_at":9007199254740992,"#, 9_007_199_254_740_992, nil),
        (#""authenticated_at":-1,"#, -1, nil),
        // The identity provider does not know when.
        ("", nil, nil),
    ]

    @Test("is kept in the session and shown as the answer has it", arguments: rows.indices)
    func kept(_ index: Int) async throws {
        let row = Self.rows[index]
        let idp = try FakeIdP { request in
            let body =
                #"{"user":{"id":"u1","email":"ann@example.com","name":"Ann"},"client_id":"partner-1","#
                + #""session":{"id":"s1",\#(row.answered)"methods":["email_code"]}}"#
            return .bytes(FakeIdP.signed(request, Array(body.utf8)))
        }
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
            let session = try JSONDecoding.value(
                await browser.get(deployment.client.origin + "/api/session").reply.body)
            #expect(session["authenticated_at"]?.number == row.kept)
            #expect(session["signed_in_at"]?.number == Double(deployment.clock.now.seconds))
            let page = try await browser.get(deployment.client.origin + "/account").text
            #expect(page.contains("Signed in since"))
            #expect(page.contains("Signed in at") == (row.shown != nil))
            if let shown = row.shown { #expect(page.contains(#"<time datetime="\#(shown)"#)) }
        }
    }
}
