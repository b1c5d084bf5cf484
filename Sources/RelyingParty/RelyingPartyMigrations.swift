import SSOShared
import SSOWeb
import Storage
import ThisBuild

/// The tables: sessions, used states, and sign-out messages that were seen. A real relying party adds its own, with users keyed
/// by the identity provider's user id. An email address is not a key: it may later belong to another user.
enum RelyingPartyMigrations {
    static let all = steps.map { $0.written(by: ThisBuild.stamp.version) }

    private static let steps: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore.schema),
        // Only a name: without it either program would take the other's database for an older one of its own.
        Migration(name: "v002-relying-party", sql: []),
        Migration(name: "v003-used-state", sql: UsedStateStore.schema),
        Migration(name: "v004-session-visitor", sql: SessionStore.visitorSchema),
        Migration(name: "v005-session-app", sql: SessionStore.appSchema),
        Migration(name: "v006-sign-out", sql: SignOutStore.schema),
        .keepsVersions(name: "v007-step-version"),
        Migration(name: "v008-session-remembered", sql: SessionStore.rememberedSchema),
    ]

    /// Every table but that of the migrations, for a copy to another database.
    static let tables = ["session", "used_state", "seen_sign_out"]
}
