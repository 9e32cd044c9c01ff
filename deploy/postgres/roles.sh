#!/bin/sh
# Creates the roles of roles.sql, and sets the passwords that are in files. Connects as libpq does: PGHOST, PGUSER (a superuser),
# PGPASSWORD, PGDATABASE (the database of the installation, which must exist).
#   OWNER_PASSWORD_FILE, APP_PASSWORD_FILE, BACKUP_PASSWORD_FILE: absent or empty: the password stays as it is.
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

# psql reads the files itself, so that no password is in the list of processes.
export OWNER_PASSWORD_FILE="${OWNER_PASSWORD_FILE:-/dev/null}"
export APP_PASSWORD_FILE="${APP_PASSWORD_FILE:-/dev/null}"
export BACKUP_PASSWORD_FILE="${BACKUP_PASSWORD_FILE:-/dev/null}"
for file in "$OWNER_PASSWORD_FILE" "$APP_PASSWORD_FILE" "$BACKUP_PASSWORD_FILE"; do
  [ -r "$file" ] || { echo "$file cannot be read." >&2; exit 1; }
done

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=roles="$folder/roles.sql" <<'SQL'
SET client_min_messages = warning;
\set owner `cat "$OWNER_PASSWORD_FILE"`
\set app `cat "$APP_PASSWORD_FILE"`
\set backup `cat "$BACKUP_PASSWORD_FILE"`
\o /dev/null
SELECT set_config('trunkline.owner_password', :'owner', false),
       set_config('trunkline.password', :'app', false),
       set_config('trunkline.backup_password', :'backup', false);
\o
\i :roles
SQL
echo "The database roles are up to date."
