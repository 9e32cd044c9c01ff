#!/bin/sh
# What docker-compose.yml does with the database, in the image of PostgreSQL:
#   database.sh roles           the roles of deploy/postgres, before each start of the services
#   database.sh backups         a backup each day at BACKUP_AT (hour, UTC), and at once if the last one is more than a day old
#   database.sh backup          one backup, now
#   database.sh restore FILE    a backup into a new database, which then takes the place of the present one
set -eu

: "${BACKUPS:=/backups}" "${BACKUP_DAYS:=14}" "${BACKUP_AT:=3}" "${FILES:=/var/lib/trunkline/storage}" "${ROLES:=/postgres/roles.sh}"
: "${PGDATABASE:=trunkline}"
export PGDATABASE
if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$PGPASSWORD_FILE")
  export PGPASSWORD
fi

say() { echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $*"; }

# Named when it is complete: a crash leaves a file that ends in .partial, and no restore takes it.
backup() {
  umask 077
  file="$BACKUPS/$PGDATABASE-$(date -u +%Y%m%dT%H%M%SZ).dump"
  rm -f "$BACKUPS"/*.partial
  pg_dump --format=custom --file="$file.partial"
  pg_restore --list "$file.partial" > /dev/null
  mv "$file.partial" "$file"
  copy_files
  # Only after a new one: backups that fail must not delete the last good one.
  find "$BACKUPS" -maxdepth 1 -name '*.dump' ! -path "$file" -mtime "+$((BACKUP_DAYS - 1))" -delete
  say "backup: $file, $(wc -c < "$file") bytes; older than $BACKUP_DAYS days: deleted"
}

# Recordings and documents. They never change, so only new ones are copied. The time of a copy is that of the last backup that saw the
# file: one that the service has deleted stays as long as the backups that refer to it.
copy_files() {
  [ -d "$FILES" ] || return 0
  mkdir -p "$BACKUPS/files"
  cp -R --update "$FILES/." "$BACKUPS/files/"
  (cd "$FILES" && find . -type f -print0) | (cd "$BACKUPS/files" && xargs -0 -r touch -c --)
  find "$BACKUPS/files" -type f -mtime "+$((BACKUP_DAYS - 1))" -delete
}

recent() { [ -n "$(find "$BACKUPS" -maxdepth 1 -name '*.dump' -mmin -1440 | head -n 1)" ]; }

seconds_until() {
  now=$(date -u +%s)
  at=$((now - now % 86400 + $1 * 3600))
  [ "$at" -gt "$now" ] || at=$((at + 86400))
  echo $((at - now))
}

backups() {
  trap 'exit 0' TERM INT
  recent || backup
  while :; do
    sleep "$(seconds_until "$BACKUP_AT")" &
    wait $!
    backup || say "the backup failed; the next attempt is tomorrow, or restart this service"
  done
}

# Nothing is deleted: the present database stays under another name until you drop it.
restore() {
  [ -r "$1" ] || { echo "$1 cannot be read." >&2; exit 1; }
  database=$PGDATABASE
  made="${database}_$(date -u +%Y%m%d%H%M%S)"
  users=$(statement postgres "SELECT count(*) FROM pg_stat_activity WHERE datname = '$database'")
  [ "$users" -eq 0 ] || { echo "$database has $users connections: stop api, worker, dialer and backup first." >&2; exit 1; }
  statement postgres "CREATE DATABASE \"$made\""
  pg_restore --exit-on-error --dbname="$made" "$1"
  PGDATABASE=$made "$ROLES"
  statement postgres "ALTER DATABASE \"$database\" RENAME TO \"${made}_before\""
  statement postgres "ALTER DATABASE \"$made\" RENAME TO \"$database\""
  say "restored: $1; the database from before is ${made}_before"
}

statement() { psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname="$1" -c "$2"; }

case "${1:-}" in
  roles) exec "$ROLES" ;;
  backups) backups ;;
  backup) backup ;;
  restore) restore "${2:?restore needs the file of a backup}" ;;
  *) echo "database.sh roles | backups | backup | restore FILE" >&2; exit 2 ;;
esac
