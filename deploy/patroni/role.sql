-- A role of idp and its database, once, as a superuser on the primary: psql -v ON_ERROR_STOP=1 -f role.sql
-- The role owns one schema and nothing else. For a relying party the same with another name.
-- Then set the password: \password idp
CREATE ROLE idp LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
CREATE DATABASE idp TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8';
REVOKE ALL ON DATABASE idp FROM PUBLIC;
GRANT CONNECT ON DATABASE idp TO idp;
\connect idp
REVOKE ALL ON SCHEMA public FROM PUBLIC;
CREATE SCHEMA AUTHORIZATION idp;
