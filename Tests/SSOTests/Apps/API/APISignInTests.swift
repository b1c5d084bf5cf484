import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Signing in through the JSON API", .program, .alsoOnPostgres)
struct APISignInTests {
    @Test("a code from the email gives a token for the screens and a session for the web view, once")
    func journey() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let begun = try await app.begin("Ann@Example.com")
            #expect(begun.status == 202 && begun.header("cache-control") == "no-store")
            #expect(begun.header("content-type") == "application/json" && begun.all("set-cookie").isEmpty)
            #expect(try begun.json()["expires_in"]?.number == 600)
            let challenge = try #require(try begun.json()["challenge"]?.text)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let reply = try await app.finish(challenge, code, device: " Ann's \t iPhone ")
            #expect(reply.status == 200 && reply.header("cache-control") == "no-store")
            let answer = try reply.json()
            #expect(answer["token_type"] == "Bearer" && answer["expires_in"]?.number == 7_776_000)
            #expect(answer["new_user"]?.bool == true && answer["user"]?["email"] == "ann@example.com")
            let session = try #require(reply.all("set-cookie").first { $0.hasPrefix("idp_session=") })
            #expect(session.contains("Max-Age=2592000"), "the session of an app")
            #expect(reply.all("set-cookie").contains { $0.hasPrefix("idp_device=") })
            #expect(!reply.all("set-cookie").contains { $0.hasPrefix("idp_last_method=") }, "an app shows no such page")
            #expect(deployment.log.contains("signed_in"))

