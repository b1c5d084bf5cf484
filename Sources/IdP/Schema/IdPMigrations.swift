import IdPAccounts
import IdPProtocols
import SSOShared
import SSOWeb
package import Storage
import ThisBuild

/// The IdP's tables, as numbered steps. A step that was released never changes.
///
/// Moments are milliseconds since 1970, booleans are 0 and 1.
package enum IdPMigrations {
    package static let all = steps.map { $0.written(by: ThisBuild.stamp.version) }

    private static let steps: [Migration] = [
        Migration(name: "v001-session", sql: SessionStore.schema),
        Migration(
            name: "v002-account",
            sql: [
                """
                CREATE TABLE account (
                    id TEXT PRIMARY KEY NOT NULL,
                    email TEXT NOT NULL UNIQUE,
                    name TEXT NOT NULL,
                    disabled INTEGER NOT NULL DEFAULT 0,
                    created_at BIGINT NOT NULL
                )
                """
            ]),
        Migration(
            name: "v003-sso-token",
            sql: [
                """
                CREATE TABLE sso_token (
                    digest BLOB PRIMARY KEY NOT NULL,
                    client_id TEXT NOT NULL,
                    redirect_uri TEXT NOT NULL,
                    code_challenge TEXT NOT NULL,
                    state_digest BLOB NOT NULL,
                    account_id TEXT NOT NULL,
                    session_handle TEXT NOT NULL,
                    authenticated_at BIGINT NOT NULL,
                    methods TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    used_at BIGINT,
                    voided_at BIGINT
                )
                """,
                "CREATE INDEX sso_token_flow ON sso_token (session_handle, client_id, state_digest)",
                "CREATE INDEX sso_token_expires_at ON sso_token (expires_at)",
            ]),
        Migration(
            name: "v004-challenge",
            sql: [
                """
                CREATE TABLE challenge (
                    id TEXT PRIMARY KEY NOT NULL,
                    address TEXT NOT NULL,
                    eligible INTEGER NOT NULL,
                    code_mac BLOB NOT NULL,
                    tries INTEGER NOT NULL DEFAULT 0,
                    service TEXT,
                    device TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    used_at BIGINT
                )
                """,
                "CREATE INDEX challenge_expires_at ON challenge (expires_at)",
                """
                CREATE TABLE code_guess (
                    id TEXT PRIMARY KEY NOT NULL,
                    address TEXT NOT NULL,
                    guessed_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX code_guess_address ON code_guess (address, guessed_at)",
            ]),
        Migration(
            name: "v005-letter",
            sql: [
                """
                CREATE TABLE letter (
                    id TEXT PRIMARY KEY NOT NULL,
                    address TEXT NOT NULL,
                    challenge_id TEXT,
                    created_at BIGINT NOT NULL,
                    due_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0,
                    sent_at BIGINT
                )
                """,
                "CREATE INDEX letter_address ON letter (address, created_at)",
                "CREATE INDEX letter_created_at ON letter (created_at)",
                "CREATE INDEX letter_counted ON letter (created_at) WHERE challenge_id IS NOT NULL",
                "CREATE INDEX letter_due_at ON letter (due_at) WHERE sent_at IS NULL AND challenge_id IS NOT NULL",
            ]),
        Migration(
            name: "v006-letter-waiting",
            sql: ["DROP INDEX letter_due_at", "CREATE INDEX letter_waiting ON letter (due_at) WHERE sent_at IS NULL"]),
        // A process of the version before may run beside this one: new columns are empty in its rows.
        Migration(
            name: "v007-device",
            sql: [
                """
                CREATE TABLE device (
                    id TEXT PRIMARY KEY NOT NULL,
                    address TEXT NOT NULL,
                    secret_digest BLOB NOT NULL,
                    previous_digest BLOB,
                    created_at BIGINT NOT NULL,
                    used_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX device_address ON device (address, used_at)",
                "CREATE INDEX device_expires_at ON device (expires_at)",
                // A row from the first email that the mail server could not be reached for to the next that it took.
                "CREATE TABLE mail_outage (id INTEGER PRIMARY KEY NOT NULL, since BIGINT NOT NULL)",
                "CREATE TABLE guess_alarm (id INTEGER PRIMARY KEY NOT NULL, last_at BIGINT NOT NULL)",
                "ALTER TABLE letter ADD COLUMN device_id TEXT",
                "ALTER TABLE letter ADD COLUMN network BLOB",
                "ALTER TABLE letter ADD COLUMN has_account INTEGER NOT NULL DEFAULT 0",
                // NULL: made by the version before. Empty: no email with this code was put in the queue.
                "ALTER TABLE challenge ADD COLUMN email_id TEXT",
                "ALTER TABLE challenge ADD COLUMN device_id TEXT",
                "ALTER TABLE code_guess ADD COLUMN device_id TEXT",
                "CREATE INDEX code_guess_guessed_at ON code_guess (guessed_at)",
                "DROP INDEX letter_waiting",
                """
                CREATE INDEX letter_waiting ON letter (due_at) WHERE sent_at IS NULL AND challenge_id IS NOT NULL
                """,
                "CREATE INDEX letter_decoy ON letter (due_at) WHERE sent_at IS NULL AND challenge_id IS NULL",
            ]),
        Migration(name: "v008-session-visitor", sql: SessionStore.visitorSchema),
        Migration(
            name: "v009-account-signed-out",
            sql: [
                "ALTER TABLE account ADD COLUMN sign_outs BIGINT NOT NULL DEFAULT 0",
                "ALTER TABLE sso_token ADD COLUMN account_sign_outs BIGINT NOT NULL DEFAULT 0",
            ]),
        Migration(
            name: "v010-account-identity",
            sql: [
                // issuer is empty for identities without one: a NULL would never equal another in the primary key.
                """
                CREATE TABLE account_identity (
                    kind TEXT NOT NULL,
                    issuer TEXT NOT NULL,
                    subject TEXT NOT NULL,
                    account_id TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    PRIMARY KEY (kind, issuer, subject)
                )
                """,
                "CREATE INDEX account_identity_account ON account_identity (account_id)",
                """
                INSERT INTO account_identity (kind, issuer, subject, account_id, created_at)
                SELECT 'email', '', email, id, created_at FROM account
                """,
            ]),
        Migration(
            name: "v011-mail-queue",
            sql: ["address", "created_at", "counted", "waiting", "decoy"].map { "DROP INDEX letter_\($0)" } + [
                "ALTER TABLE letter RENAME TO mail_queue",
                "ALTER TABLE mail_queue RENAME COLUMN challenge_id TO subject_id",
                "ALTER TABLE mail_queue ADD COLUMN kind TEXT NOT NULL DEFAULT 'email_code'",
                "CREATE INDEX mail_queue_address ON mail_queue (address, created_at)",
                "CREATE INDEX mail_queue_created_at ON mail_queue (created_at)",
                "CREATE INDEX mail_queue_counted ON mail_queue (created_at) WHERE subject_id IS NOT NULL",
                """
                CREATE INDEX mail_queue_waiting ON mail_queue (due_at)
                 WHERE sent_at IS NULL AND subject_id IS NOT NULL
                """,
                "CREATE INDEX mail_queue_decoy ON mail_queue (due_at) WHERE sent_at IS NULL AND subject_id IS NULL",
            ]),
        Migration(
            name: "v012-challenge-language",
            sql: ["ALTER TABLE challenge ADD COLUMN language TEXT NOT NULL DEFAULT 'en'"]),
        Migration(
            name: "v013-challenge-link-and-reply",
            sql: [
                "ALTER TABLE challenge ADD COLUMN flow TEXT",
                "ALTER TABLE challenge ADD COLUMN answered_at BIGINT",
            ]),
        Migration(name: "v014-session-app", sql: SessionStore.appSchema),
        Migration(
            name: "v015-native-app",
            sql: [
                // redirect_uri is one of IDP_NATIVE_APPS. The columns from code_digest on are set when the user has signed in.
                """
                CREATE TABLE handoff (
                    id TEXT PRIMARY KEY NOT NULL,
                    method TEXT NOT NULL,
                    code_challenge TEXT NOT NULL,
                    redirect_uri TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    code_digest BLOB UNIQUE,
                    code_expires_at BIGINT,
                    account_id TEXT,
                    account_sign_outs BIGINT,
                    session_handle TEXT,
                    authenticated_at BIGINT,
                    methods TEXT,
                    ended_at BIGINT
                )
                """,
                "CREATE INDEX handoff_expires_at ON handoff (expires_at)",
                """
                CREATE TABLE access_token (
                    id TEXT PRIMARY KEY NOT NULL,
                    digest BLOB NOT NULL UNIQUE,
                    account_id TEXT NOT NULL,
                    account_sign_outs BIGINT NOT NULL,
                    device TEXT NOT NULL,
                    session_handle TEXT NOT NULL,
                    authenticated_at BIGINT NOT NULL,
                    methods TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    used_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX access_token_account ON access_token (account_id)",
                "CREATE INDEX access_token_session ON access_token (session_handle)",
                "CREATE INDEX access_token_expires_at ON access_token (expires_at)",
            ]),
        Migration(
            name: "v016-providers",
            sql: [
                "ALTER TABLE account_identity ADD COLUMN provider TEXT",
                "ALTER TABLE account_identity ADD COLUMN email TEXT",
                "ALTER TABLE account_identity ADD COLUMN is_private_email INTEGER NOT NULL DEFAULT 0",
                "ALTER TABLE account_identity ADD COLUMN is_email_disabled INTEGER NOT NULL DEFAULT 0",
                // When that changed, by the provider's clock.
                "ALTER TABLE account_identity ADD COLUMN email_changed_at BIGINT",
                "ALTER TABLE account_identity ADD COLUMN used_at BIGINT",
                // Sealed: usable only with IDP_SECRET_KEY.
                "ALTER TABLE account_identity ADD COLUMN refresh_token BLOB",
                // answer is sealed, and there only between a form_post and the GET after it. registration is a hash of issuer and
                // client id.
                """
                CREATE TABLE provider_attempt (
                    id TEXT PRIMARY KEY NOT NULL,
                    provider TEXT NOT NULL,
                    registration BLOB NOT NULL,
                    purpose TEXT NOT NULL,
                    flow TEXT,
                    account_id TEXT,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    answer BLOB,
                    answer_digest BLOB UNIQUE,
                    used_at BIGINT
                )
                """,
                "CREATE INDEX provider_attempt_expires_at ON provider_attempt (expires_at)",
                // Codes and ID tokens that were used.
                """
                CREATE TABLE used_provider_answer (
                    digest BLOB PRIMARY KEY NOT NULL,
                    expires_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX used_provider_answer_expires_at ON used_provider_answer (expires_at)",
                """
                CREATE TABLE account_notice (
                    id TEXT PRIMARY KEY NOT NULL,
                    account_id TEXT NOT NULL,
                    address TEXT NOT NULL,
                    change TEXT NOT NULL,
                    provider TEXT NOT NULL,
                    device TEXT,
                    language TEXT NOT NULL,
                    is_last INTEGER NOT NULL DEFAULT 0,
                    created_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX account_notice_account ON account_notice (account_id, created_at)",
                "CREATE INDEX account_notice_created_at ON account_notice (created_at)",
                // Set for a notice: it may be sent until then. Its expires_at is 0.
                "ALTER TABLE mail_queue ADD COLUMN notice_until BIGINT",
                """
                CREATE INDEX mail_queue_notice ON mail_queue (due_at) WHERE sent_at IS NULL AND notice_until IS NOT NULL
                """,
                // One for each app that links a provider: ticket, then identity (sealed), then code.
                """
                CREATE TABLE app_link (
                    id TEXT PRIMARY KEY NOT NULL,
                    ticket_digest BLOB NOT NULL UNIQUE,
                    account_id TEXT NOT NULL,
                    token_id TEXT NOT NULL UNIQUE,
                    provider TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    begun_at BIGINT,
                    code_challenge TEXT,
                    redirect_uri TEXT,
                    identity BLOB,
                    code_digest BLOB UNIQUE,
                    code_expires_at BIGINT,
                    ended_at BIGINT
                )
                """,
                "CREATE INDEX app_link_expires_at ON app_link (expires_at)",
            ]),
        Migration(
            name: "v017-mail-queue-unsent",
            sql: ["CREATE INDEX mail_queue_unsent ON mail_queue (network, created_at) WHERE sent_at IS NULL"]),
        Migration(
            name: "v018-proven-sign-in",
            // Whether authenticated_at is proven. NULL: written by the version before.
            sql: ["sso_token", "handoff", "access_token"].map { "ALTER TABLE \($0) ADD COLUMN is_proven INTEGER" } + [
                // Whether the provider, as the owner of the domain, has vouched for the account's own address.
                "ALTER TABLE account_identity ADD COLUMN is_vouched INTEGER NOT NULL DEFAULT 0"
            ]),
        Migration(
            name: "v019-bounded-rows",
            sql: [
                "CREATE INDEX handoff_account ON handoff (account_id, created_at) WHERE account_id IS NOT NULL",
                "CREATE INDEX provider_attempt_answer ON provider_attempt (expires_at) WHERE answer IS NOT NULL",
            ]),
        Migration(
            name: "v020-grants",
            // The client protocol that a grant was issued by, and what the protocol keeps with it.
            sql: [
                "ALTER TABLE sso_token ADD COLUMN kind TEXT NOT NULL DEFAULT 'sso'",
                "ALTER TABLE sso_token ADD COLUMN payload BLOB",
            ]),
        Migration(
            name: "v021-audit-event",
            // Rows of the audit log. occurrences is set in rows that count events of an hour.
            sql: [
                """
                CREATE TABLE audit_event (
                    id BLOB PRIMARY KEY NOT NULL,
                    created_at BIGINT NOT NULL,
                    event TEXT NOT NULL,
                    actor TEXT NOT NULL,
                    account_id TEXT,
                    client_id TEXT,
                    session_handle TEXT,
                    flow TEXT,
                    reference TEXT,
                    network TEXT,
                    cause TEXT,
                    detail TEXT,
                    address TEXT,
                    address_mac BLOB,
                    occurrences BIGINT
                )
                """,
                "CREATE INDEX audit_event_account ON audit_event (account_id, id) WHERE account_id IS NOT NULL",
            ]),
        Migration(
            name: "v022-groups",
            sql: [
                "CREATE TABLE user_group (id TEXT PRIMARY KEY NOT NULL, created_at BIGINT NOT NULL)",
                """
                CREATE TABLE group_member (
                    account_id TEXT NOT NULL,
                    group_id TEXT NOT NULL,
                    joined_at BIGINT NOT NULL,
                    PRIMARY KEY (account_id, group_id)
                )
                """,
                "CREATE INDEX group_member_group ON group_member (group_id)",
            ]),
        Migration(
            name: "v023-users",
            sql: [
                // An operator added it, by an invitation or an import; an import names it.
                "ALTER TABLE account ADD COLUMN added_at BIGINT",
                "ALTER TABLE account ADD COLUMN imported_at BIGINT",
                // It may not sign in from then on. end_done: its sign-ins were ended for that.
                "ALTER TABLE account ADD COLUMN ends_at BIGINT",
                "ALTER TABLE account ADD COLUMN end_done INTEGER NOT NULL DEFAULT 0",
                "ALTER TABLE account ADD COLUMN erase_at BIGINT",
                "ALTER TABLE account ADD COLUMN language TEXT",
                "CREATE INDEX account_imported ON account (imported_at) WHERE imported_at IS NOT NULL",
                "CREATE INDEX account_ends_at ON account (ends_at) WHERE ends_at IS NOT NULL AND end_done = 0",
                "CREATE INDEX account_erase_at ON account (erase_at) WHERE erase_at IS NOT NULL",
                // key_digest is the hash of the key in the email's link. presses counts the sign-ins that were begun with it.
                """
                CREATE TABLE invitation (
                    id TEXT PRIMARY KEY NOT NULL,
                    account_id TEXT NOT NULL,
                    key_digest BLOB NOT NULL UNIQUE,
                    client_id TEXT,
                    language TEXT NOT NULL,
                    presses INTEGER NOT NULL DEFAULT 0,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    withdrawn_at BIGINT
                )
                """,
                "CREATE INDEX invitation_account ON invitation (account_id, created_at)",
                "CREATE INDEX invitation_created_at ON invitation (created_at)",
                // The address that an account has now, in the notice about that.
                "ALTER TABLE account_notice ADD COLUMN new_address TEXT",
                // Emails of which only so many leave in a minute. taken_at is when one was tried last.
                "ALTER TABLE mail_queue ADD COLUMN is_paced INTEGER NOT NULL DEFAULT 0",
                "ALTER TABLE mail_queue ADD COLUMN taken_at BIGINT",
                "CREATE INDEX mail_queue_taken_at ON mail_queue (taken_at) WHERE taken_at IS NOT NULL",
            ]),
        Migration(name: "v024-sign-out", sql: SessionStore.userSchema + SignOutSchema.sql),
        Migration(
            name: "v025-clients",
            sql: [
                // entry: the keys of the clients file, without the secrets.
                """
                CREATE TABLE client (
                    id TEXT PRIMARY KEY NOT NULL,
                    entry TEXT NOT NULL,
                    logo BLOB,
                    is_enabled INTEGER NOT NULL,
                    created_at BIGINT NOT NULL,
                    changed_at BIGINT NOT NULL
                )
                """,
                // Sealed: usable only with IDP_SECRET_KEY. replaced_at is set in the previous one.
                """
                CREATE TABLE client_secret (
                    client_id TEXT NOT NULL,
                    fingerprint TEXT NOT NULL UNIQUE,
                    secret BLOB NOT NULL,
                    added_at BIGINT NOT NULL,
                    replaced_at BIGINT,
                    ends_after BIGINT NOT NULL,
                    PRIMARY KEY (client_id, fingerprint)
                )
                """,
                // Of the secrets in the clients file, too.
                """
                CREATE TABLE client_secret_use (
                    client_id TEXT NOT NULL,
                    fingerprint TEXT NOT NULL,
                    first_used_at BIGINT NOT NULL,
                    last_used_at BIGINT NOT NULL,
                    PRIMARY KEY (client_id, fingerprint)
                )
                """,
                // Rises with each change of the clients in the database.
                """
                CREATE TABLE registry_revision (
                    part TEXT PRIMARY KEY NOT NULL,
                    revision BIGINT NOT NULL
                )
                """,
            ]),
        Migration(
            name: "v026-token-revocation",
            sql: [
                // Sealed, as it was in account_identity.
                """
                CREATE TABLE token_revocation (
                    refresh_token BLOB PRIMARY KEY NOT NULL,
                    issuer TEXT NOT NULL,
                    provider TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    next_try_at BIGINT NOT NULL
                )
                """
            ]),
        Migration(name: "v027-openid-connect", sql: OIDCSchema.sql),
        .keepsVersions(name: "v028-step-version"),
        Migration(name: "v029-session-remembered", sql: SessionStore.rememberedSchema),
        Migration(name: "v030-challenge-log-flow", sql: ["ALTER TABLE challenge ADD COLUMN log_flow TEXT"]),
        Migration(name: "v031-challenge-place", sql: ["ALTER TABLE challenge ADD COLUMN place TEXT"]),
        // Voiding after a promotion must not look at used rows, which are many.
        Migration(
            name: "v032-oidc-refresh-token-unused",
            sql: [
                """
                CREATE INDEX oidc_refresh_token_unused ON oidc_refresh_token (expires_at)
                 WHERE used_at IS NULL AND ended_at IS NULL
                """
            ]),
    ]
}
