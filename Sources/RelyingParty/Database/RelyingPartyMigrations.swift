import SSOWeb

/// The partner's tables: only its browser sessions. A real partner adds its own, with people keyed by the IdP's user
/// id, never by address: addresses change hands.
enum RelyingPartyMigrations {
    static let all: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore<RelyingPartySession>.schema)
    ]
}
