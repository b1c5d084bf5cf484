import SSOShared
package import SSOWeb

/// What Apple says about a user of ours, server to server ("Processing changes for Sign in with Apple accounts").
package struct AppleNotification: Sendable, Equatable {
    package enum Event: Sendable, Equatable {
        /// The user has stopped using Sign in with Apple here.
        case consentRevoked
        /// The user has deleted the Apple Account.
        case accountDeleted
        /// The private relay forwards no more emails.
        case emailDisabled
        case emailEnabled
        /// A type that Apple had not documented.
        case other(String)
    }

    /// How old a notification may be. Apple repeats one that was not answered; a copy of it must not undo what happened
    /// later.
    static let longestAge: Duration = .hours(24)

    package let event: Event
    /// The user: `subject` of ``ProviderIdentity``.
    package let subject: String
    /// By Apple's clock. Compare it with when the identity was linked or used last: what happened before does not concern it.
    package let occurredAt: Timestamp

    /// Checks the claims of a notification, whose signature has been checked, and reads its event.
    init(_ claims: TokenClaims, provider: Provider, now: Timestamp) throws(ProviderError) {
        try claims.checkOrigin(provider, orAudience: provider.appleAppID)
        // An ID token is signed with the same keys, and has no events.
        guard let events = claims.json.member("events") else { throw .answer(.event, "no events") }
        _ = try claims.checkTimes(now, age: Self.longestAge, needsExpiry: false)
        let event = TokenClaims(json: try Self.object(events))
        guard let type = event.json["type"]?.string else { throw .answer(.event, "no type") }
        self.event = Self.event(type)
        subject = try event.subject()
        let issuedAt = try claims.time("iat") ?? now
        occurredAt = try Self.time(event) ?? issuedAt
    }

    /// The claim is one object as JSON text. Apple's first examples show the object itself.
    private static func object(_ events: JSONNode) throws(ProviderError) -> JSONNode {
        guard let text = events.string else {
            guard events.object != nil else { throw .answer(.event, events.typeName) }
            return events
        }
        do throws(JSONError) {
            return try JSONReader.readStrictly([UInt8](text.utf8))
        } catch {
            throw .answer(.event, "\(error)")
        }
    }

    /// Apple's pages have both spellings of the deletion.
    private static func event(_ type: String) -> Event {
        switch type {
        case "consent-revoked": .consentRevoked
        case "account-delete", "account-deleted": .accountDeleted
        case "email-disabled": .emailDisabled
        case "email-enabled": .emailEnabled
        default: .other(ProviderError.printable(type))
        }
    }

    /// `event_time`, in milliseconds as sent or in seconds as in Apple's examples.
    private static func time(_ event: TokenClaims) throws(ProviderError) -> Timestamp? {
        guard let node = event.json.member("event_time") else { return nil }
        guard case .number(let digits) = node.value, let number = Double(digits),
            (0...253_402_300_799_000).contains(number)
        else { throw .answer(.event, "event_time") }
        return Timestamp(milliseconds: Int64(number > 100_000_000_000 ? number : number * 1000))
    }
}
