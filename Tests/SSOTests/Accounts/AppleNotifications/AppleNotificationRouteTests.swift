import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What Apple's servers report about a user.
@Suite("Notifications of Apple", .program)
struct AppleNotificationRouteTests {
    private static let path = ProviderDeployment.appleNotificationPath

    @Test(
        "a user who stops using Apple here, or deletes the account there, loses the identity, every sign-in and gets an email",
        arguments: ["consent-revoked", "account-delete", "account-deleted"])
    func withdrawn(event: String) async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let browser = try await place.owner(adding: .apple)
            let app = try await place.deployment.signedInApp()
            #expect(try await app.authorized("GET", "/me").status == 200)
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification(event, subject: standIn.user.subject)
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await place.externalIdentities() == 0)
            #expect(try await !browser.isSignedInOnHomePage(of: place.deployment))
            #expect(try await app.authorized("GET", "/me").status == 401)
            let notices = try await place.notices(2)
            let text = notices.map { $0.text.decodingQuotedPrintable() }.joined()
            #expect(text.contains("Provider apple told us that it is not to be used for the account ann@example.com"))
            // Once more is harmless.
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await place.deployment.rows(of: "account_notice") == 2)
            #expect(place.deployment.log.contains("unknown_subject"))
        }
    }

    @Test("a notification may be addressed to the primary App ID of the settings, and to no other one")
    func appID() async throws {
        try await ProviderDeployment.open([.apple], lines: ["app_id: com.example.app"]) { place in
            _ = try await place.owner(adding: .apple)
            let standIn = try place.standIn(.apple)
            let subject = standIn.user.subject
            let other = try standIn.notification("consent-revoked", subject: subject) {
                $0.claims["aud"] = "com.example.other"
            }
            #expect(try await place.sendAppleNotification(other).status == 400)
            #expect(try await place.externalIdentities() == 1)
            let body = try standIn.notification("consent-revoked", subject: subject) {
                $0.claims["aud"] = "com.example.app"
            }
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await place.externalIdentities() == 0)
        }
    }

    @Test("a report of Apple removes the last identity too, and every sign-in ends")
    func last() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            _ = try await place.signIn(.apple, in: browser)
            let before = try #require(try await deployment.stored.accounts.signOuts())
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification("consent-revoked", subject: standIn.user.subject)
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await deployment.rows(of: "account_identity") == 0)
            #expect(try await deployment.stored.accounts.signOuts() == before + 1)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            _ = try await place.notices(1)
            // The owner of the address signs in by email, to the same account.
            let owner = deployment.browser()
            let proof = try await deployment.begin(.emailCode, in: owner)
            #expect(try await owner.follow(proof.prove(in: owner)).token().hasPrefix("sst_"))
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test("no email goes to the private address that stops working with the identity")
    func privateAddress() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let standIn = try place.standIn(.apple)
            standIn.user.email = "x7@example.com"
            standIn.user.isPrivateEmail = true
            _ = try await place.signIn(.apple, in: place.deployment.browser())
            let body = try standIn.notification("account-delete", subject: standIn.user.subject)
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await place.deployment.rows(of: "account_identity") == 0)
            #expect(try await place.deployment.rows(of: "account_notice") == 0)
        }
    }

    @Test("a late report does not undo what the user did after it")
    func outdated() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification("consent-revoked", subject: standIn.user.subject)
            place.deployment.clock.advance(by: .minutes(5))
            let browser = try await place.owner(adding: .apple)
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await place.externalIdentities() == 1)
            #expect(try await browser.isSignedInOnHomePage(of: place.deployment))
            #expect(place.deployment.log.contains("outdated"))
        }
    }

    @Test("whether the private address forwards emails is shown")
    func forwarding() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let browser = try await place.owner(adding: .apple)
            let standIn = try place.standIn(.apple)
            for (event, isShown) in [("email-disabled", true), ("email-enabled", false)] {
                let body = try standIn.notification(
                    event, subject: standIn.user.subject, email: "x7@privaterelay.appleid.example")
                #expect(try await place.sendAppleNotification(body).status == 200)
                let home = try await browser.home(of: place.deployment)
                #expect(home.text.contains("not forwarded any more") == isShown)
            }
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("a late report does not undo a sign-in at Apple after it")
    func outdatedByUse() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            _ = try await place.owner(adding: .apple)
            let standIn = try place.standIn(.apple)
            place.deployment.clock.advance(by: .minutes(5))
            let body = try standIn.notification("consent-revoked", subject: standIn.user.subject)
            place.deployment.clock.advance(by: .minutes(5))
            _ = try await place.signIn(.apple, in: place.deployment.browser())
            #expect(try await place.sendAppleNotification(body).status == 200)
            #expect(try await place.externalIdentities() == 1)
            #expect(place.deployment.log.contains("outdated"))
            // What the user does after it counts.
            place.deployment.clock.advance(by: .minutes(5))
            let later = try standIn.notification("consent-revoked", subject: standIn.user.subject)
            #expect(try await place.sendAppleNotification(later).status == 200)
            #expect(try await place.externalIdentities() == 0)
        }
    }

    @Test("an older report about the private address does not win over a newer one")
    func forwardingOrder() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            _ = try await place.owner(adding: .apple)
            let standIn = try place.standIn(.apple)
            let disabled = try standIn.notification("email-disabled", subject: standIn.user.subject)
            place.deployment.clock.advance(by: .minutes(1))
            let enabled = try standIn.notification("email-enabled", subject: standIn.user.subject)
            for (body, isDisabled) in [(disabled, 1), (enabled, 0), (disabled, 0), (enabled, 0)] {
                #expect(try await place.sendAppleNotification(body).status == 200)
                #expect(
                    try await place.deployment.stored.identities.withoutForwarding()
                        == isDisabled)
            }
            #expect(place.deployment.log.contains("outdated"))
        }
    }

    @Test("a subject that no account has is answered with 200, so that Apple does not repeat it")
    func unknownSubject() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            _ = try await place.owner(adding: .apple)
            for event in ["consent-revoked", "email-disabled", "something-new"] {
                let body = try place.standIn(.apple).notification(event, subject: "nobody")
                #expect(try await place.sendAppleNotification(body).status == 200)
            }
            #expect(try await place.externalIdentities() == 1)
        }
    }

    /// What is wrong with a notification, and the reason in the log.
    static let forged: [(String, @Sendable (inout StandInToken) throws -> Void)] = [
        ("id_token_issuer_mismatch", { $0.claims["iss"] = "https://appleid.example" }),
        ("audience_unknown", { $0.claims["aud"] = "com.example.other" }),
        ("audience_unknown", { $0.claims["aud"] = nil }),
        ("id_token_signature_invalid", { $0.signature = .bytes(Array(repeating: 1, count: 256)) }),
        ("id_token_alg_not_allowed", { $0.header["alg"] = "none" }),
        (
            "id_token_alg_not_allowed",
            {
                $0.header["alg"] = "HS256"
                $0.signature = .hmac(Array("secret".utf8))
            }
        ),
        ("id_token_key_unknown", { $0.header["kid"] = "another" }),
        ("notification_event_invalid", { $0.claims["events"] = nil }),
        ("notification_event_invalid", { $0.claims["events"] = "{\"sub\":\"10021\"}" }),
        ("id_token_claims_invalid", { $0.claims["iat"] = nil }),
        ("id_token_too_old", { $0.claims["iat"] = 1_795_000_000 }),
        ("id_token_malformed", { $0.finish = { String($0.dropLast(2)) + "==" } }),
    ]

    @Test("a notification that Apple has not signed for this service changes nothing", arguments: forged.indices)
    func refused(index: Int) async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let browser = try await place.owner(adding: .apple)
            let (reason, change) = Self.forged[index]
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification("account-delete", subject: standIn.user.subject, email: nil, change)
            let reply = try await place.sendAppleNotification(body)
            // Apple may have a new key that cannot be fetched yet.
            let isTemporary = reason == "id_token_key_unknown"
            #expect(reply.status == (isTemporary ? 503 : 400))
            let error = isTemporary ? "temporarily_unavailable" : "invalid_request"
            #expect(try JSONDecoding.value(reply.body)["error"]?.text == error)
            #expect(place.deployment.events("apple_notification_refused", reason: reason) == 1)
            #expect(try await place.externalIdentities() == 1)
            #expect(try await browser.isSignedInOnHomePage(of: place.deployment))
        }
    }

    @Test("anything but a small JSON object with a payload is refused")
    func malformed() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let standIn = try place.standIn(.apple)
            let good = try standIn.notification("account-delete", subject: standIn.user.subject)
            #expect(try await place.sendAppleNotification(good, type: "text/plain").status == 415)
            #expect(try await place.sendAppleNotification(good, type: nil).status == 415)
            #expect(try await place.sendAppleNotification(String(repeating: " ", count: 17 << 10) + good).status == 413)
            for body in ["", "[]", "{}", "{\"payload\":1}", "{\"payload\":\"\"}", "{\"payload\":\"a.b\"}", "x"] {
                let reply = try await place.sendAppleNotification(body)
                #expect(reply.status == 400)
                #expect(reply.header("content-type") == "application/json")
            }
            let twice = String(good.dropLast()) + ",\"payload\":\"x\"}"
            #expect(try await place.sendAppleNotification(twice).status == 400)
        }
    }

    @Test(
        "refused notifications are limited per network; those of other networks, and of one that sent a right one, pass"
    )
    func limit() async throws {
        try await ProviderDeployment.open([.apple], settings: ["IDP_LIMIT_BAD_SIGNATURES": "3"]) { place in
            let standIn = try place.standIn(.apple)
            let good = try standIn.notification("email-enabled", subject: "nobody")
            let forged = try standIn.notification("email-enabled", subject: "nobody") { $0.header["kid"] = "another" }
            func send(_ body: String, from source: String, type: String = "application/json") async throws -> ProbeReply
            {
                try await HTTPProbe(port: place.deployment.port, authority: "localhost:4000", source: source)
                    .post(Self.path, [("Content-Type", type)], body: Array(body.utf8))
            }
            #expect(try await send(good, from: "127.0.1.2").status == 200)
            // What is refused by its head is not counted, nor is what is right.
            for _ in 1...5 { #expect(try await send(forged, from: "127.0.1.3", type: "text/plain").status == 415) }
            for source in ["127.0.1.2", "127.0.1.3"] {
                var statuses: [Int] = []
                for body in ["{}", forged, "{}", "{}", forged] {
                    statuses.append(try await send(body, from: source).status)
                }
                #expect(statuses == [400, 503, 400, 429, 429])
            }
            // The clock stands still, so the 20 tries per second of every network run out.
            for _ in 1...20 { _ = try await send("{}", from: "127.0.1.3") }
            let limited = try await send(good, from: "127.0.1.3")
            #expect(limited.status == 429)
            #expect(limited.header("retry-after").flatMap { Int($0) }.map { (1...60).contains($0) } == true)
            #expect(try JSONDecoding.value(limited.body)["error"]?.text == "rate_limited")
            for source in ["127.0.1.2", "127.0.1.4"] { #expect(try await send(good, from: source).status == 200) }
            place.deployment.clock.advance(by: .minutes(2))
            #expect(try await send(good, from: "127.0.1.3").status == 200)
        }
    }

    @Test("while Apple's keys cannot be fetched the answer is 503, so that Apple sends it again")
    func keysUnavailable() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification("account-delete", subject: standIn.user.subject)
            standIn.stop()
            let reply = try await place.sendAppleNotification(body)
            #expect(reply.status == 503)
            #expect(reply.header("retry-after") != nil)
        }
    }

    @Test("the word apple stands for the kind: no other provider has notifications, and the callback keeps its path")
    func paths() async throws {
        try await ProviderDeployment.open([.apple, .google]) { place in
            let standIn = try place.standIn(.apple)
            let body = try standIn.notification("account-delete", subject: standIn.user.subject)
            for path in ["/auth/google/notifications", "/auth/nobody/notifications"] {
                #expect(try await place.sendAppleNotification(body, path: path).status == 404)
            }
            let wrong = try await place.deployment.browser().get(place.origin + Self.path)
            #expect(wrong.status == 405)
            let complete = try await place.signIn(.apple, in: place.deployment.browser())
            #expect(try complete.token().hasPrefix("sst_"))
        }
    }
}
