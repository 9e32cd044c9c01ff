#!/bin/sh
# Prepares an installation for docker-compose.yml: a folder `secrets` with one file for each secret, and a folder `backups`. Keeps what
# is there. Passwords and keys are made; secrets of others are taken from variables of the same name, or stay empty, which is unset:
#   OPENAI_API_KEY=sk-… deploy/compose/prepare.sh
# Later ones: write the file, then `docker compose up -d --force-recreate api worker dialer`.
set -eu
secrets=${SECRETS:-./secrets}
backups=${BACKUPS:-./backups}

made="POSTGRES_PASSWORD DATABASE_PASSWORD DATABASE_OWNER_PASSWORD DATABASE_BACKUP_PASSWORD QUEUE_PASSWORD SECRET_KEY BOOTSTRAP_TOKEN"
given="SECRET_KEY_FALLBACKS AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN EGRESS_PROXY_URL OIDC_CLIENT_SECRET
  EMBEDDINGS_API_KEY MISTRAL_API_KEY COHERE_API_KEY VOYAGE_API_KEY OPENAI_API_KEY GEMINI_API_KEY ANTHROPIC_API_KEY COMPATIBLE_API_KEY
  REALTIME_API_KEY SUMMARY_API_KEY DEEPGRAM_API_KEY ASSEMBLYAI_API_KEY ELEVENLABS_API_KEY CARTESIA_API_KEY LIVEKIT_API_KEY
  LIVEKIT_API_SECRET"

# The folder keeps other users of this machine out. The files themselves are readable, because Compose mounts them as they are, and the
# processes in the containers are not root.
mkdir -p "$secrets" "$backups"
chmod 0700 "$secrets" "$backups"
umask 022

for name in $made $given; do
  file="$secrets/$name"
  eval "value=\${$name:-}"
  if [ -s "$file" ] && [ -z "$value" ]; then continue; fi
  if [ -z "$value" ]; then
    case " $(echo $made) " in *" $name "*) value=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n') ;; esac
  fi
  printf '%s' "$value" > "$file"
  chmod 0444 "$file"
done

# The user of the backups in its container.
[ "$(id -u)" -ne 0 ] || chown 1000:1000 "$backups"
echo "$secrets has the secrets, and $backups is for backups. Keep a copy of $secrets/SECRET_KEY elsewhere: without it the secrets in the database cannot be read."
