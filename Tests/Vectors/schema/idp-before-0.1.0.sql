-- The schema as the last build before 0.1.0 made it, step by step. Never changed (BaselineTests).

CREATE TABLE schema_migration (position INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE, applied_at BIGINT NOT NULL);

-- v001-session
CREATE TABLE session (
    id_digest BLOB PRIMARY KEY NOT NULL,
    handle TEXT NOT NULL UNIQUE,
    form_seed TEXT NOT NULL,
    slots TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX session_expires_at ON session (expires_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (1, 'v001-session', 1790000000);

-- v002-account
CREATE TABLE account (
    id TEXT PRIMARY KEY NOT NULL,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
INSERT INTO schema_migration (position, name, applied_at) VALUES (2, 'v002-account', 1790000000);

-- v003-sso-token
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
);
CREATE INDEX sso_token_flow ON sso_token (session_handle, client_id, state_digest);
CREATE INDEX sso_token_expires_at ON sso_token (expires_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (3, 'v003-sso-token', 1790000000);

-- v004-challenge
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
);
CREATE INDEX challenge_expires_at ON challenge (expires_at);
CREATE TABLE code_guess (
    id TEXT PRIMARY KEY NOT NULL,
    address TEXT NOT NULL,
    guessed_at BIGINT NOT NULL
);
CREATE INDEX code_guess_address ON code_guess (address, guessed_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (4, 'v004-challenge', 1790000000);

-- v005-letter
CREATE TABLE letter (
    id TEXT PRIMARY KEY NOT NULL,
    address TEXT NOT NULL,
    challenge_id TEXT,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    sent_at BIGINT
);
CREATE INDEX letter_address ON letter (address, created_at);
CREATE INDEX letter_created_at ON letter (created_at);
CREATE INDEX letter_counted ON letter (created_at) WHERE challenge_id IS NOT NULL;
CREATE INDEX letter_due_at ON letter (due_at) WHERE sent_at IS NULL AND challenge_id IS NOT NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (5, 'v005-letter', 1790000000);

-- v006-letter-waiting
DROP INDEX letter_due_at;
CREATE INDEX letter_waiting ON letter (due_at) WHERE sent_at IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (6, 'v006-letter-waiting', 1790000000);

-- v007-device
CREATE TABLE device (
    id TEXT PRIMARY KEY NOT NULL,
    address TEXT NOT NULL,
    secret_digest BLOB NOT NULL,
    previous_digest BLOB,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX device_address ON device (address, used_at);
CREATE INDEX device_expires_at ON device (expires_at);
CREATE TABLE mail_outage (id INTEGER PRIMARY KEY NOT NULL, since BIGINT NOT NULL);
CREATE TABLE guess_alarm (id INTEGER PRIMARY KEY NOT NULL, last_at BIGINT NOT NULL);
ALTER TABLE letter ADD COLUMN device_id TEXT;
ALTER TABLE letter ADD COLUMN network BLOB;
ALTER TABLE letter ADD COLUMN has_account INTEGER NOT NULL DEFAULT 0;
ALTER TABLE challenge ADD COLUMN email_id TEXT;
ALTER TABLE challenge ADD COLUMN device_id TEXT;
ALTER TABLE code_guess ADD COLUMN device_id TEXT;
CREATE INDEX code_guess_guessed_at ON code_guess (guessed_at);
DROP INDEX letter_waiting;
CREATE INDEX letter_waiting ON letter (due_at) WHERE sent_at IS NULL AND challenge_id IS NOT NULL;
CREATE INDEX letter_decoy ON letter (due_at) WHERE sent_at IS NULL AND challenge_id IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (7, 'v007-device', 1790000000);

-- v008-session-visitor
ALTER TABLE session ADD COLUMN submitted INTEGER NOT NULL DEFAULT 1;
CREATE INDEX session_visitor ON session (created_at) WHERE submitted = 0;
INSERT INTO schema_migration (position, name, applied_at) VALUES (8, 'v008-session-visitor', 1790000000);

-- v009-account-signed-out
ALTER TABLE account ADD COLUMN sign_outs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sso_token ADD COLUMN account_sign_outs BIGINT NOT NULL DEFAULT 0;
INSERT INTO schema_migration (position, name, applied_at) VALUES (9, 'v009-account-signed-out', 1790000000);

-- v010-account-identity
CREATE TABLE account_identity (
    kind TEXT NOT NULL,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (kind, issuer, subject)
);
CREATE INDEX account_identity_account ON account_identity (account_id);
INSERT INTO account_identity (kind, issuer, subject, account_id, created_at)
SELECT 'email', '', email, id, created_at FROM account;
INSERT INTO schema_migration (position, name, applied_at) VALUES (10, 'v010-account-identity', 1790000000);

-- v011-mail-queue
DROP INDEX letter_address;
DROP INDEX letter_created_at;
DROP INDEX letter_counted;
DROP INDEX letter_waiting;
DROP INDEX letter_decoy;
ALTER TABLE letter RENAME TO mail_queue;
ALTER TABLE mail_queue RENAME COLUMN challenge_id TO subject_id;
ALTER TABLE mail_queue ADD COLUMN kind TEXT NOT NULL DEFAULT 'email_code';
CREATE INDEX mail_queue_address ON mail_queue (address, created_at);
CREATE INDEX mail_queue_created_at ON mail_queue (created_at);
CREATE INDEX mail_queue_counted ON mail_queue (created_at) WHERE subject_id IS NOT NULL;
CREATE INDEX mail_queue_waiting ON mail_queue (due_at)
 WHERE sent_at IS NULL AND subject_id IS NOT NULL;
CREATE INDEX mail_queue_decoy ON mail_queue (due_at) WHERE sent_at IS NULL AND subject_id IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (11, 'v011-mail-queue', 1790000000);

-- v012-challenge-language
ALTER TABLE challenge ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
INSERT INTO schema_migration (position, name, applied_at) VALUES (12, 'v012-challenge-language', 1790000000);

-- v013-challenge-link-and-reply
ALTER TABLE challenge ADD COLUMN flow TEXT;
ALTER TABLE challenge ADD COLUMN answered_at BIGINT;
INSERT INTO schema_migration (position, name, applied_at) VALUES (13, 'v013-challenge-link-and-reply', 1790000000);

-- v014-session-app
ALTER TABLE session ADD COLUMN owner TEXT;
ALTER TABLE session ADD COLUMN device TEXT;
CREATE INDEX session_owner ON session (owner) WHERE owner IS NOT NULL;
CREATE INDEX session_browser ON session (expires_at) WHERE owner IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (14, 'v014-session-app', 1790000000);

-- v015-native-app
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
);
CREATE INDEX handoff_expires_at ON handoff (expires_at);
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
);
CREATE INDEX access_token_account ON access_token (account_id);
CREATE INDEX access_token_session ON access_token (session_handle);
CREATE INDEX access_token_expires_at ON access_token (expires_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (15, 'v015-native-app', 1790000000);

-- v016-providers
ALTER TABLE account_identity ADD COLUMN provider TEXT;
ALTER TABLE account_identity ADD COLUMN email TEXT;
ALTER TABLE account_identity ADD COLUMN is_private_email INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account_identity ADD COLUMN is_email_disabled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account_identity ADD COLUMN email_changed_at BIGINT;
ALTER TABLE account_identity ADD COLUMN used_at BIGINT;
ALTER TABLE account_identity ADD COLUMN refresh_token BLOB;
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
);
CREATE INDEX provider_attempt_expires_at ON provider_attempt (expires_at);
CREATE TABLE used_provider_answer (
    digest BLOB PRIMARY KEY NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX used_provider_answer_expires_at ON used_provider_answer (expires_at);
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
);
CREATE INDEX account_notice_account ON account_notice (account_id, created_at);
CREATE INDEX account_notice_created_at ON account_notice (created_at);
ALTER TABLE mail_queue ADD COLUMN notice_until BIGINT;
CREATE INDEX mail_queue_notice ON mail_queue (due_at) WHERE sent_at IS NULL AND notice_until IS NOT NULL;
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
);
CREATE INDEX app_link_expires_at ON app_link (expires_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (16, 'v016-providers', 1790000000);

-- v017-mail-queue-unsent
CREATE INDEX mail_queue_unsent ON mail_queue (network, created_at) WHERE sent_at IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (17, 'v017-mail-queue-unsent', 1790000000);

-- v018-proven-sign-in
ALTER TABLE sso_token ADD COLUMN is_proven INTEGER;
ALTER TABLE handoff ADD COLUMN is_proven INTEGER;
ALTER TABLE access_token ADD COLUMN is_proven INTEGER;
ALTER TABLE account_identity ADD COLUMN is_vouched INTEGER NOT NULL DEFAULT 0;
INSERT INTO schema_migration (position, name, applied_at) VALUES (18, 'v018-proven-sign-in', 1790000000);

-- v019-bounded-rows
CREATE INDEX handoff_account ON handoff (account_id, created_at) WHERE account_id IS NOT NULL;
CREATE INDEX provider_attempt_answer ON provider_attempt (expires_at) WHERE answer IS NOT NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (19, 'v019-bounded-rows', 1790000000);

-- v020-grants
ALTER TABLE sso_token ADD COLUMN kind TEXT NOT NULL DEFAULT 'sso';
ALTER TABLE sso_token ADD COLUMN payload BLOB;
INSERT INTO schema_migration (position, name, applied_at) VALUES (20, 'v020-grants', 1790000000);

-- v021-audit-event
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
);
CREATE INDEX audit_event_account ON audit_event (account_id, id) WHERE account_id IS NOT NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (21, 'v021-audit-event', 1790000000);

-- v022-groups
CREATE TABLE user_group (id TEXT PRIMARY KEY NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE group_member (
    account_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, group_id)
);
CREATE INDEX group_member_group ON group_member (group_id);
INSERT INTO schema_migration (position, name, applied_at) VALUES (22, 'v022-groups', 1790000000);

-- v023-users
ALTER TABLE account ADD COLUMN added_at BIGINT;
ALTER TABLE account ADD COLUMN imported_at BIGINT;
ALTER TABLE account ADD COLUMN ends_at BIGINT;
ALTER TABLE account ADD COLUMN end_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN erase_at BIGINT;
ALTER TABLE account ADD COLUMN language TEXT;
CREATE INDEX account_imported ON account (imported_at) WHERE imported_at IS NOT NULL;
CREATE INDEX account_ends_at ON account (ends_at) WHERE ends_at IS NOT NULL AND end_done = 0;
CREATE INDEX account_erase_at ON account (erase_at) WHERE erase_at IS NOT NULL;
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
);
CREATE INDEX invitation_account ON invitation (account_id, created_at);
CREATE INDEX invitation_created_at ON invitation (created_at);
ALTER TABLE account_notice ADD COLUMN new_address TEXT;
ALTER TABLE mail_queue ADD COLUMN is_paced INTEGER NOT NULL DEFAULT 0;
ALTER TABLE mail_queue ADD COLUMN taken_at BIGINT;
CREATE INDEX mail_queue_taken_at ON mail_queue (taken_at) WHERE taken_at IS NOT NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (23, 'v023-users', 1790000000);

