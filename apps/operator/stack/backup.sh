# backup, restore

stack_backup() {
  local folder
  [ -d "${1:-}" ] || fail 'backup takes a directory that exists'
  folder=$1/account-$(date -u +%Y%m%dT%H%M%SZ)
  umask 077
  mkdir "$folder"
  trap 'rm -rf "$folder"' EXIT
  in_postgres pg_dump --format=custom customer_account >"$folder/account.dump"
  secrets_sh 'cat operator/secrets-key' >"$folder/secrets-key"
  # Exact only if nothing was written meanwhile: for a comparison after a restore by hand.
  count_rows >"$folder/rows.txt"
  (cd "$folder" && sha256sum account.dump secrets-key >SHA256SUMS)
  trap - EXIT
  say "$folder: $(du -sh "$folder" | cut -f1), $(awk '{n += $2} END {print n + 0}' "$folder/rows.txt") rows"
  say 'Whoever has both files has every customer'\''s data and keys: keep secrets-key apart from account.dump'
}

stack_restore() {
  local folder=${1:-} answer replicas
  [ -f "$folder/account.dump" ] && [ -s "$folder/secrets-key" ] || fail 'restore takes a folder with account.dump and secrets-key'
  if [ -f "$folder/SHA256SUMS" ]; then
    (cd "$folder" && sha256sum --quiet --check SHA256SUMS) || fail 'The backup is damaged; nothing has been changed'
  fi
  if [ "${2:-}" != --yes ]; then
    [ -t 0 ] || fail 'restore replaces the whole database: confirm with --yes'
    read -rp 'This replaces the whole database. Write "restore" to go on: ' answer
    [ "$answer" = restore ] || fail 'Nothing has been changed'
  fi
  replicas=$(wanted_replicas)
  dc up -d --wait postgres
  dc stop api worker
  in_postgres psql -q -v ON_ERROR_STOP=1 -d postgres -c 'drop database if exists restored' -c 'create database restored'
  in_postgres pg_restore --dbname=restored --exit-on-error --single-transaction <"$folder/account.dump" ||
    fail 'The backup could not be read; the database is as it was: apps/operator/stack.sh up'
  in_postgres psql -q -v ON_ERROR_STOP=1 -d postgres -c 'drop database if exists customer_account with (force)' \
    -c 'alter database restored rename to customer_account'
  put_secret secrets-key <"$folder/secrets-key"
  : | put_secret former-secrets-key
  dc run --rm migrate
  dc up -d --wait --scale "api=$replicas"
  say 'Restored. Check: docker compose run --rm operator ai verify'
}

# in_postgres COMMAND…: as the owner, in the database's container
in_postgres() { dc exec -T -e PGUSER=account_owner postgres "$@"; }

# secrets_sh SCRIPT: in the folder with all programs' secrets
secrets_sh() { dc run --rm --no-deps -T secrets bash -euc "cd /secrets; $1"; }

# count_rows: a line for each table with its name and its number of rows
count_rows() {
  in_postgres psql -qAt -F ' ' -d customer_account -c \
    "select c.oid::regclass::text, (xpath('/row/n/text()', query_to_xml('select count(*) as n from only ' || c.oid::regclass, false, true, '')))[1]
     from pg_class c where c.relkind = 'r' and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema') order by 1"
}
