-- The database roles of an installation, and what each may do:
--   trunkline_owner   owns the tables: migrate and restore
--   trunkline         reads and writes rows: api, worker, dialer
--   trunkline_backup  reads everything: pg_dump
-- Run by roles.sh as a superuser, connected to the database of the installation, before the first migration and whenever a password
-- changes. The passwords are in the settings trunkline.*_password of the session; a role without one keeps its own. It can be repeated.

DO $$
DECLARE
  name text;
  secret text;
BEGIN
  FOREACH name IN ARRAY ARRAY['trunkline_owner', 'trunkline', 'trunkline_backup'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I', name);
    END IF;
    EXECUTE format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', name);
  END LOOP;
  FOR name, secret IN
    VALUES ('trunkline_owner', current_setting('trunkline.owner_password', true)),
           ('trunkline', current_setting('trunkline.password', true)),
           ('trunkline_backup', current_setting('trunkline.backup_password', true))
  LOOP
    IF secret <> '' THEN
      EXECUTE format('ALTER ROLE %I PASSWORD %L', name, secret);
    END IF;
  END LOOP;
  EXECUTE format('ALTER DATABASE %I OWNER TO trunkline_owner', current_database());
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO trunkline, trunkline_backup', current_database());
END $$;

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO trunkline_owner;
GRANT USAGE ON SCHEMA public TO trunkline;
GRANT pg_read_all_data TO trunkline_backup;

-- Everything that migrations will create, including the schema of the queue (bullmq).
ALTER DEFAULT PRIVILEGES FOR ROLE trunkline_owner GRANT USAGE ON SCHEMAS TO trunkline;
ALTER DEFAULT PRIVILEGES FOR ROLE trunkline_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO trunkline;
ALTER DEFAULT PRIVILEGES FOR ROLE trunkline_owner GRANT USAGE, SELECT ON SEQUENCES TO trunkline;

-- Everything that exists: a database of a single role after REASSIGN OWNED, or one without these defaults.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['public', 'bullmq'] LOOP
    CONTINUE WHEN to_regnamespace(name) IS NULL;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO trunkline', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO trunkline', name);
    EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO trunkline', name);
  END LOOP;
  -- pgvector: a worker creates its table, which refers to the passages, and an index for each model. Without it vectors are compared in
  -- the processes, and the role needs neither right.
  IF EXISTS (SELECT FROM pg_available_extensions WHERE pg_available_extensions.name = 'vector') THEN
    CREATE EXTENSION IF NOT EXISTS vector;
    GRANT CREATE ON SCHEMA public TO trunkline;
    ALTER DEFAULT PRIVILEGES FOR ROLE trunkline_owner GRANT REFERENCES ON TABLES TO trunkline;
    IF to_regclass('public.knowledge_chunks') IS NOT NULL THEN
      GRANT REFERENCES ON knowledge_chunks TO trunkline;
    END IF;
  END IF;
END $$;
