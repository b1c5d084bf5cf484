-- 64 users and sessions for script/bench.d/login.pgbench.
INSERT INTO account (id, email, name, disabled, created_at)
SELECT 'pgbench-' || i, 'pgbench-' || i || '@example.com', 'pgbench', 0, :now FROM generate_series(0, 63) i;
INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at, submitted)
SELECT sha256(convert_to('pgbench-' || i, 'UTF8')), 'pgbench-' || i, repeat('s', 22), repeat('x', 400), :now, :now,
       :now + 40000000, 1
  FROM generate_series(0, 63) i;
