import SSOShared
import SSOWeb
import Storage
import ThisBuild

/// The tables: sessions, used states, and sign-out messages that were seen. A real relying party adds its own, with users keyed
/// by the identity provider's user id. An email address is not a key: it may later belong to another user.
enum RelyingPartyMigrations {
    static let all = steps.map { $0.written(by: ThisBuild.stamp.version) }

    /// The steps that made the same tables until 0.1.0.
    private static let replaced = [
        "v001-session", "v002-relying-party", "v003-used-state", "v004-session-visitor", "v005-session-app",
        "v006-sign-out", "v007-step-version", "v008-session-remembered",
    ]

    private static let steps = [
        Migration(
            name: "v008-relying-party-baseline", replacing: replaced,
            sql: SessionStore.schema(adding: SignOutStore.sessionColumns) + UsedStateStore.schema + SignOutStore.schema)
    ]

    /// Every table but that of the migrations, for a copy to another database.
    static let tables = ["session", "used_state", "seen_sign_out"]
}
