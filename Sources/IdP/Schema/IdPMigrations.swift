import IdPAccountPages
import IdPAccounts
import IdPAdmin
import IdPApps
import IdPAuthorization
import IdPClients
import IdPGate
import IdPMail
import IdPOIDC
import IdPOperations
import IdPProviderSignIn
import IdPSignIn
import IdPSignOut
import IdPSigningKeys
import SSOShared
import SSOWeb
package import Storage
import ThisBuild

/// The IdP's tables, as numbered steps. A step that was released never changes.
///
/// Moments are milliseconds since 1970, booleans are 0 and 1. A table stands beside the part that writes it.
package enum IdPMigrations {
    package static let all = steps.map { $0.written(by: ThisBuild.stamp.version) }

    /// The steps that made the same tables until 0.1.0.
    private static let replaced = [
        "v001-session", "v002-account", "v003-sso-token", "v004-challenge", "v005-letter", "v006-letter-waiting",
        "v007-device", "v008-session-visitor", "v009-account-signed-out", "v010-account-identity", "v011-mail-queue",
        "v012-challenge-language", "v013-challenge-link-and-reply", "v014-session-app", "v015-native-app",
        "v016-providers", "v017-mail-queue-unsent", "v018-proven-sign-in", "v019-bounded-rows", "v020-grants",
        "v021-audit-event", "v022-groups", "v023-users", "v024-sign-out", "v025-clients", "v026-token-revocation",
        "v027-openid-connect", "v028-step-version", "v029-session-remembered", "v030-challenge-log-flow",
        "v031-challenge-place", "v032-oidc-refresh-token-unused",
    ]

    private static let steps = [
        Migration(name: "v032-baseline", replacing: replaced, sql: baseline),
        Migration(name: "v033-key-check", sql: KeyCheckSchema.sql),
        Migration(name: "v034-file-client", sql: FileClientStore.schema),
        Migration(
            name: "v035-strength", sql: GrantSchema.strength + OIDCSchema.strength + HandoffSchema.strength),
        Migration(name: "v036-audit-by-time", onSQLite: AuditSchema.byTime),
        Migration(name: "v037-passkeys", sql: PasskeySchema.sql + PrintedLinkSchema.sql),
        Migration(name: "v038-gate", sql: GateSchema.sql + AppKeySchema.sql),
        Migration(
            name: "v039-admin",
            sql: RoleStore.schema + AdminNotices.schema + RefusedAddresses.schema + RetiredSecrets.schema),
        Migration(name: "v040-inviter", sql: InvitationSchema.inviter),
        Migration(name: "v041-address-change", sql: AddressChangeSchema.sql),
        Migration(name: "v042-audit-event", sql: AuditSchema.byEvent),
        Migration(name: "v043-profile", sql: ProfileStore.schema),
        Migration(name: "v044-strength-of-apps", sql: AccessTokenSchema.strength),
        Migration(name: "v045-rare-events", sql: AuditSchema.byRareEvent),
    ]

    private static let baseline = [
        SessionStore.schema(adding: SessionStore.userColumns), SessionStore.userIndexes, AccountSchema.sql,
        GroupSchema.sql, InvitationSchema.sql, KnownBrowserSchema.sql, AccessTokenSchema.sql, SignOutSchema.sql,
        AuditSchema.sql, ClientSchema.sql, GrantSchema.sql, ChallengeSchema.sql, GuessSchema.sql, MailSchema.sql,
        HandoffSchema.sql, AppIdentitySchema.sql, ProviderAttemptSchema.sql, AccountNoticeSchema.sql,
        SigningKeyStore.schema, OIDCSchema.sql,
    ].flatMap { $0 }
}
