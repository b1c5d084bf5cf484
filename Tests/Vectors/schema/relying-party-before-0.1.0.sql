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

-- v002-relying-party
INSERT INTO schema_migration (position, name, applied_at) VALUES (2, 'v002-relying-party', 1790000000);

-- v003-used-state
CREATE TABLE used_state (
    digest BLOB PRIMARY KEY NOT NULL,
    answer_digest BLOB NOT NULL,
    failed INTEGER NOT NULL DEFAULT 0,
    used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX used_state_expires_at ON used_state (expires_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (3, 'v003-used-state', 1790000000);

-- v004-session-visitor
ALTER TABLE session ADD COLUMN submitted INTEGER NOT NULL DEFAULT 1;
CREATE INDEX session_visitor ON session (created_at) WHERE submitted = 0;
INSERT INTO schema_migration (position, name, applied_at) VALUES (4, 'v004-session-visitor', 1790000000);

-- v005-session-app
ALTER TABLE session ADD COLUMN owner TEXT;
ALTER TABLE session ADD COLUMN device TEXT;
CREATE INDEX session_owner ON session (owner) WHERE owner IS NOT NULL;
CREATE INDEX session_browser ON session (expires_at) WHERE owner IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (5, 'v005-session-app', 1790000000);

-- v006-sign-out
ALTER TABLE session ADD COLUMN idp_session TEXT;
ALTER TABLE session ADD COLUMN idp_user TEXT;
CREATE INDEX session_idp_user ON session (idp_user);
CREATE INDEX session_without_idp_user ON session (handle) WHERE idp_user IS NULL;
CREATE TABLE seen_sign_out (
    id TEXT PRIMARY KEY NOT NULL,
    idp_session TEXT,
    idp_user TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX seen_sign_out_idp_user ON seen_sign_out (idp_user);
CREATE INDEX seen_sign_out_expires_at ON seen_sign_out (expires_at);
INSERT INTO schema_migration (position, name, applied_at) VALUES (6, 'v006-sign-out', 1790000000);

-- v007-step-version
ALTER TABLE schema_migration ADD COLUMN version TEXT;
INSERT INTO schema_migration (position, name, applied_at) VALUES (7, 'v007-step-version', 1790000000);

-- v008-session-remembered
ALTER TABLE session ADD COLUMN is_remembered INTEGER NOT NULL DEFAULT 0;
DROP INDEX session_browser;
CREATE INDEX session_browser ON session (created_at) WHERE owner IS NULL;
INSERT INTO schema_migration (position, name, applied_at) VALUES (8, 'v008-session-remembered', 1790000000);
