import SSOWeb

/// The partner's tables: only its browser sessions. A real partner adds its own, with people keyed by the IdP's user
/// id, never by address: addresses change hands.
enum RelyingPartyMigrations {
    static let all: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore<RelyingPartySession>.schema),
        // Changes nothing but the list itself: without it, either program would take the other's database for an old
        // one of its own, since both begin with the same step.
        Migration(name: "v002-relying-party", sql: []),
    ]
}
