import IdPSSO
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPClients
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Threats 211, 212 and 215.
@Suite("POST /auth/sso/session", .program)
struct SessionQuestionTests {
    @Test("the worked example of docs/protocol.md: the question, and the answer to it")
    func vectors() throws {
        let secret = try BackChannelFixture.secret()
        let question = SessionQuestion(session: "ses_5FhGmX0bTzKk2wYdQp7r-w", user: "usr_TC6ZJ0c1ROGX3mTnvVYkbA")
        let signature = RequestSignature.request(body: question.body(), secret: secret, label: .session)
        #expect(
            signature.headerValue == "sha256=80914c6563f44970906b0774ec9c5812afe7353140996d8df3d59f62b6724295")
        let answer = SessionAnswer.inactive(.signedOut, clientID: "partner").body()
        #expect(
            String(decoding: answer, as: UTF8.self)
                == #"{"active":false,"client_id":"partner","reason":"signed_out"}"#)
        #expect(
            RequestSignature.response(body: answer, to: signature, secret: secret).headerValue
                == "sha256=62162a7b753786d0bd22c29d9c92caa4882d1458a8907c4195becd95815dd8fb")
    }

    @Test("an active session has today's user, is signed, and is not prolonged by the question")
    func active() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.furtherBrowser()
            let told = try await deployment.enter(deployment.client, in: browser)
            _ = try await browser.rename(at: deployment, to: "Ann Renamed")
            let seen = try #require(try await deployment.stored.sessions.ofAccounts.lastSeen())
            deployment.clock.advance(by: .minutes(10))
            let reply = try await deployment.ask(told.session.id, of: told.user.id, as: deployment.client)
            #expect(reply.status == 200 && reply.header("cache-control") == "no-store")
            guard case .active(let now) = try SessionAnswer(body: reply.body) else { return #expect(Bool(false)) }
            #expect(now.user.name == "Ann Renamed" && now.user.id == told.user.id)
            #expect(now.session == told.session && now.clientID == deployment.client.id)
            let question = SessionQuestion(session: told.session.id, user: told.user.id).body()
            let secret = try SharedSecret.parse(deployment.client.secret, setting: "s")
            let signed = RequestSignature.response(
                body: reply.body, to: .request(body: question, secret: secret, label: .session), secret: secret)
            #expect(reply.header("x-sso-signature") == signed.headerValue)
            #expect(
                try await deployment.stored.sessions.ofAccounts.lastSeen() == seen)
        }
    }

    @Test("whatever a client may not know has one answer: unknown")
    func oracle() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let (ann, bob) = (
                try await deployment.furtherBrowser(), try await deployment.furtherBrowser(of: "bob@example.com")
            )
            let told = try await deployment.enter(deployment.clients[0], in: ann)
            let other = try await deployment.enter(deployment.clients[1], in: bob)
            let questions = [
                (told.session.id, told.user.id, deployment.clients[1]),
                (told.session.id, other.user.id, deployment.clients[0]),
                (other.session.id, other.user.id, deployment.clients[0]),
                (other.session.id, told.user.id, deployment.clients[0]),
                ("ses_none", told.user.id, deployment.clients[0]), ("x", "y", deployment.clients[0]),
            ]
            for (session, user, client) in questions {
                #expect(
                    try await deployment.answer(session, of: user, as: client)
                        == .inactive(.unknown, clientID: client.id))
            }
            let answer = try await deployment.answer(told.session.id, of: told.user.id, as: deployment.clients[0])
            guard case .active = answer else { return #expect(Bool(false)) }
        }
    }

    @Test("a signature with the label of another message is wrong, and so is one of another client")
    func labels() async throws {
        try await TestDeployment.open(clients: 2) { deployment in
            let browser = try await deployment.furtherBrowser()
            let told = try await deployment.enter(deployment.client, in: browser)
            for label in [MessageLabel.verify, .logout, .ping] {
                let reply = try await deployment.ask(
                    told.session.id, of: told.user.id, as: deployment.client, label: label)
                #expect(reply.status == 401 && reply.error == "invalid_signature")
            }
            // A question's signature redeems no token.
            let token = try await browser.token(for: deployment.client, of: deployment, state: "fresh")
            let body = VerifyRequest(token: token).body()
            let secret = try SharedSecret.parse(deployment.client.secret, setting: "s")
            let wrong = RequestSignature.request(body: body, secret: secret, label: .session)
            let refused = try await deployment.post(
                body, by: deployment.client, with: [(RequestSignature.headerName, wrong.headerValue)])
            #expect(refused.status == 401 && refused.error == "invalid_signature")
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(
                try await deployment.auditRows(.sessionQuestionRefused, untilThereAre: 3).map(\.cause)
                    == ["signature_wrong", "signature_wrong", "signature_wrong"])
        }
    }

    @Test(
        "a body that is no question is refused with its reason",
        arguments: [
            "", "{}", "[]", #"{"session":"ses_a"}"#, #"{"session":1,"user":"usr_a"}"#, #"{"session":"","user":"u"}"#,
            #"{"session":"a","session":"b","user":"u"}"#,
        ])
    func bodies(text: String) async throws {
        try await TestDeployment.open { deployment in
            let secret = try SharedSecret.parse(deployment.client.secret, setting: "s")
            let signature = RequestSignature.request(body: Array(text.utf8), secret: secret, label: .session)
            let reply = try await HTTPProbe(port: deployment.port, authority: "localhost:4000").post(
                SSOPath.session,
                [
                    ("Content-Type", "application/json"), ("X-SSO-Client", deployment.client.id),
                    ("X-SSO-Signature", signature.headerValue),
                ], body: Array(text.utf8))
            #expect(reply.status == 400 && reply.error == "invalid_request")
        }
    }

    @Test("90 days after its end the answer is unknown, and the row is deleted")
    func kept() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.furtherBrowser()
            let told = try await deployment.enter(deployment.client, in: browser)
            _ = try await browser.signOut(of: deployment)
            deployment.clock.advance(by: ClientSignIns.kept - .seconds(1))
            #expect(
                try await deployment.answer(told.session.id, of: told.user.id, as: deployment.client)
                    == .inactive(.signedOut, clientID: deployment.client.id))
            deployment.clock.advance(by: .seconds(1))
            #expect(
                try await deployment.answer(told.session.id, of: told.user.id, as: deployment.client)
                    == .inactive(.unknown, clientID: deployment.client.id))
            let purge = ClientSignInPurge(database: deployment.database, clock: deployment.clock.clock)
            _ = try await purge.purge(limit: 1)
            #expect(try await deployment.rows(of: "client_sign_in") == 0)
        }
    }

    @Test("a row whose session is gone by time is noted as expired, in pieces, and one that goes on stays")
    func walk() async throws {
        try await SignOutScene.open { scene in
            for number in 1...5 { try await scene.entered("ses_\(number)", ["wiki", "silent"]) }
            try await scene.entered("ses_live", by: "usr_ben")
            try await scene.database.stored.sessions.add("ses_live", now: scene.clock.now)
            let purge = ClientSignInPurge(database: scene.database, clock: scene.clock.clock)
            var looked = 0
            while true {
                let count = try await purge.purge(limit: 3)
                looked += count
                if count < 3 { break }
            }
            #expect(looked == 11)
            let rows = scene.database.stored.clientSignIns
            #expect(try await rows.ended("expired").count() == 10)
            #expect(try await rows.open.count() == 1)
            #expect(try await rows.open.of(session: "ses_live").count() == 1)
            // An operator's sign-out still reaches the clients: sessions there may last longer.
            #expect(try await scene.end(.all(of: "usr_ann")) == SignOuts.Told(queued: 2, dropped: 0))
            #expect(try await scene.end(.all(of: "usr_ann")) == SignOuts.Told())
        }
    }
}
