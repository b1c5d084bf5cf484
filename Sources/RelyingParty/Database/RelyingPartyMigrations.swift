import SSOWeb

/// The partner's tables: its browser sessions, and the states that were used. A real one adds its own, with users
/// keyed by the IdP's user id, never by address: addresses change hands.
enum RelyingPartyMigrations {
    static let all: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore.schema),
        // Changes nothing but the list itself: without it, either program would take the other's database for an old
        // one of its own, since both begin with the same step.
        Migration(name: "v002-relying-party", sql: []),
        Migration(name: "v003-used-state", sql: UsedStateStore.schema),
        Migration(name: "v004-session-visitor", sql: SessionStore.visitorSchema),
    ]
}
