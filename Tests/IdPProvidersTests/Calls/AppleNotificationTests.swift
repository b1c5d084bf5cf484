import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Apple's server-to-server notifications", .rules)
struct AppleNotificationTests {
    private let subject = "001234.0123456789abcdef.0123"

    private func token(_ fixture: OpenIDFixture, events: JSONValue) -> StandInToken {
        var token = fixture.token()
        let now = Double(fixture.clock.now.seconds)
        token.header["typ"] = nil
        token.claims = [
            "iss": .string(fixture.provider.issuer), "aud": .string(fixture.provider.clientID), "iat": .number(now),
            "exp": .number(now + 86400), "jti": "1", "events": events,
        ]
        return token
    }

    private func events(_ type: String) -> JSONValue {
        .string(#"{"type":"\#(type)","sub":"\#(subject)","event_time":1795262300123}"#)
    }

    private func refusal(_ fixture: OpenIDFixture, _ token: StandInToken) async throws -> String? {
        let text = try token.text()
        return await OpenIDFixture.reason {
            _ = try await fixture.client.notification(fixture.provider, payload: text)
        }
    }

    @Test(
        "each event is read from the JSON text inside the claim, both spellings of the deletion included",
        arguments: [
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
            ("account-deleted", .accountDeleted), ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled),
            ("new-event", .other("new-event")), ("Consent-Revoked", .other("Consent-Revoked")),
        ] as [(String, AppleNotification.Event)])
    func event(_ type: String, _ event: AppleNotification.Event) async throws {
        let fixture = try OpenIDFixture(.apple)
        let text = try token(fixture, events: events(type)).text()
        let notification = try await fixture.client.notification(fixture.provider, payload: text)
        #expect(notification.event == event && notification.subject == subject)
        #expect(notification.occurredAt == Timestamp(milliseconds: 1_795_262_300_123))
    }

    @Test("the claim may be the object itself, its time in seconds or missing")
    func object() async throws {
        let fixture = try OpenIDFixture(.apple)
        for (time, expected) in [
            (JSONValue.number(1_795_262_300), Timestamp(milliseconds: 1_795_262_300_000)), (nil, fixture.clock.now),
        ] as [(JSONValue?, Timestamp)] {
            var members: [String: JSONValue] = ["type": "email-disabled", "sub": .string(subject)]
            members["event_time"] = time
            let text = try token(fixture, events: .object(members)).text()
            let notification = try await fixture.client.notification(fixture.provider, payload: text)
            #expect(notification.event == .emailDisabled && notification.occurredAt == expected)
        }
    }

    @Test("exp may be missing, the notification is then accepted for 24 hours")
    func noExpiry() async throws {
        let fixture = try OpenIDFixture(.apple)
        var token = token(fixture, events: events("email-disabled"))
        token.claims["exp"] = nil
        fixture.clock.advance(by: .hours(24))
        #expect(try await refusal(fixture, token) == nil)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await refusal(fixture, token) == "id_token_too_old")
    }

    @Test(
        "a notification with other claims than Apple's is refused",
        arguments: [
            ("iss", "https://other.example", "id_token_issuer_mismatch"), ("iss", nil, "id_token_issuer_mismatch"),
            ("aud", "other", "id_token_audience_mismatch"), ("aud", nil, "id_token_audience_mismatch"),
            ("iat", nil, "id_token_claims_invalid"), ("iat", .number(1_795_262_461), "id_token_issued_in_future"),
            ("exp", .number(1_795_262_340), "id_token_expired"), ("exp", "1795262460", "id_token_claims_invalid"),
            ("events", nil, "notification_event_invalid"), ("events", "", "notification_event_invalid"),
            ("events", "{", "notification_event_invalid"), ("events", [], "notification_event_invalid"),
            ("events", "[]", "notification_event_invalid"), ("events", #"{"sub":"a"}"#, "notification_event_invalid"),
            ("events", #"{"type":1,"sub":"a"}"#, "notification_event_invalid"),
            ("events", #"{"type":"consent-revoked"}"#, "id_token_subject_invalid"),
            ("events", #"{"type":"consent-revoked","sub":""}"#, "id_token_subject_invalid"),
            ("events", #"{"type":"consent-revoked","sub":1}"#, "id_token_subject_invalid"),
            ("events", #"{"type":"a","type":"consent-revoked","sub":"a"}"#, "notification_event_invalid"),
            ("events", #"{"type":"consent-revoked","sub":"a","event_time":"1"}"#, "notification_event_invalid"),
            ("events", #"{"type":"consent-revoked","sub":"a","event_time":-1}"#, "notification_event_invalid"),
        ] as [(String, JSONValue?, String)])
    func claims(_ name: String, _ value: JSONValue?, _ reason: String) async throws {
        let fixture = try OpenIDFixture(.apple)
        var token = token(fixture, events: events("consent-revoked"))
        token.claims[name] = value
        #expect(try await refusal(fixture, token) == reason)
    }

    @Test("a notification that Apple's key has not signed is refused")
    func signatures() async throws {
        let fixture = try OpenIDFixture(.apple)
        var forged = token(fixture, events: events("consent-revoked"))
        forged.signature = .key(fixture.keys.stranger)
        #expect(try await refusal(fixture, forged) == "id_token_signature_invalid")
        forged.header = ["alg": "none"]
        forged.signature = .bytes([])
        #expect(try await refusal(fixture, forged) == "id_token_alg_not_allowed")
        let garbage = await OpenIDFixture.reason {
            _ = try await fixture.client.notification(fixture.provider, payload: "{}")
        }
        #expect(garbage == "id_token_malformed")
    }

    @Test("an ID token is not accepted as a notification, nor a notification as an ID token")
    func confusion() async throws {
        let fixture = try OpenIDFixture(.apple)
        #expect(try await refusal(fixture, fixture.token()) == "notification_event_invalid")
        let notification = token(fixture, events: events("consent-revoked"))
        #expect(await fixture.refusal(notification) == "nonce_mismatch")
    }
}