            let me = try await app.authorized("GET", "/me")
            #expect(try me.status == 200 && me.json() == answer["user"])
            let shown = try await app.authorized("GET", "/session").json()
            #expect(shown["methods"] == ["email_code"] && shown["expires_in"]?.number == 7_776_000)
            #expect(shown["authenticated_at"]?.number == Double(deployment.clock.now.seconds))
            #expect(try await deployment.webView(of: app).isSignedInOnHomePage(of: deployment))
            let again = try await app.finish(challenge, code)
            #expect(again.status == 401 && again.apiError == "invalid_code")
            let second = try await deployment.signedInApp()
            #expect(try await second.authorized("GET", "/me").json() == answer["user"])
        }
    }

    @Test("an address and a code count as a person meant them, and an error names what is wrong with an address")
    func entered() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let begun = try await app.begin("\u{200e}„Ann@Example.com“\u{200b}.")
            let challenge = try #require(try begun.json()["challenge"]?.text)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let arabic = code.unicodeScalars.compactMap { Unicode.Scalar($0.value - 0x30 + 0x660) }
            let reply = try await app.finish(challenge, "\u{200e}\(String(String.UnicodeScalarView(arabic)))\u{2069}")
            #expect(reply.status == 200)
            #expect(try reply.json()["user"]?["email"] == "ann@example.com")
            let refused = try await app.begin("an\u{a0}n@example.com")
            #expect(refused.status == 400 && refused.apiError == "invalid_request")
            let words = try refused.json()["error_description"]?.text ?? ""
            #expect(words.contains("a no-break space at position 3"), "\(words)")
        }
    }

    @Test("the web view of the app signs in at a client without another proof")
    func client() async throws {
        try await TestDeployment.open { deployment in
            let view = deployment.webView(of: try await deployment.signedInApp())
            let complete = try await view.get(deployment.authorize(deployment.client, state: "from-the-app"))
            #expect(complete.status == 200)
            #expect(try await deployment.verify(complete.token(), as: deployment.client).status == 200)
        }
    }

    @Test("asking again with the challenge sends the same code; without it, or for another address, a new one")
    func again() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let (challenge, code) = try await deployment.asking(by: app)
            deployment.clock.advance(by: .minutes(2))
            let earlier = deployment.mailbox.all(to: "ann@example.com")
            let second = try await app.begin("ann@example.com", challenge: challenge)
            #expect(try second.json()["challenge"]?.text == challenge && second.json()["expires_in"]?.number == 480)
            let repeated = try await deployment.mailbox.code(to: "ann@example.com", besides: earlier)
            #expect(repeated == code)
            for (address, sent) in [("bob@example.com", challenge), ("ann@example.com", String(challenge.reversed()))] {
                let fresh = try await app.begin(address, challenge: sent)
                #expect(try fresh.status == 202 && fresh.json()["challenge"]?.text != challenge)
            }
        }
    }

    @Test("a wrong code, an unknown challenge, one of another code, a used and an expired code: one answer")
    func uniform() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let (challenge, code) = try await deployment.asking(by: app)
            let wrong = code == "000000" ? "000001" : "000000"
            let other = try await deployment.asking(by: app, as: "bob@example.com")
            var shapes = [try await app.finish(challenge, wrong).shape]
            shapes.append(try await app.finish(String(repeating: "A", count: 43), code).shape)
            shapes.append(try await app.finish("", code).shape)
            shapes.append(try await app.finish(other.challenge, code == other.code ? wrong : code).shape)
            let status = try await app.finish(challenge, code).status
            #expect(status == 200)
            shapes.append(try await app.finish(challenge, code).shape)
            deployment.clock.advance(by: .seconds(601))
            shapes.append(try await app.finish(other.challenge, other.code).shape)
            #expect(Set(shapes).count == 1 && shapes[0].contains("invalid_code"), "\(Set(shapes))")
            #expect(try await deployment.rows(of: "access_token") == 1)
        }
    }

    @Test(
        "a code of another form is not a guess", arguments: ["", "12345", "1234567", "+12345", "¹²³⁴⁵⁶", "abcdef"])
    func malformed(typed: String) async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let (challenge, code) = try await deployment.asking(by: app)
            let refused = try await app.finish(challenge, typed)
            #expect(refused.status == 400 && refused.apiError == "invalid_request")
            #expect(try await deployment.failures() == 0)
            let status = try await app.finish(challenge, "\(code.prefix(3)) - \(code.suffix(3))").status
            #expect(status == 200)
        }
    }

    @Test("of a hundred right codes at the same instant one gets a token")
    func race() async throws {
        try await TestDeployment.open { deployment in
            let (challenge, code) = try await deployment.asking(by: deployment.jsonApp())
            let statuses = try await atOnce(100) { _ in try await deployment.jsonApp().finish(challenge, code).status }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.allSatisfy { $0 == 200 || $0 == 401 })
            #expect(try await deployment.rows(of: "access_token") == 1)
            #expect(try await deployment.stored.sessions.ofApps.count() == 1)
        }
    }

    @Test("the email for an app has the code alone: no link, and no answer with a number that the app does not show")
    func codeAlone() async throws {
        try await TestDeployment.receivingReplies { deployment in
            let (_, code) = try await deployment.asking(by: deployment.jsonApp())
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.code == code && email.signInLink == nil && email.header("reply-to") == nil)
            let text = email.text.decodingQuotedPrintable()
            #expect(text.contains("Enter the code in the app where you started."))
            for words in ["reply to this email", "the link", "this link", "sign-in/link"] {
                #expect(!text.contains(words), "\(words)")
            }

            let bob = try await deployment.asking("bob@example.com")
            let other = try await deployment.mailbox.email(to: "bob@example.com")
            #expect(other.code == bob.code && other.signInLink != nil && other.header("reply-to") != nil)
        }
    }

    @Test("an account that is disabled between the email and the code gets no token")
    func disabledMeanwhile() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            try await deployment.forgetEmails(to: "ann@example.com")
            let (challenge, code) = try await deployment.asking(by: app)
            try await deployment.stored.accounts.disable()
            let refused = try await app.finish(challenge, code)
            #expect(refused.status == 403 && refused.apiError == "account_disabled")
            #expect(try await deployment.rows(of: "access_token") == 1)
        }
    }
}