-- v024-sign-out
ALTER TABLE session ADD COLUMN account_id TEXT;
ALTER TABLE session ADD COLUMN network TEXT;
UPDATE session SET account_id = owner WHERE owner IS NOT NULL;
CREATE INDEX session_account ON session (account_id) WHERE account_id IS NOT NULL;
CREATE TABLE client_sign_in (
    session_handle TEXT NOT NULL,
    client_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    told_session TEXT NOT NULL,
    account_id TEXT NOT NULL,
    first_used_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    ended_at BIGINT,
    reason TEXT,
    PRIMARY KEY (session_handle, client_id, kind)
);
CREATE INDEX client_sign_in_told ON client_sign_in (told_session);
CREATE INDEX client_sign_in_account ON client_sign_in (account_id);
INSERT INTO client_sign_in (session_handle, client_id, kind, told_session, account_id, first_used_at, last_used_at)
SELECT session_handle, client_id, kind, session_handle, MAX(account_id), MIN(used_at), MAX(used_at)
  FROM sso_token WHERE used_at IS NOT NULL GROUP BY session_handle, client_id, kind;
CREATE TABLE sign_out_message (
    id TEXT PRIMARY KEY NOT NULL,
    kind TEXT NOT NULL,
    client_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    told_session TEXT,
    created_at BIGINT NOT NULL,
    retried_at BIGINT,
    tries INTEGER NOT NULL,
    next_try_at BIGINT NOT NULL,
    leased_until BIGINT,
    last_error TEXT,
    settled_at BIGINT,
    is_delivered INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sign_out_message_due ON sign_out_message (next_try_at) WHERE settled_at IS NULL;
CREATE INDEX sign_out_message_waiting ON sign_out_message (client_id, next_try_at) WHERE settled_at IS NULL;
CREATE INDEX sign_out_message_leased ON sign_out_message (leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX sign_out_message_account ON sign_out_message (account_id, created_at);
CREATE INDEX sign_out_message_settled ON sign_out_message (settled_at) WHERE settled_at IS NOT NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (24, 'v024-sign-out', 1790000000);

-- v025-clients
CREATE TABLE client (
    id TEXT PRIMARY KEY NOT NULL,
    entry TEXT NOT NULL,
    logo BLOB,
    is_enabled INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE TABLE client_secret (
    client_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE,
    secret BLOB NOT NULL,
    added_at BIGINT NOT NULL,
    replaced_at BIGINT,
    ends_after BIGINT NOT NULL,
    PRIMARY KEY (client_id, fingerprint)
);
CREATE TABLE client_secret_use (
    client_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    first_used_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (client_id, fingerprint)
);
CREATE TABLE registry_revision (
    part TEXT PRIMARY KEY NOT NULL,
    revision BIGINT NOT NULL
);
INSERT INTO schema_migration (position, name, applied_at) VALUES (25, 'v025-clients', 1790000000);

-- v026-token-revocation
CREATE TABLE token_revocation (
    refresh_token BLOB PRIMARY KEY NOT NULL,
    issuer TEXT NOT NULL,
    provider TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    next_try_at BIGINT NOT NULL
);
INSERT INTO schema_migration (position, name, applied_at) VALUES (26, 'v026-token-revocation', 1790000000);

-- v027-openid-connect
ALTER TABLE account ADD COLUMN username TEXT;
ALTER TABLE account ADD COLUMN updated_at BIGINT;
CREATE UNIQUE INDEX account_username ON account (username);
CREATE TABLE used_username (digest BLOB PRIMARY KEY NOT NULL);
ALTER TABLE client_sign_in ADD COLUMN beginnings BIGINT NOT NULL DEFAULT 0;
CREATE TABLE signing_key (
    kid TEXT PRIMARY KEY NOT NULL,
    algorithm TEXT NOT NULL,
    generation BIGINT NOT NULL,
    public_key TEXT NOT NULL,
    private_key BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    used_from BIGINT NOT NULL,
    UNIQUE (algorithm, generation)
);
CREATE TABLE oidc_access_token (
    digest BLOB PRIMARY KEY NOT NULL,
    family BLOB NOT NULL,
    client_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    account_sign_outs BIGINT NOT NULL,
    told_session TEXT NOT NULL,
    sign_in_beginnings BIGINT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oidc_access_token_family ON oidc_access_token (family);
CREATE INDEX oidc_access_token_expires_at ON oidc_access_token (expires_at);
CREATE TABLE oidc_refresh_token (
    digest BLOB PRIMARY KEY NOT NULL,
    family BLOB NOT NULL,
    client_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    account_sign_outs BIGINT NOT NULL,
    told_session TEXT NOT NULL,
    sign_in_beginnings BIGINT NOT NULL,
    scope TEXT NOT NULL,
    authenticated_at BIGINT NOT NULL,
    is_proven INTEGER NOT NULL,
    methods TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    family_ends_at BIGINT NOT NULL,
    used_at BIGINT,
    successor_key TEXT,
    ended_at BIGINT
);
CREATE INDEX oidc_refresh_token_family ON oidc_refresh_token (family);
CREATE INDEX oidc_refresh_token_family_ends_at ON oidc_refresh_token (family_ends_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (27, 'v027-openid-connect', 1790000000);

-- v028-step-version
ALTER TABLE schema_migration ADD COLUMN version TEXT;
INSERT INTO schema_migration (position, name, applied_at) VALUES (28, 'v028-step-version', 1790000000);

-- v029-session-remembered
ALTER TABLE session ADD COLUMN is_remembered INTEGER NOT NULL DEFAULT 0;
DROP INDEX session_browser;
CREATE INDEX session_browser ON session (created_at) WHERE owner IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (29, 'v029-session-remembered', 1790000000);

-- v030-challenge-log-flow
ALTER TABLE challenge ADD COLUMN log_flow TEXT;
INSERT INTO schema_migration (position, name, applied_at) VALUES (30, 'v030-challenge-log-flow', 1790000000);

-- v031-challenge-place
ALTER TABLE challenge ADD COLUMN place TEXT;
INSERT INTO schema_migration (position, name, applied_at) VALUES (31, 'v031-challenge-place', 1790000000);

-- v032-oidc-refresh-token-unused
CREATE INDEX oidc_refresh_token_unused ON oidc_refresh_token (expires_at)
 WHERE used_at IS NULL AND ended_at IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (32, 'v032-oidc-refresh-token-unused', 1790000000);
